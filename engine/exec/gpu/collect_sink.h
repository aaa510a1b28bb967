// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <vector>

#include "engine/exec/gpu/apart_sink.h"
#include "engine/exec/state/row_set.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

// Rows that leave a pipeline, packed by the kernel in no order, or put back into the source's. A
// launch whose rows do not fit has counted them, so a second one always has the room.
class CollectSink : public ApartSink {
 public:
  struct Options {
    bool in_order = true;
    int64_t most_rows = INT64_MAX;    // that may be thought to leave
    int64_t launch_rows = INT64_MAX;  // of the source that a launch has at most
  };
  CollectSink(memory::MemoryBudget* budget, std::vector<RowColumn> columns, Options options)
      : budget_(budget), columns_(std::move(columns)), options_(options) {}

  base::Status Expect(int64_t rows, double share) override;
  void Write(LaunchWriter* writer, kernels::LaunchBlock* head) override;
  int64_t shared_bytes() const override { return 0; }
  base::Status Fetch(device::Stream* stream, device::DeviceAddress error_at) override;
  base::Result<bool> HadRoom() override;
  base::Status Take(device::Stream* stream, TextOrigins* texts) override;

  std::vector<int64_t> WordsAt(const SinkPlace& place) const override;
  int64_t PlaceBytes() const override { return Lay(0).bytes; }
  void PointAt(const SinkPlace& place, kernels::LaunchBlock* head) const override;
  base::Result<bool> TakeAt(device::Stream* stream, const SinkPlace& place,
                            std::span<int64_t> words, TextOrigins* texts) override;

  // What the launch that was taken last has left, or no rows. Once.
  struct Found {
    RowSet rows;
    std::shared_ptr<memory::Buffer> ids;  // 8 bytes a row, when their order counts
  };
  base::Result<Found> TakeFound();

 private:
  // Where columns lie in space, and what they take.
  struct Layout {
    std::vector<device::DeviceAddress> data, valid;  // by column
    device::DeviceAddress ids = 0;
    int64_t bytes = 0;
  };
  Layout Lay(device::DeviceAddress space) const;
  base::Result<bool> HadRoomFor(int64_t count);
  base::Status TakeRowsAt(device::Stream* stream, device::DeviceAddress space, int64_t count,
                          TextOrigins* texts);
  // Copies strings: the segments that they came from may go before the rows do.
  base::Status KeepTexts(TextOrigins* texts);

  memory::MemoryBudget* const budget_;
  const std::vector<RowColumn> columns_;
  const Options options_;
  int64_t capacity_ = 0;
  SinkPlace own_;  // words are the OutputView
  kernels::OutputView found_{};
  Found taken_;
  bool has_taken_ = false;
};

// Puts rows into the source's order; matches of one row keep theirs.
base::Result<RowSet> InSourceOrder(CollectSink::Found found, memory::MemoryBudget* budget,
                                   const schedule::Workers& workers);

}  // namespace shadowvm::exec
