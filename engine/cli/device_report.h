// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

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

}  // namespace shadowvm::cli
