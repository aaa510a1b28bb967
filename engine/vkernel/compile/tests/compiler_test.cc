// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/compiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/vkernel/compile/clang_compiler.h"
#include "engine/vkernel/compile/kernel.h"
#include "engine/vkernel/compile/subprocess_compiler.h"
#include "engine/vkernel/compile/tests/test_kernels.h"

namespace shadowvm::vkernel {
namespace {

using base::CodeOf;
using base::ErrorCode;

// What every compiler must do alike.
class CompilerTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { MakeCompiler(TestHeaders()); }

  void MakeCompiler(const HeaderSet& headers) {
    if (GetParam() == "worker") {
      auto made = ClangCompiler::Create({.headers = headers});
      ASSERT_TRUE(made.ok()) << made.status();
      compiler_ = std::move(*made);
    } else {
      auto made = SubprocessCompiler::Create({.headers = headers});
      ASSERT_TRUE(made.ok()) << made.status();
      compiler_ = std::move(*made);
    }
  }

  base::Result<std::unique_ptr<Kernel>> Build(const std::string& text, OptLevel level) {
    SVM_ASSIGN_OR_RETURN(CompiledObject object,
                         compiler_->Compile({"test", text, level, sanitize()}));
    EXPECT_GT(object.milliseconds, 0);
    return Kernel::Load("test", object.bytes);
  }
  bool sanitize() const { return GetParam() != "worker" && !HostSanitizers().empty(); }

  std::unique_ptr<Compiler> compiler_;
};

TEST_P(CompilerTest, CompilesAndRunsAtBothLevels) {
  for (OptLevel level : {OptLevel::kFast, OptLevel::kFull}) {
    auto kernel = Build(AddingKernel(5), level);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    EXPECT_EQ(Call((*kernel)->entry(), 20), 45);
  }
}

TEST_P(CompilerTest, ManyKernelsLiveSideBySide) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (int i = 0; i < 4; ++i) {
    auto kernel = Build(AddingKernel(i), OptLevel::kFast);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    kernels.push_back(std::move(*kernel));
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(Call(kernels[i]->entry(), 1), 2 + i);
}

TEST_P(CompilerTest, AnErrorCarriesNameAndLog) {
  const auto failed =
      Build("extern \"C\" void svm_kernel(void*) { no_such_verb(); }", OptLevel::kFast);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(CodeOf(failed.status()), ErrorCode::kCompileFailed);
  EXPECT_NE(failed.status().message().find("'test'"), std::string::npos) << failed.status();
  EXPECT_NE(failed.status().message().find("no_such_verb"), std::string::npos) << failed.status();
  EXPECT_TRUE(Build(AddingKernel(1), OptLevel::kFast).ok())
      << "the compiler must be usable after it";
}

TEST_P(CompilerTest, SystemHeadersAreOutOfReach) {
  const auto failed = Build("#include <stdio.h>\n" + AddingKernel(1), OptLevel::kFast);
  EXPECT_EQ(CodeOf(failed.status()), ErrorCode::kCompileFailed) << failed.status();
}

TEST_P(CompilerTest, FurtherEntriesAreFound) {
  auto kernel = Build(AddingKernel(1) + "extern \"C\" void svm_other(void* p) { *(i64*)p = 9; }",
                      OptLevel::kFast);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  auto other = (*kernel)->Find("svm_other");
  ASSERT_TRUE(other.ok()) << other.status();
  long value = 0;
  (*other)(&value);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(CodeOf((*kernel)->Find("svm_third").status()), ErrorCode::kKernelLoad);
}

TEST_P(CompilerTest, ProductsAndSumsRoundTwice) {
  auto kernel = Build(
      "extern \"C\" void svm_kernel(void* p) { double* d = (double*)p; d[3] = d[0] * d[1] + d[2]; "
      "}",
      OptLevel::kFull);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  double values[4] = {1 + 0x1p-30, 1 + 0x1p-30, -1 - 0x1p-29, 7};
  (*kernel)->entry()(values);
  EXPECT_EQ(values[3], 0) << "a fused multiply-add would leave 2^-60";
}

TEST_P(CompilerTest, TheEmbeddedVerbsCompile) {
  MakeCompiler(EmbeddedHeaderSet());
  const auto kernel = Build(
      "#include \"engine/kernels/cpu/verbs.h\"\n"
      "extern \"C\" void svm_kernel(void* p) { *(int*)p = 3; }",
      OptLevel::kFast);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
}

TEST_P(CompilerTest, KernelsAreInstrumentedAsTheProgramIs) {
  auto object = compiler_->Compile(
      {"test", "extern \"C\" void svm_kernel(void* p) { int* i = (int*)p; *i = i[1] + i[2]; }",
       OptLevel::kFast, sanitize()});
  ASSERT_TRUE(object.ok()) << object.status();
  const bool instrumented = object->bytes.find("__asan_") != std::string::npos ||
                            object->bytes.find("__ubsan_") != std::string::npos;
  EXPECT_EQ(instrumented, sanitize());
}

INSTANTIATE_TEST_SUITE_P(Compilers, CompilerTest, testing::Values(SHADOWVM_TEST_COMPILERS),
                         [](const auto& info) { return info.param; });

TEST(KernelTest, NonsenseIsALoadError) {
  const auto kernel = Kernel::Load("broken", "this is no shared object");
  EXPECT_EQ(CodeOf(kernel.status()), ErrorCode::kKernelLoad);
  EXPECT_NE(kernel.status().message().find("'broken'"), std::string::npos) << kernel.status();
}

// Tests run in the source tree, so the headers themselves are there to compare with.
TEST(HeadersTest, EmbeddedHeadersAreTheFiles) {
  const HeaderSet set = EmbeddedHeaderSet();
  EXPECT_EQ(set.hash.size(), 64);
  EXPECT_TRUE(std::ranges::is_sorted(set.headers, {}, &kernels::EmbeddedHeader::path));
  EXPECT_EQ(
      std::ranges::count(set.headers, "engine/kernels/cpu/verbs.h", &kernels::EmbeddedHeader::path),
      1);
  for (const kernels::EmbeddedHeader& header : set.headers) {
    std::ifstream file{std::string(header.path)};
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(header.text, text.str()) << header.path;
  }
}

}  // namespace
}  // namespace shadowvm::vkernel
