// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/exec/gpu/apart_sink.h"
#include "engine/exec/gpu/group_texts.h"
#include "engine/exec/gpu/table_room.h"
#include "engine/exec/state/accumulator.h"

namespace shadowvm::exec {

// Groups by hash: a table on the device, whose rows come back. One that runs full is made larger
// for another launch, as far as the device's memory allows.
class HashSink : public ApartSink {
 public:
  struct Options {
    std::span<const Accumulator> accumulators;
    int key_words = 0;
    std::vector<HashKeyColumn> keys;
    TextInterner* interner = nullptr;  // of strings among them
    int64_t most_bytes = 0;            // of the device's memory that a table may take
  };
  HashSink(memory::MemoryBudget* budget, Options options);

  base::Status Expect(int64_t rows, double share) override;
  void Write(LaunchWriter* writer, kernels::LaunchBlock* head) override;
  int64_t shared_bytes() const override { return 0; }
  base::Status Prepare(device::Stream* stream) override;
  base::Status Fetch(device::Stream* stream, device::DeviceAddress error_at) override;
  base::Result<bool> HadRoom() override { return HadRoomFor(counts_); }
  base::Status Take(device::Stream* stream, TextOrigins* texts) override;

  std::vector<int64_t> WordsAt(const SinkPlace& place) const override;
  int64_t PlaceBytes() const override;
  base::Status PrepareAt(device::Stream* stream, const SinkPlace& place) override;
  void PointAt(const SinkPlace& place, kernels::LaunchBlock* head) const override;
  base::Result<bool> TakeAt(device::Stream* stream, const SinkPlace& place,
                            std::span<int64_t> words, TextOrigins* texts) override;

  // Rows of groups, key words and accumulators, that were taken last.
  struct Found {
    std::shared_ptr<memory::Buffer> rows;  // null: there are none
    int64_t count = 0;
    int row_words = 0;

    std::span<const int64_t> words() const {
      if (count == 0) return {};
      return {rows->as<int64_t>(), static_cast<size_t>(count * row_words)};
    }
  };
  Found TakeFound() { return std::move(found_); }
  // Has strings that accumulators of all that was taken point to.
  const std::shared_ptr<TextArena>& arena() const { return arena_; }

 private:
  // The words of a place.
  struct Counts {
    uint64_t groups = 0;
    uint64_t strings = 0;
  };
  int row_words() const { return options_.key_words + RowWords(options_.accumulators); }
  device::DeviceAddress StringsAt(const SinkPlace& place) const {
    return place.space + static_cast<uint64_t>(groups_.bytes());
  }
  base::Result<bool> HadRoomFor(const Counts& counts);
  base::Status TakeRows(device::Stream* stream, const SinkPlace& place, const Counts& counts,
                        TextOrigins* texts);

  memory::MemoryBudget* const budget_;
  const Options options_;
  TableRoom groups_;
  GroupTexts texts_;
  SinkPlace own_;
  Counts counts_;
  Found found_;
  std::shared_ptr<TextArena> arena_;
};

}  // namespace shadowvm::exec
