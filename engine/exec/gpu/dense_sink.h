// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>
#include <vector>

#include "engine/exec/gpu/launch_sink.h"
#include "engine/exec/state/accumulator.h"

namespace shadowvm::exec {

// The groups that a kernel adds to, in arrays as DenseGroups has them, or the row of one group.
class DenseSink : public LaunchSink {
 public:
  DenseSink(memory::MemoryBudget* budget, uint64_t count, std::span<const Accumulator> of_groups,
            std::span<const uint64_t> key_strides, std::span<const int64_t> key_origins)
      : budget_(budget),
        num_slots_(count),
        accumulators_(of_groups),
        strides_(key_strides),
        origins_(key_origins) {}

  base::Status Expect(int64_t, double) override { return base::Status::OK(); }
  void Write(LaunchWriter* writer, kernels::LaunchBlock* head) override;
  bool writes_alike() const override { return true; }
  int64_t shared_bytes() const override;
  base::Status Fetch(device::Stream* stream, device::DeviceAddress error_at) override;
  kernels::u32 error() const override;
  base::Status Take(device::Stream*, TextOrigins*) override { return base::Status::OK(); }

  // Launches have groups of their own, and none in common.
  void SetApart() { apart_ = true; }
  // What launches begin with: no group has a row.
  std::vector<int64_t> NoGroups() const;
  // The array that a run has filled.
  std::shared_ptr<memory::Buffer> TakeFound() { return std::move(found_); }

  std::span<const uint64_t> strides() const { return strides_; }
  std::span<const int64_t> origins() const { return origins_; }
  int64_t num_words() const { return static_cast<int64_t>(num_slots_) * RowWords(accumulators_); }

 private:
  // From the groups to the error, which a kernel leaves behind them.
  int64_t BytesBeforeError() const { return LaunchWriter::DataBytes(num_words() * 8); }

  memory::MemoryBudget* budget_;
  uint64_t num_slots_;
  std::span<const Accumulator> accumulators_;
  std::span<const uint64_t> strides_;
  std::span<const int64_t> origins_;  // two a key
  bool apart_ = false;
  std::shared_ptr<memory::Buffer> found_;  // groups, and behind them the error
};

// How each word of a group's row is merged.
std::vector<kernels::MergeOp> MergeOps(std::span<const Accumulator> accumulators);

}  // namespace shadowvm::exec
