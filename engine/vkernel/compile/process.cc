// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "engine/base/fault.h"

namespace shadowvm::vkernel {
namespace {

// The three standard descriptors of a child. A source may itself be 0, 1 or 2 when the program runs
// with those closed, so it is moved out of the way first.
class ChildDescriptors {
 public:
  explicit ChildDescriptors(const ProcessSpec& spec) {
    ::posix_spawn_file_actions_init(&actions_);
    const int sources[] = {spec.input, spec.output, spec.errors};
    for (int i = 0; i < 3; ++i) Place(sources[i], i);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
  }
  ~ChildDescriptors() { ::posix_spawn_file_actions_destroy(&actions_); }
  ChildDescriptors(const ChildDescriptors&) = delete;
  ChildDescriptors& operator=(const ChildDescriptors&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  void Place(int source, int target) {
    if (source < 0) {
      ::posix_spawn_file_actions_addopen(&actions_, target, "/dev/null", O_RDWR, 0);
      return;
    }
    moved_.emplace_back(::fcntl(source, F_DUPFD_CLOEXEC, 3));
    ::posix_spawn_file_actions_adddup2(&actions_, moved_.back().get(), target);
  }

  posix_spawn_file_actions_t actions_;
  std::vector<FileDescriptor> moved_;
};

// The host program may block or ignore signals; its children start afresh.
class ChildAttributes {
 public:
  ChildAttributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~ChildAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  ChildAttributes(const ChildAttributes&) = delete;
  ChildAttributes& operator=(const ChildAttributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void FileDescriptor::Close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

base::Result<Process> Process::Start(const ProcessSpec& spec) {
  SVM_FAULT_POINT("compile.spawn");
  std::vector<std::string> arguments = {spec.program};
  arguments.insert(arguments.end(), spec.arguments.begin(), spec.arguments.end());
  const ChildDescriptors descriptors(spec);
  const ChildAttributes attributes;
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, spec.program.c_str(), descriptors.actions(), attributes.get(),
                    Pointers(arguments).data(), Pointers(spec.environment).data());
  if (failed != 0) {
    return base::MakeError(base::ErrorCode::kNoCompiler,
                           "cannot start " + spec.program + ": " + std::strerror(failed));
  }
  return Process(pid);
}

std::optional<int> Process::Poll() {
  if (status_ || pid_ < 0) return status_;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) status_ = status;
  // The host program may reap all children itself (SIGCHLD ignored): gone, and nobody knows how.
  if (ended < 0 && errno == ECHILD) status_ = 0;
  return status_;
}

std::optional<int> Process::WaitUntil(std::chrono::steady_clock::time_point deadline) {
  while (!Poll() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return status_;
}

void Process::Kill() {
  if (pid_ < 0 || Poll()) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
}

std::string DescribeExit(int status) {
  if (!WIFSIGNALED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  const char* text = ::sigdescr_np(number);
  return "signal " + std::to_string(number) + " (" + (text != nullptr ? text : "unknown") + ")";
}

}  // namespace shadowvm::vkernel
