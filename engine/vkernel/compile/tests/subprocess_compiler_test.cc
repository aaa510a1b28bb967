// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/subprocess_compiler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/base/fault.h"
#include "engine/vkernel/compile/tests/test_kernels.h"

namespace shadowvm::vkernel {
namespace {

namespace fs = std::filesystem;
using base::CodeOf;
using base::ErrorCode;

// A program that stands in for a compiler, and a folder for temporary files that must be empty
// afterwards.
class SubprocessCompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ / "temporary");
    ::setenv("TMPDIR", (folder_ / "temporary").c_str(), 1);
  }
  void TearDown() override {
    EXPECT_TRUE(fs::is_empty(folder_ / "temporary"));
    ::unsetenv("TMPDIR");
  }

  base::Status CompileWith(const std::string& script,
                           std::chrono::seconds timeout = std::chrono::seconds(60)) {
    const std::string program = folder_ / "compiler";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    ::chmod(program.c_str(), 0700);
    return CompileWithProgram(program, timeout);
  }
  base::Status CompileWithProgram(const std::string& program, std::chrono::seconds timeout) {
    auto compiler = SubprocessCompiler::Create(
        {.headers = TestHeaders(), .program = program, .timeout = timeout});
    if (!compiler.ok()) return compiler.status();
    return (*compiler)->Compile({"test", AddingKernel(1)}).status();
  }

  TestFolder folder_;
};

TEST_F(SubprocessCompilerTest, AMissingProgramIsNamed) {
  const auto missing = CompileWithProgram("/nowhere/c++", std::chrono::seconds(60));
  EXPECT_EQ(CodeOf(missing), ErrorCode::kNoCompiler);
  EXPECT_NE(missing.message().find("/nowhere/c++"), std::string::npos);
}

TEST_F(SubprocessCompilerTest, AFailureCarriesWhatTheProgramSaid) {
  const auto failed = CompileWith("echo this is why >&2; exit 3");
  EXPECT_EQ(CodeOf(failed), ErrorCode::kCompileFailed);
  EXPECT_NE(failed.message().find("this is why"), std::string::npos) << failed;
}

TEST_F(SubprocessCompilerTest, ACrashIsACrash) {
  const auto crashed = CompileWith("kill -SEGV $$");
  EXPECT_EQ(CodeOf(crashed), ErrorCode::kCompilerCrashed);
  EXPECT_NE(crashed.message().find("signal 11"), std::string::npos) << crashed;
}

TEST_F(SubprocessCompilerTest, AHangIsKilledWithItsChildren) {
  const std::string pid_file = folder_ / "pid";
  int pid = 0;
  // A busy machine may need longer to get there.
  for (std::chrono::seconds limit(1); pid == 0 && limit.count() < 60; limit *= 2) {
    const auto hung = CompileWith("sleep 1000 & echo $! > " + pid_file + "; wait", limit);
    EXPECT_EQ(CodeOf(hung), ErrorCode::kCompilerTimeout);
    std::ifstream(pid_file) >> pid;
  }
  ASSERT_GT(pid, 0);
  // Killed at once; whoever inherits it may take a moment to reap it.
  for (char state = 'S'; state != 'Z' && ::kill(pid, 0) == 0;) {
    std::string text;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat") >> std::ws, text);
    const size_t after = text.rfind(')');
    state = after == std::string::npos ? 'Z' : text[after + 2];
  }
}

TEST_F(SubprocessCompilerTest, SuccessWithoutAnObjectIsAnError) {
  EXPECT_EQ(CodeOf(CompileWith("exit 0")), ErrorCode::kReadFailed);
}

TEST_F(SubprocessCompilerTest, OurEnvironmentIsNotTheCompilers) {
  ::setenv("CPATH", "/tmp/evil", 1);
  const auto failed = CompileWith("env; exit 1");
  ::unsetenv("CPATH");
  EXPECT_EQ(failed.message().find("CPATH"), std::string::npos) << failed;
  EXPECT_NE(failed.message().find("PATH="), std::string::npos) << failed;
}

TEST_F(SubprocessCompilerTest, FaultsAtEveryPointAreErrors) {
  for (const char* point : {"compile.tempdir", "compile.spawn", "compile.run"}) {
    ASSERT_TRUE(base::ArmFaults(std::string(point) + "=nth:1:error").ok());
    EXPECT_EQ(CodeOf(CompileWith("exit 0")), ErrorCode::kInjected) << point;
    base::DisarmFaults();
  }
}

}  // namespace
}  // namespace shadowvm::vkernel
