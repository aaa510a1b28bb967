// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "engine/exec/tests/goldens.h"
#include "engine/vkernel/compile/nvrtc_compiler.h"

// Cards that are not here: NVRTC makes code for them of every golden kernel for a GPU. That the
// goldens are what is rendered, and right on the emulated device, gpu_test.cc sees to.
namespace shadowvm::exec {
namespace {

// Splits a golden: a kernel begins with its one include, and the comments above it.
std::vector<std::string> KernelsIn(const std::string& golden) {
  std::istringstream lines(golden);
  std::vector<std::string> kernels;
  std::string comments;
  for (std::string line; std::getline(lines, line);) {
    line += '\n';
    if (line.starts_with("// ")) {
      comments += line;
      continue;
    }
    if (line.starts_with("#include ")) kernels.emplace_back();
    if (!kernels.empty()) kernels.back() += comments + line;
    comments.clear();
  }
  return kernels;
}

struct GoldenKernel {
  std::string name;  // of its golden, and which of its kernels it is
  std::string text;
};

// Each text once: queries share those of build sides.
std::vector<GoldenKernel> GoldenKernels() {
  std::map<std::string, std::string> names;
  const std::string folder = std::string(SHADOWVM_GOLDENS) + "/cuda";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::vector<std::string> kernels = KernelsIn(ReadGolden(file.path()));
    EXPECT_FALSE(kernels.empty()) << file.path() << " holds no kernel";
    for (size_t i = 0; i < kernels.size(); ++i) {
      const std::string name = file.path().stem().string() + ", kernel " + std::to_string(i + 1);
      std::string& shared = names[kernels[i]];
      shared += (shared.empty() ? "" : "; ") + name;
    }
  }
  std::vector<GoldenKernel> kernels;
  for (const auto& [text, name] : names) kernels.push_back({name, text});
  return kernels;
}

// Two at a time, by processes that this one waits for; to quick code and to full code.
void ExpectCompiles(vkernel::Compiler* compiler, const std::vector<GoldenKernel>& kernels) {
  std::atomic<size_t> next = 0;
  const auto compile = [&] {
    for (size_t i = next++; i < kernels.size(); i = next++) {
      for (const auto level : {vkernel::OptLevel::kFast, vkernel::OptLevel::kFull}) {
        const auto object = compiler->Compile({kernels[i].name, kernels[i].text, level});
        EXPECT_TRUE(object.ok()) << object.status() << "\n" << kernels[i].text;
      }
    }
  };
  std::thread other(compile);
  compile();
  other.join();
}

class NvrtcGolden : public testing::TestWithParam<const char*> {};

TEST_P(NvrtcGolden, TakesEveryKernel) {
  const std::vector<GoldenKernel> kernels = GoldenKernels();
  EXPECT_GE(kernels.size(), 40u);
  vkernel::NvrtcOptions options;
  options.architecture = GetParam();
  options.library = SHADOWVM_TEST_NVRTC;
  options.prelude = "engine/kernels/cuda/verbs.h";
  options.timeout = std::chrono::minutes(5);  // a busy machine is no error
  const auto compiler = vkernel::NvrtcCompiler::Create(options);
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  ExpectCompiles(compiler->get(), kernels);
}

INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcGolden, testing::Values("sm_80", "sm_90"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace shadowvm::exec
