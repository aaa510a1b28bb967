// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <functional>
#include <string_view>

#include "engine/base/status.h"

namespace shadowvm::device {

// One step of a run, such as a partition. 'worker' is below num_workers() and no two steps of one
// run have the same one at the same time, so it can index per-worker state. True: there may be
// more.
using Step = std::function<base::Result<bool>(int worker)>;

// Something that works on partitions: CPU cores, a GPU, an emulated one.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string_view name() const = 0;
  virtual int num_workers() const = 0;

  // Calls 'step' again and again from at most 'max_workers' workers until it has said "no more" to
  // one of them, or failed, and every step has returned. The first error is returned; after it no
  // further step starts. An exception out of a step is an error like any other. Thread-safe: runs
  // called at the same time share the workers, step by step. A step may itself call Run.
  virtual base::Status Run(const Step& step, int max_workers) = 0;
};

}  // namespace shadowvm::device
