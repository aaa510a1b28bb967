// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <vector>

#include "engine/exec/gpu/launch_sink.h"
#include "engine/exec/state/row_set.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

// Rows that leave a pipeline, packed by the kernel in no order, or put back into the source's. A
// launch whose rows do not fit has counted them, so a second one always has the room.
class CollectSink : public LaunchSink {
 public:
  struct Options {
    bool in_order = true;
    int64_t most_rows = INT64_MAX;  // that may be thought to leave
  };
  CollectSink(memory::MemoryBudget* budget, std::vector<RowColumn> columns, Options options)
      : budget_(budget), columns_(std::move(columns)), options_(options) {}

  base::Status Expect(int64_t rows, double share) override;
  void Write(LaunchWriter* writer, kernels::LaunchBlock* head) override;
  int64_t shared_bytes() const override { return 0; }
  base::Status Fetch(device::Stream* stream, device::DeviceAddress error_at) override;
  base::Result<bool> HadRoom() override;
  base::Status Take(device::Stream* stream, TextOrigins* texts) override;

  // What the launch has left, or no rows. Once.
  base::Result<RowSet> TakeRows(const schedule::Workers& workers);

 private:
  // Copies strings: the segments that they came from may go before the rows do.
  base::Status KeepTexts(TextOrigins* texts);

  memory::MemoryBudget* const budget_;
  const std::vector<RowColumn> columns_;
  const Options options_;
  int64_t capacity_ = 0;
  device::DeviceAddress view_ = 0;                   // of the OutputView
  std::vector<device::DeviceAddress> data_, valid_;  // by column
  device::DeviceAddress ids_at_ = 0;
  kernels::OutputView found_{};
  RowSet rows_;
  std::shared_ptr<memory::Buffer> ids_;  // 8 bytes a row, when their order counts
  bool taken_ = false;
};

}  // namespace shadowvm::exec
