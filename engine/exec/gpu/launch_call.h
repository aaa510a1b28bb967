// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <vector>

#include "engine/exec/gpu/launch_sink.h"
#include "engine/exec/gpu/launch_texts.h"
#include "engine/exec/gpu/launch_writer.h"
#include "engine/exec/kernel_binding.h"
#include "engine/exec/step_order.h"

namespace shadowvm::exec {

// The rows that launches go over.
struct LaunchExtent {
  int64_t count = 0;        // of all launches, at most
  int64_t beside = 0;       // of other parts of the same launch
  bool over_link = false;   // most columns are read in place from the host's memory
  bool in_batches = false;  // a launch has a small part of them

  bool operator==(const LaunchExtent&) const = default;
};

// What a launch is made from.
struct LaunchInputs {
  const PipelineBinding& binding;
  const MeasuredSteps& steps;
  LaunchSink& sink;
  LaunchExtent rows;
  std::vector<DictionaryPredicate::Bytes> predicates;      // by slot
  std::vector<PipelineBinding::Translation> translations;  // by slot
  const LaunchTexts& texts;
  TextOrigins* origins = nullptr;  // are told of texts, if rows leave with them
};

// The call of a launch but for its segments' columns, its sink and the order of its steps: what a
// WorkerCall is told, with all it points to in the writer.
kernels::KernelCall WriteCall(const LaunchInputs& inputs, LaunchWriter* writer);

}  // namespace shadowvm::exec
