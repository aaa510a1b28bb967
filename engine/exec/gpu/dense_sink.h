// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>
#include <vector>

#include "engine/exec/gpu/apart_sink.h"
#include "engine/exec/state/accumulator.h"
#include "engine/exec/state/text_arena.h"

namespace shadowvm::exec {

// The groups that a kernel adds to, in arrays as DenseGroups has them, or the row of one group.
class DenseSink : public ApartSink {
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
  base::Status Take(device::Stream*, TextOrigins* texts) override;

  std::vector<int64_t> WordsAt(const SinkPlace&) const override { return NoGroups(); }
  void PointAt(const SinkPlace& place, kernels::LaunchBlock* head) const override;
  base::Result<bool> TakeAt(device::Stream*, const SinkPlace&, std::span<int64_t> words,
                            TextOrigins* texts) override;

  // The array that a run has filled.
  std::shared_ptr<memory::Buffer> TakeFound() { return std::move(found_); }
  // That of the launch that was taken last, until its place is used again.
  std::span<const int64_t> found_apart() const { return found_apart_; }
  // Strings that accumulators of what was taken point to; null: none do. Asked for once a run.
  std::shared_ptr<TextArena> TakeArena() { return std::move(arena_); }

  std::span<const uint64_t> strides() const { return strides_; }
  std::span<const int64_t> origins() const { return origins_; }
  int64_t num_words() const { return static_cast<int64_t>(num_slots_) * RowWords(accumulators_); }

 private:
  // What launches begin with: no group has a row.
  std::vector<int64_t> NoGroups() const;
  base::Status KeepTextsOf(int64_t* groups, TextOrigins* texts);
  // From the groups to the error, which a kernel leaves behind them.
  int64_t BytesBeforeError() const { return LaunchWriter::DataBytes(num_words() * 8); }

  memory::MemoryBudget* budget_;
  uint64_t num_slots_;
  std::span<const Accumulator> accumulators_;
  std::span<const uint64_t> strides_;
  std::span<const int64_t> origins_;       // two a key
  std::shared_ptr<memory::Buffer> found_;  // groups, and behind them the error
  std::span<const int64_t> found_apart_;
  std::shared_ptr<TextArena> arena_;
};

// How each word of a group's row is merged.
std::vector<kernels::MergeOp> MergeOps(std::span<const Accumulator> accumulators);

}  // namespace shadowvm::exec
