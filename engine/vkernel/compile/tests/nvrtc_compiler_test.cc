// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/nvrtc_compiler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "engine/base/fault.h"
#include "engine/vkernel/compile/tests/stopped_worker.h"
#include "engine/vkernel/compile/tests/test_kernels.h"
#include "engine/vkernel/compile/worker/nvrtc_compile.h"

namespace shadowvm::vkernel {
namespace {

namespace fs = std::filesystem;
using base::CodeOf;
using base::ErrorCode;

// A kernel for a GPU that uses a header of the set.
constexpr char kTwice[] =
    "#include \"engine/kernels/cpu/verbs.h\"\n"
    "extern \"C\" __global__ void svm_kernel(Pair* pair) { pair->out = Twice(pair->in); }\n";

NvrtcOptions OptionsFor(const std::string& architecture) {
  NvrtcOptions options{TestHeaders(), architecture, SHADOWVM_TEST_NVRTC};
  options.timeout = std::chrono::minutes(5);  // a busy machine is no error
  return options;
}

TEST(NvrtcCompiler, MakesCubinsForTheArchitecture) {
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    auto compiler = NvrtcCompiler::Create(OptionsFor(architecture)).ValueOrDie();
    const auto object = compiler->Compile({"twice", kTwice});
    ASSERT_TRUE(object.ok()) << object.status();
    EXPECT_TRUE(object->bytes.starts_with("\177ELF"));
    EXPECT_NE(object->bytes.find("svm_kernel"), std::string::npos);
    EXPECT_NE(compiler->identity().find(architecture), std::string::npos);
  }
}

// Which code it is the text is told by a macro.
TEST(NvrtcCompiler, QuickCodeAndFullCode) {
  auto compiler = NvrtcCompiler::Create(OptionsFor("sm_90")).ValueOrDie();
  const std::string text = kTwice + std::string("#if defined(SVM_QUICK)\n#error quick\n#endif\n");
  EXPECT_TRUE(compiler->Compile({"full", text, OptLevel::kFull}).ok());
  const auto quick = compiler->Compile({"quick", text, OptLevel::kFast});
  EXPECT_EQ(CodeOf(quick.status()), ErrorCode::kCompileFailed);
  EXPECT_NE(quick.status().message().find("error quick"), std::string::npos) << quick.status();
}

// A worker whose first, idle compile fails serves all the same.
TEST(NvrtcCompiler, APreludeThatDoesNotCompile) {
  NvrtcOptions options = OptionsFor("sm_90");
  options.prelude = "no/such/header.h";
  auto compiler = NvrtcCompiler::Create(options).ValueOrDie();
  const auto object = compiler->Compile({"twice", kTwice});
  EXPECT_TRUE(object.ok()) << object.status();
}

// Files that a process has open and that no folder lists.
int NumNamelessFiles(pid_t pid) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry, gone).string();
    found += target.ends_with("prelude.pch (deleted)") ? 1 : 0;
  }
  return found;
}

// One worker that precompiles the verbs.
NvrtcOptions PreludeOptions() {
  NvrtcOptions options = OptionsFor("sm_90");
  options.headers = EmbeddedHeaderSet();
  options.prelude = "engine/kernels/cuda/verbs.h";
  options.workers = 1;
  return options;
}

TEST(NvrtcCompiler, APrecompiledPreludeChangesNothingButTime) {
  NvrtcOptions options = PreludeOptions();
  auto precompiled = NvrtcCompiler::Create(options).ValueOrDie();
  const std::string text =
      "// nothing\n#include \"" + options.prelude + "\"\nSVM_KERNEL(call) {}\n";
  options.prelude.clear();
  auto plain = NvrtcCompiler::Create(options).ValueOrDie();
  for (const OptLevel level : {OptLevel::kFast, OptLevel::kFull}) {
    const auto expected = plain->Compile({"nothing", text, level}).ValueOrDie();
    const auto object = precompiled->Compile({"nothing", text, level}).ValueOrDie();
    EXPECT_EQ(object.bytes, expected.bytes);
    EXPECT_EQ(object.log, expected.log);
  }
  EXPECT_EQ(NumNamelessFiles(precompiled->worker_pids()[0]), 1);
  const std::string other = "extern \"C\" __global__ void svm_kernel() {}\n";
  EXPECT_TRUE(precompiled->Compile({"other", other, OptLevel::kFast}).ok());
}

// Temporary files of workers go where TMPDIR says.
struct TemporaryFolder : base::TestFolder {
  TemporaryFolder() { ::setenv("TMPDIR", path().c_str(), 1); }
  ~TemporaryFolder() { ::unsetenv("TMPDIR"); }
};

TEST(NvrtcCompiler, WhatAKilledWorkerLeftIsRemoved) {
  const TemporaryFolder folder;
  const std::string old = folder / "shadowvm-prelude-old", fresh = folder / "shadowvm-prelude-new";
  for (const auto& left : {old, fresh}) std::filesystem::create_directory(left);
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  auto compiler = NvrtcCompiler::Create(PreludeOptions()).ValueOrDie();
  const std::string text = "extern \"C\" __global__ void svm_kernel() {}\n";
  EXPECT_TRUE(compiler->Compile({"any", text, OptLevel::kFast}).ok());
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(fresh));
}

// As where the file system is full.
TEST(NvrtcCompiler, TextsCompileWithoutRoomForTemporaryFiles) {
  const NvrtcOptions options = PreludeOptions();
  const std::string text = "#include \"" + options.prelude + "\"\nSVM_KERNEL(call) {}\n";
  const TemporaryFolder folder;
  auto compiler = NvrtcCompiler::Create(options).ValueOrDie();
  const auto before = compiler->Compile({"before", text, OptLevel::kFast}).ValueOrDie();
  std::filesystem::remove_all(folder.path());
  const auto after = compiler->Compile({"after", "//\n" + text, OptLevel::kFast}).ValueOrDie();
  EXPECT_EQ(after.bytes, before.bytes);
}

// An NVRTC whose compiles end so.
template <NvrtcResult kResult>
NvrtcApi Ending() {
  NvrtcApi api;
  api.CreateProgram = [](NvrtcProgram*, const char*, const char*, int, const char* const*,
                         const char* const*) { return 0; };
  api.CompileProgram = [](NvrtcProgram, int, const char* const*) { return kResult; };
  api.GetErrorString = [](NvrtcResult) { return "in words"; };
  return api;
}

// A text that was not compiled for want of memory may be right.
TEST(NvrtcCompiler, AFailureOfItsOwnIsNotFinal) {
  constexpr NvrtcResult kOutOfMemory = 1;
  const NvrtcOutcome own = CompileWithNvrtc(Ending<kOutOfMemory>(), {}, "", {""});
  EXPECT_FALSE(own.is_final);
  EXPECT_EQ(own.log, "NVRTC: in words");
  EXPECT_TRUE(CompileWithNvrtc(Ending<kNvrtcCompilation>(), {}, "", {""}).is_final);
  EXPECT_TRUE(CompileWithNvrtc(Ending<kNvrtcInvalidOption>(), {}, "", {""}).is_final);
}

TEST(NvrtcCompiler, AFailureCarriesTheLog) {
  auto compiler = NvrtcCompiler::Create(OptionsFor("sm_90")).ValueOrDie();
  const auto object =
      compiler->Compile({"wrong", "extern \"C\" __global__ void k() { nowhere(); }"});
  EXPECT_EQ(CodeOf(object.status()), ErrorCode::kCompileFailed);
  EXPECT_NE(object.status().message().find("'wrong'"), std::string::npos);
  EXPECT_NE(object.status().message().find("nowhere"), std::string::npos);
}

TEST(NvrtcCompiler, FaultsComeOut) {
  auto compiler = NvrtcCompiler::Create(OptionsFor("sm_90")).ValueOrDie();
  ASSERT_TRUE(base::ArmFaults("compile.nvrtc=always:error").ok());
  EXPECT_EQ(CodeOf(compiler->Compile({"twice", kTwice}).status()), ErrorCode::kInjected);
  base::DisarmFaults();
}

TEST(NvrtcCompiler, AMissingLibraryIsNamed) {
  const auto compiler = NvrtcCompiler::Create({TestHeaders(), "sm_90", "/no/libnvrtc.so"});
  EXPECT_EQ(CodeOf(compiler.status()), ErrorCode::kNoCompiler);
  EXPECT_NE(compiler.status().message().find("/no/libnvrtc.so"), std::string::npos);
}

// There are texts that crash NVRTC; a signal from outside is as good.
TEST(NvrtcCompiler, ACrashOrAHangCostsOneKernel) {
  NvrtcOptions options = OptionsFor("sm_90");
  options.workers = 1;
  options.timeout = std::chrono::milliseconds(4'000);
  auto compiler = NvrtcCompiler::Create(options).ValueOrDie();
  const CompileRequest twice{"twice", kTwice};
  ASSERT_TRUE(CompileInTime(compiler.get(), twice).ok());
  const pid_t first = compiler->worker_pids()[0];
  StopAndAwait(first);
  EXPECT_EQ(CodeOf(compiler->Compile(twice).status()), ErrorCode::kCompilerTimeout);
  ASSERT_TRUE(CompileInTime(compiler.get(), twice).ok());
  EXPECT_NE(first, compiler->worker_pids()[0]);
  EXPECT_EQ(CodeOf(CompileAndKill(compiler.get(), twice)), ErrorCode::kCompilerCrashed);
  EXPECT_TRUE(CompileInTime(compiler.get(), twice).ok());
}

TEST(NvrtcCompiler, AMissingOrWrongWorkerIsNamed) {
  NvrtcOptions options = OptionsFor("sm_90");
  options.worker_path = "/nowhere/compiler";
  const auto missing = NvrtcCompiler::Create(options);
  EXPECT_EQ(CodeOf(missing.status()), ErrorCode::kNoCompiler);
  EXPECT_NE(missing.status().message().find("/nowhere/compiler"), std::string::npos);
  options.worker_path = "/bin/false";
  auto wrong = NvrtcCompiler::Create(options).ValueOrDie();
  EXPECT_EQ(CodeOf(wrong->Compile({"twice", kTwice}).status()), ErrorCode::kCompilerCrashed);
}

}  // namespace
}  // namespace shadowvm::vkernel
