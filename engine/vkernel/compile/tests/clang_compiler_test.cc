// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/clang_compiler.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <future>
#include <thread>

#include "engine/base/fault.h"
#include "engine/vkernel/compile/tests/stopped_worker.h"
#include "engine/vkernel/compile/tests/test_kernels.h"

namespace shadowvm::vkernel {
namespace {

using base::CodeOf;
using base::ErrorCode;
using std::chrono::milliseconds;

CompileRequest Adding(int addend) {
  return {"adding", AddingKernel(addend), OptLevel::kFast, false};
}

std::unique_ptr<ClangCompiler> Make(int workers, milliseconds timeout = std::chrono::minutes(5)) {
  auto compiler =
      ClangCompiler::Create({.headers = TestHeaders(), .workers = workers, .timeout = timeout});
  EXPECT_TRUE(compiler.ok()) << compiler.status();
  return std::move(*compiler);
}

bool IsRunning(pid_t pid) { return ::kill(pid, 0) == 0; }

TEST(ClangCompilerTest, WorkersStartWhenNeededAndEndWithTheCompiler) {
  pid_t pid = -1;
  {
    auto compiler = Make(2);
    EXPECT_TRUE(compiler->worker_pids().empty());
    ASSERT_TRUE(compiler->Compile(Adding(1)).ok());
    ASSERT_EQ(compiler->worker_pids().size(), 1);
    pid = compiler->worker_pids()[0];
    EXPECT_TRUE(IsRunning(pid));
  }
  EXPECT_FALSE(IsRunning(pid));
}

TEST(ClangCompilerTest, PrewarmStartsAll) {
  auto compiler = Make(2);
  compiler->Prewarm();
  while (compiler->worker_pids().size() < 2) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(compiler->Compile(Adding(1)).ok());
  EXPECT_EQ(compiler->worker_pids().size(), 2);
}

TEST(ClangCompilerTest, AWorkerHasNoDescriptorsOfOurs) {
  const TestFolder folder;
  std::FILE* leaky = std::fopen((folder / "leak").c_str(), "w");  // not close-on-exec
  auto compiler = Make(1);
  ASSERT_TRUE(compiler->Compile(Adding(1)).ok());
  const std::string open = "/proc/" + std::to_string(compiler->worker_pids()[0]) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(open)) {
    EXPECT_LT(std::stoi(entry.path().filename()), 3) << std::filesystem::read_symlink(entry);
  }
  std::fclose(leaky);
}

TEST(ClangCompilerTest, AKilledIdleWorkerIsReplacedUnnoticed) {
  auto compiler = Make(1);
  ASSERT_TRUE(compiler->Compile(Adding(1)).ok());
  const pid_t first = compiler->worker_pids()[0];
  ::kill(first, SIGKILL);
  siginfo_t ended;  // waits for its end and leaves it to be reaped
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(first), &ended, WEXITED | WNOWAIT), 0);
  const auto again = compiler->Compile(Adding(2));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_NE(compiler->worker_pids()[0], first);
}

TEST(ClangCompilerTest, AWorkerKilledMidCompileIsACrashAndIsReplaced) {
  auto compiler = Make(1);
  ASSERT_TRUE(compiler->Compile(Adding(1)).ok());
  const auto crashed = CompileAndKill(compiler.get(), Adding(2));
  EXPECT_EQ(CodeOf(crashed), ErrorCode::kCompilerCrashed) << crashed;
  EXPECT_NE(crashed.message().find("signal 9"), std::string::npos) << crashed;
  EXPECT_TRUE(compiler->Compile(Adding(2)).ok());
}

TEST(ClangCompilerTest, ACrashOfClangIsACrash) {
  auto compiler = Make(1);
  const auto crashed = compiler->Compile({"crash", "#pragma clang __debug crash\n"});
  EXPECT_EQ(CodeOf(crashed.status()), ErrorCode::kCompilerCrashed) << crashed.status();
  EXPECT_TRUE(compiler->worker_pids().empty());
  EXPECT_TRUE(compiler->Compile(Adding(1)).ok());
}

TEST(ClangCompilerTest, AHungWorkerIsKilledAndReplaced) {
  auto compiler = Make(1, milliseconds(3'000));
  ASSERT_TRUE(CompileInTime(compiler.get(), Adding(1)).ok());
  const pid_t pid = compiler->worker_pids()[0];
  StopAndAwait(pid);
  const auto hung = compiler->Compile(Adding(2));
  EXPECT_EQ(CodeOf(hung.status()), ErrorCode::kCompilerTimeout) << hung.status();
  EXPECT_FALSE(IsRunning(pid));
  EXPECT_TRUE(CompileInTime(compiler.get(), Adding(2)).ok());
}

TEST(ClangCompilerTest, MoreThreadsThanWorkersTakeTurns) {
  auto compiler = Make(2);
  std::vector<std::future<bool>> done;
  for (int i = 0; i < 6; ++i) {
    done.push_back(
        std::async(std::launch::async, [&, i] { return compiler->Compile(Adding(i)).ok(); }));
  }
  for (auto& one : done) EXPECT_TRUE(one.get());
  EXPECT_LE(compiler->worker_pids().size(), 2);
}

TEST(ClangCompilerTest, AMissingOrWrongProgramIsNamed) {
  const auto missing = ClangCompiler::Create({.worker_path = "/nowhere/compiler"});
  EXPECT_EQ(CodeOf(missing.status()), ErrorCode::kNoCompiler);
  EXPECT_NE(missing.status().message().find("/nowhere/compiler"), std::string::npos);
  auto wrong = ClangCompiler::Create({.worker_path = "/bin/false"});
  ASSERT_TRUE(wrong.ok());
  EXPECT_EQ(CodeOf((*wrong)->Compile(Adding(1)).status()), ErrorCode::kCompilerCrashed);
}

TEST(ClangCompilerTest, FaultsAtEveryPointAreErrorsAndPass) {
  auto compiler = Make(1);
  for (const char* point : {"compile.spawn", "compile.run"}) {
    ASSERT_TRUE(base::ArmFaults(std::string(point) + "=nth:1:error").ok());
    EXPECT_EQ(CodeOf(compiler->Compile(Adding(1)).status()), ErrorCode::kInjected) << point;
    base::DisarmFaults();
    EXPECT_TRUE(compiler->Compile(Adding(1)).ok()) << point;
  }
}

// The owner in another process: when it is killed, its worker must not outlive it.
TEST(ClangCompilerTest, AWorkerEndsWithItsOwner) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    auto compiler = Make(1);
    pid_t worker = compiler->Compile(Adding(1)).ok() ? compiler->worker_pids()[0] : -1;
    if (::write(ends[1], &worker, sizeof worker) < 0) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t worker = -1;
  ASSERT_EQ(::read(ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  ASSERT_GT(worker, 0);
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  // Its new parent may be slow to reap it; a zombie is an end as well.
  while (IsRunning(worker) && StateOf(worker) != 'Z' && StateOf(worker) != '?') {
    std::this_thread::sleep_for(milliseconds(1));
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace shadowvm::vkernel
