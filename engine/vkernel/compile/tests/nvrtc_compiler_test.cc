// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/nvrtc_compiler.h"

#include <gtest/gtest.h>

#include "engine/base/fault.h"
#include "engine/device/emulated/emulated_device.h"
#include "engine/vkernel/compile/program_cache.h"
#include "engine/vkernel/compile/subprocess_compiler.h"
#include "engine/vkernel/compile/tests/test_kernels.h"

namespace shadowvm::vkernel {
namespace {

using base::CodeOf;
using base::ErrorCode;

// A kernel for a GPU that uses a header of the set.
constexpr char kTwice[] =
    "#include \"engine/kernels/cpu/verbs.h\"\n"
    "extern \"C\" __global__ void svm_kernel(Pair* pair) { pair->out = Twice(pair->in); }\n";

NvrtcOptions OptionsFor(const std::string& architecture) {
  return {TestHeaders(), architecture, SHADOWVM_TEST_NVRTC};
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

// Programs of the emulated GPU: what the cache does is the same for every accelerator.
class ProgramCacheTest : public testing::Test {
 protected:
  ProgramCache Make() {
    auto compiler = SubprocessCompiler::Create({.headers = TestHeaders()}).ValueOrDie();
    return {{.directory = folder_.path(), .headers = TestHeaders()},
            device_.get(),
            std::move(compiler)};
  }

  TestFolder folder_;
  std::unique_ptr<device::Accelerator> device_ = device::MakeEmulatedDevice().ValueOrDie();
};

TEST_F(ProgramCacheTest, ATextIsCompiledOnceInMemoryAndOnDisk) {
  {
    ProgramCache cache = Make();
    const auto first = cache.Get("add", AddingKernel(1)).ValueOrDie();
    const auto again = cache.Get("add", AddingKernel(1)).ValueOrDie();
    EXPECT_EQ(first, again);
    EXPECT_EQ(cache.stats().compiles_full, 1);
  }
  ProgramCache cache = Make();
  ASSERT_TRUE(cache.Get("add", AddingKernel(1)).ok());
  EXPECT_EQ(cache.stats().compiles_full, 0);
  EXPECT_EQ(cache.stats().disk_hits, 1);
}

TEST_F(ProgramCacheTest, AFailureIsTriedAgain) {
  ProgramCache cache = Make();
  EXPECT_EQ(CodeOf(cache.Get("bad", "not C++").status()), ErrorCode::kCompileFailed);
  EXPECT_EQ(CodeOf(cache.Get("bad", "not C++").status()), ErrorCode::kCompileFailed);
  EXPECT_EQ(cache.stats().compiles_full, 2);
}

}  // namespace
}  // namespace shadowvm::vkernel
