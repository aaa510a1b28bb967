// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/exec/gpu/launch_writer.h"
#include "engine/exec/kernel_binding.h"
#include "engine/exec/state/accumulator.h"
#include "engine/exec/step_order.h"

namespace shadowvm::exec {

// The groups that a kernel adds to: DenseGroups' array of one worker, or the row of one group.
struct DenseSink {
  int64_t* slots = nullptr;
  uint64_t num_slots = 1;
  std::span<const Accumulator> accumulators;
  std::span<const uint64_t> strides;
  std::span<const int64_t> origins;  // two a key

  int64_t num_words() const { return static_cast<int64_t>(num_slots) * RowWords(accumulators); }
};

// What a launch is made from.
struct LaunchInputs {
  const PipelineBinding& binding;
  const MeasuredSteps& steps;
  const DenseSink& sink;
  std::vector<DictionaryPredicate::Bytes> predicates;  // by slot
  bool over_link = false;  // most columns are read in place from the host's memory
};

// The call of a launch but for its segments' columns and the order of its steps: what a WorkerCall
// is told, with all it points to in the writer.
kernels::KernelCall WriteCall(const LaunchInputs& inputs, LaunchWriter* writer);

// How each word of a group's row is merged.
std::vector<kernels::MergeOp> MergeOps(std::span<const Accumulator> accumulators);

}  // namespace shadowvm::exec
