// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/columns/segment.h"
#include "engine/exec/gpu/gpu.h"
#include "engine/exec/gpu/launch_sink.h"
#include "engine/exec/state/join_table.h"

namespace shadowvm::exec {

// A join's table that a launch makes in the device's memory, where it stays: existence of keys, and
// where rows are grouped by columns of the build side the number of each key's group.
class TableSink : public LaunchSink {
 public:
  struct Options {
    columns::Zone keys;       // that the table has room for; known
    uint32_t num_groups = 0;  // that there can be; 0: nobody groups
    std::vector<uint64_t> strides;
    std::vector<int64_t> origins;  // two a key of the groups
  };
  TableSink(Gpu* gpu, memory::MemoryBudget* budget, Options options);

  base::Status Expect(int64_t rows, double share) override;
  void Write(LaunchWriter* writer, kernels::LaunchBlock* head) override;
  int64_t shared_bytes() const override { return 0; }
  base::Status Prepare(device::Stream* stream) override;
  base::Status Fetch(device::Stream* stream, device::DeviceAddress error_at) override;
  base::Status Take(device::Stream* stream, TextOrigins*) override;

  // After a run: whether no key came twice, which is when the rest counts.
  bool unique() const { return found_.repeated == 0; }
  // The groups with a number, by number - 1.
  std::span<const uint32_t> groups() const { return std::span(groups_).first(found_.num_groups); }
  JoinTable::DeviceMade made() const;

 private:
  int64_t bit_bytes() const;
  int64_t group_bytes() const { return int64_t{options_.num_groups} * 4; }
  device::DeviceAddress At(int64_t offset) const {
    return block_->address() + static_cast<uint64_t>(offset);
  }

  Gpu& gpu_;
  memory::MemoryBudget* const budget_;
  const Options options_;
  const uint64_t size_;
  // Where the parts begin. What is before the last one starts as zeros.
  int64_t bits_at_ = 0, numbers_at_ = 0, codes_at_ = 0, groups_at_ = 0, bytes_ = 0;
  std::shared_ptr<DeviceBlock> block_;
  kernels::TableFound found_{};
  std::vector<uint32_t> groups_;
  std::shared_ptr<memory::Buffer> bits_;
};

}  // namespace shadowvm::exec
