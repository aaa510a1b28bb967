// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

namespace shadowvm::cli {

// One line of `shadowvm doctor`: a thing, whether it is there, and what that means in words.
struct Finding {
  enum class State { kGood, kLimited, kMissing };
  std::string name;
  State state = State::kGood;
  std::string text;
};

// Each looks at one thing of this machine and touches nothing.
Finding FindCores();
Finding FindSimd();
Finding FindMemory();
Finding FindHugePages();
Finding FindKernelCache();
Finding FindCompileWorker();
Finding FindCompilerProgram();
Finding FindGpu();
Finding FindGpuCompiler();

std::vector<Finding> Examine();

}  // namespace shadowvm::cli
