// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/exec/gpu/gpu.h"
#include "engine/schedule/mode.h"
#include "engine/schedule/policy.h"

namespace CLI {
class App;
}  // namespace CLI

namespace shadowvm::cli {

// Where the tables are when the clock starts: in the GPU's memory as far as they fit, kept as
// segments in the host's memory, or only in their files.
enum class Residency { kDevice, kHost, kFile };

// How a GPU comes by segments that are not in its memory: it reads them in place, or they are
// copied chunk by chunk.
enum class Prefetch { kPassive, kActive };

using schedule::Mode;

// Who works on rows, where tables are, and how a GPU comes by them.
struct ProcessorSettings {
  Mode mode = Mode::kCpu;
  Residency residency = Residency::kHost;
  Prefetch prefetch = Prefetch::kPassive;  // mode gpu, where tables are not in its memory
  int active_streams = 2;                  // of active prefetch
  int64_t gpu_memory_bytes = 0;            // of the GPU, to be used; 0: the engine's default
  int gpu_tasks = 0;  // queries that work on the GPU at a time; 0: the engine's default
  std::chrono::milliseconds gpu_limit = exec::GpuOptions().launch_limit;  // of a kernel
  schedule::PolicyChoice policy;                                          // modes mixed and auto
  bool emulate_gpu = false;  // mode gpu, mixed, auto: with the emulated one
};

// --mode, --residency, --prefetch, --gpu-memory, --gpu-tasks, --gpu-limit, --emulate-gpu and
// --policy.
void AddProcessorOptions(CLI::App* command, ProcessorSettings* settings);

// --trace: the file that gets who took which partition when.
void AddTraceOption(CLI::App* command, std::string* file);
// Throws CLI::ValidationError for options that do not go together, or mean nothing beside others:
// seen when all of the command are known.
void CheckProcessorOptions(const CLI::App& command, const ProcessorSettings& settings);
// Whether an option was given. False for one that the command does not have.
bool IsGiven(const CLI::App& command, const std::string& option);

// Of an engine that works so, and warns on standard error. In mode auto it does without a GPU.
exec::GpuOptions GpuOptionsOf(const ProcessorSettings& settings);

// For reports: the settings that mean something in their mode, and whether bytes over the link are
// counted or estimated.
nlohmann::ordered_json ToJson(const ProcessorSettings& settings);
const char* LinkBytesAre(const ProcessorSettings& settings);

}  // namespace shadowvm::cli
