// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>
#include <vector>

#include "engine/exec/gpu/launch_sink.h"
#include "engine/exec/state/accumulator.h"

namespace shadowvm::exec {

// The groups that a kernel adds to: DenseGroups' array of one worker, or the row of one group. They
// are as they were until a run has gone well.
class DenseSink : public LaunchSink {
 public:
  DenseSink(int64_t* group_slots, uint64_t count, std::span<const Accumulator> of_groups,
            std::span<const uint64_t> key_strides, std::span<const int64_t> key_origins)
      : slots(group_slots),
        num_slots(count),
        accumulators(of_groups),
        strides(key_strides),
        origins(key_origins) {}

  base::Status Expect(int64_t, double) override { return base::Status::OK(); }
  void Write(LaunchWriter* writer, kernels::LaunchBlock* head) override;
  int64_t shared_bytes() const override { return num_words() * 8; }
  base::Status Fetch(device::Stream* stream, device::DeviceAddress error_at) override;
  kernels::u32 error() const override { return static_cast<kernels::u32>(found_.back()); }
  base::Status Take(device::Stream* stream) override;

  // What launches begin with when no group has a row.
  std::vector<int64_t> NoGroups() const;
  int64_t num_words() const { return static_cast<int64_t>(num_slots) * RowWords(accumulators); }

  int64_t* slots;
  uint64_t num_slots;
  std::span<const Accumulator> accumulators;
  std::span<const uint64_t> strides;
  std::span<const int64_t> origins;  // two a key

 private:
  device::DeviceAddress address_ = 0;
  std::vector<int64_t> found_;  // groups, and behind them the error
};

// How each word of a group's row is merged.
std::vector<kernels::MergeOp> MergeOps(std::span<const Accumulator> accumulators);

}  // namespace shadowvm::exec
