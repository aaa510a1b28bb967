// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/base/span.h"
#include "engine/memory/budget.h"
#include "engine/plan/plan.h"
#include "engine/schedule/parallel.h"
#include "engine/vkernel/compile/kernel_cache.h"

namespace shadowvm::exec {

// What one query did, beside its answer.
struct QueryStats {
  base::Spans spans;
  std::atomic<int64_t> bytes_read{0};  // of segments that kernels saw
  std::atomic<int64_t> segments_run{0};
  std::atomic<int64_t> segments_skipped{0};  // by zones
  int64_t rows = 0;                          // of the answer
  std::vector<vkernel::KernelText> kernels;  // that it ran, in the order of its pipelines
};

// What every part of a running query needs. Owned by the engine and by the query; outlives the
// query's pipelines.
struct QueryContext {
  memory::MemoryBudget* budget = nullptr;
  schedule::Workers workers;
  vkernel::KernelCache* kernels = nullptr;
  QueryStats* stats = nullptr;
  plan::Settings settings;
};

}  // namespace shadowvm::exec
