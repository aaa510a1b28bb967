// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/schedule/policy.h"
#include "engine/vkernel/compile/object_source.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shadowvm::cli {

// --threads and --memory of a command that runs an engine. Both variables get their defaults here.
void AddEngineOptions(CLI::App* command, int* threads, int64_t* memory_bytes);

// An option whose value is a number of bytes, such as 3G.
CLI::Option* AddSizeOption(CLI::App* command, const std::string& name, int64_t* bytes,
                           const std::string& explanation);

// --gpu-limit of a command that runs an engine with a GPU, in seconds. The variable has its
// default.
inline constexpr char kGpuLimitOption[] = "--gpu-limit";
void AddGpuLimitOption(CLI::App* command, std::chrono::milliseconds* limit);

// --policy of a command with a mode mixed.
CLI::Option* AddPolicyOption(CLI::App* command, schedule::PolicyChoice* policy);

// Says on standard error, in one line, what an engine's GPU has to warn of.
void WarnOfGpu(const std::string& text);

// Says on standard error, in one line, why an engine could not keep its kernels on disk. Nothing
// where it could. Call it once, when the engine has done its work.
void WarnOfKernelsNotKept(const vkernel::KernelCacheStats& stats);

}  // namespace shadowvm::cli
