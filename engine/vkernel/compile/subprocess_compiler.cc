// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/subprocess_compiler.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/base/fault.h"
#include "engine/base/temporary_folder.h"
#include "engine/vkernel/compile/process.h"

namespace shadowvm::vkernel {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;
using TimePoint = std::chrono::steady_clock::time_point;

constexpr size_t kMaxOutput = 1 << 20;
constexpr std::array kPrograms = {"c++", "g++", "clang++"};  // the preferred one first

std::string FindInPath(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    return ::access(program.c_str(), X_OK) == 0 ? program : "";
  }
  const char* path = std::getenv("PATH");
  std::stringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + program;
    // A relative entry would run whatever lies in the working directory.
    if (folder.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

Status WriteText(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) return MakeError(ErrorCode::kWriteFailed, path.string());
  return Status::OK();
}

std::vector<std::string> Flags(OptLevel level, bool sanitize) {
  std::vector<std::string> flags = {"-std=c++20", level == OptLevel::kFast ? "-O1" : "-O2",
                                    "-march=native", "-shared", "-fPIC", "-nostdlib", "-nostdinc",
                                    "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
                                    // A kernel's calls stay in it, whatever the program exports.
                                    "-fvisibility-inlines-hidden", "-Wl,-Bsymbolic",
                                    // Rounding must be Spark's: a * b + c is two operations.
                                    "-ffp-contract=off", "-w"};
  if (level == OptLevel::kFull) flags.push_back("-ftree-vectorize");
  if (sanitize && !HostSanitizers().empty()) {
    // The runtime is the host program's.
    flags.push_back("-fsanitize=" + std::string(HostSanitizers()));
    flags.insert(flags.end(), {"-fno-sanitize=vptr", "-fno-sanitize-recover=all", "-g1"});
  }
  return flags;
}

template <typename Words>
std::string Joined(const Words& words) {
  std::string joined;
  for (const auto& word : words) joined += std::string(word) + " ";
  return joined;
}

// Only what a compiler needs to find its parts; its own temporary files die with the folder.
std::vector<std::string> CompilerEnvironment(const std::string& folder) {
  std::vector<std::string> environment = {"TMPDIR=" + folder, "LC_ALL=C"};
  for (const char* name : {"PATH", "LD_LIBRARY_PATH"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

// Reads until the other side closes the pipe; false when time is up first.
bool ReadOutput(int pipe, TimePoint deadline, std::string* output) {
  char buffer[4096];
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd entry{pipe, POLLIN, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready == 0) return false;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t got = ::read(pipe, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (output->size() < kMaxOutput) output->append(buffer, static_cast<size_t>(got));
  }
}

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!file) return MakeError(ErrorCode::kReadFailed, path);
  return bytes.str();
}

// Runs a compiler to its end. Its output is the result; any other end than success is an error.
Result<std::string> RunCompiler(ProcessSpec spec, const std::string& name, TimePoint deadline) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return CompileError(ErrorCode::kNoCompiler, name, std::string("pipe: ") + std::strerror(errno));
  }
  FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  spec.output = spec.errors = theirs.get();
  SVM_ASSIGN_OR_RETURN(Process process, Process::Start(spec));
  theirs.Close();
  std::string output;
  std::optional<int> status;
  if (ReadOutput(ours.get(), deadline, &output)) status = process.WaitUntil(deadline);
  if (!status) return CompileError(ErrorCode::kCompilerTimeout, name, spec.program);
  if (WIFSIGNALED(*status)) {
    return CompileError(ErrorCode::kCompilerCrashed, name,
                        spec.program + ": " + DescribeExit(*status) + "\n" + output);
  }
  if (*status != 0) return CompileError(ErrorCode::kCompileFailed, name, output);
  return output;
}

}  // namespace

std::string FindCompilerProgram() {
  for (const char* name : kPrograms) {
    const std::string found = FindInPath(name);
    if (!found.empty()) return found;
  }
  return "";
}

Result<std::unique_ptr<SubprocessCompiler>> SubprocessCompiler::Create(
    SubprocessCompilerOptions options) {
  const std::string asked = options.program;
  options.program = asked.empty() ? FindCompilerProgram() : FindInPath(asked);
  if (options.program.empty()) {
    return MakeError(ErrorCode::kNoCompiler,
                     "no C++ compiler found: " + (asked.empty() ? Joined(kPrograms) : asked));
  }
  return std::unique_ptr<SubprocessCompiler>(new SubprocessCompiler(std::move(options)));
}

SubprocessCompiler::SubprocessCompiler(SubprocessCompilerOptions options)
    : options_(std::move(options)),
      identity_("program " + ProgramIdentity(options_.program) + " flags " +
                Joined(Flags(OptLevel::kFast, true)) + Joined(Flags(OptLevel::kFull, true)) +
                " cpu " + HostCpuIdentity()) {}

Status SubprocessCompiler::WriteInputs(const std::string& folder,
                                       const CompileRequest& request) const {
  for (const kernels::EmbeddedHeader& header : options_.headers.headers) {
    SVM_RETURN_NOT_OK(WriteText(fs::path(folder) / header.path, header.text));
  }
  return WriteText(fs::path(folder) / "kernel.cc", request.text);
}

Result<CompiledObject> SubprocessCompiler::Compile(const CompileRequest& request) {
  SVM_FAULT_POINT("compile.run");
  if (request.level == OptLevel::kLibrary) {
    return CompileError(ErrorCode::kNoCompiler, request.name,
                        "kernels of the subprocess compiler hold their own verbs");
  }
  const auto start = std::chrono::steady_clock::now();
  SVM_FAULT_POINT("compile.tempdir");
  SVM_ASSIGN_OR_RETURN(const auto folder, base::TemporaryFolder::Make());
  SVM_RETURN_NOT_OK(WriteInputs(folder.path(), request));
  const std::string object = folder.path() + "/kernel.so";
  ProcessSpec spec{options_.program, Flags(request.level, request.sanitize),
                   CompilerEnvironment(folder.path())};
  spec.arguments.insert(spec.arguments.end(),
                        {"-I" + folder.path(), "-o", object, folder.path() + "/kernel.cc"});
  CompiledObject compiled;
  SVM_ASSIGN_OR_RETURN(compiled.log, RunCompiler(spec, request.name, start + options_.timeout));
  SVM_ASSIGN_OR_RETURN(compiled.bytes, ReadFile(object));
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  compiled.milliseconds = time.count();
  return compiled;
}

}  // namespace shadowvm::vkernel
