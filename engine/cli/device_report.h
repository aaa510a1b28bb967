// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/exec/gpu/gpu_keeper.h"
#include "engine/exec/query_context.h"

namespace shadowvm::cli {

// Where one pipeline of a query ran.
struct PlacedPipeline {
  std::string title;
  schedule::Mode mode = schedule::Mode::kCpu;
  std::string reason;
  double predicted_ms = 0;
  double real_ms = 0;
  int64_t cpu_rows = 0;
  int64_t gpu_rows = 0;
  int64_t partitions = 0;  // mode mixed
  int64_t partitions_again = 0;
};

// Those with kernels, where there is a GPU.
std::vector<PlacedPipeline> PipelinesOf(const exec::QueryStats& stats);
nlohmann::ordered_json ToJson(const PlacedPipeline& pipeline);
// One line: where it ran, the predicted and the real time, and why there.
std::string ToText(const PlacedPipeline& pipeline);

// Of all pipelines that were meant for the GPU.
exec::GpuTimes GpuTimesOf(const exec::QueryStats& stats);

// Why the GPU did not run the last pipeline of a query that has just run in a mode: it could not,
// or there was none. Empty: it did, or was not meant to.
std::string WhyNotGpu(const exec::QueryStats& stats, schedule::Mode mode, exec::GpuKeeper* keeper);
// The same of a query of which nothing is known but that it has just run.
std::string WhyNoGpu(schedule::Mode mode, exec::GpuKeeper* keeper);

// How many runs of a query were without the GPU that they were to have, and why.
struct GpuMisses {
  int runs = 0;
  int missed = 0;
  std::string why;  // of the last that missed it

  // Of one run: WhyNotGpu.
  void Add(const std::string& why_not);
  void Add(const GpuMisses& others);
  // "in 2 of 5 runs: …", without a compiler's log.
  std::string ToText() const;
};
// "gpu_why_not" and "runs_not_on_gpu", if there are such.
void AddMisses(const GpuMisses& misses, nlohmann::ordered_json* json);

}  // namespace shadowvm::cli
