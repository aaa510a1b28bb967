// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <span>

#include "engine/exec/gpu/launch_sink.h"
#include "engine/exec/state/accumulator.h"

namespace shadowvm::exec {

// Groups by hash: one table on the device, whose rows come back. A table that runs full is made
// larger for another launch, as far as the device's memory allows.
class HashSink : public LaunchSink {
 public:
  // 'most_bytes' of the device's memory may be used.
  HashSink(memory::MemoryBudget* budget, std::span<const Accumulator> accumulators, int key_words,
           int64_t most_bytes)
      : budget_(budget),
        accumulators_(accumulators),
        key_words_(key_words),
        most_bytes_(most_bytes) {}

  base::Status Expect(int64_t rows, double share) override;
  void Write(LaunchWriter* writer, kernels::LaunchBlock* head) override;
  int64_t shared_bytes() const override { return 0; }
  base::Status Prepare(device::Stream* stream) override;
  base::Status Fetch(device::Stream* stream, device::DeviceAddress error_at) override;
  base::Result<bool> HadRoom() override;
  base::Status Take(device::Stream* stream, TextOrigins*) override;

  // The groups' rows, key words and accumulators; null: there are none.
  const std::shared_ptr<memory::Buffer>& rows() const { return rows_; }
  int64_t num_rows() const { return static_cast<int64_t>(count_); }

 private:
  int row_words() const { return key_words_ + RowWords(accumulators_); }
  uint64_t num_slots() const;

  memory::MemoryBudget* const budget_;
  const std::span<const Accumulator> accumulators_;
  const int key_words_;
  const int64_t most_bytes_;
  int64_t capacity_ = 0;
  device::DeviceAddress slots_ = 0, rows_at_ = 0, count_at_ = 0;
  kernels::u64 count_ = 0;
  std::shared_ptr<memory::Buffer> rows_;
};

}  // namespace shadowvm::exec
