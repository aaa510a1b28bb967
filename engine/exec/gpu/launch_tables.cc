// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_tables.h"

#include <algorithm>

namespace shadowvm::exec {
namespace {

using base::Result;
using BufferPtr = DeviceCopies::BufferPtr;

// A smaller buffer is written with the launch for less than what a copy of its own costs, once or
// over and over.
constexpr int64_t kLeastBytes = int64_t{64} << 10;
constexpr int64_t kLeastKeptBytes = int64_t{2} << 10;
// Copies of as many bytes give way for tables, if they are worth less: smaller ones are seldom
// there.
constexpr int64_t kLeastReplaced = int64_t{1} << 20;

class TablePlacement {
 public:
  explicit TablePlacement(size_t most) {
    wanted_.reserve(most);
    reads_.reserve(most);
  }

  void Add(const BufferPtr& buffer, bool kept) {
    if (buffer == nullptr || buffer->size() < (kept ? kLeastKeptBytes : kLeastBytes)) return;
    wanted_.push_back({buffer, kTableReadAhead, /*needed=*/false, kept});
    reads_.push_back({buffer, buffer->size()});
    bytes_ += wanted_.back().bytes();
  }

  Result<LaunchTables> Run(DeviceCopies* copies, device::Stream* stream) {
    LaunchTables tables;
    if (wanted_.empty()) return tables;
    tables.copies = copies->Use(reads_);
    const auto is_absent = [](const auto& copy) { return copy == nullptr; };
    if (std::any_of(tables.copies.begin(), tables.copies.end(), is_absent)) {
      SVM_ASSIGN_OR_RETURN(DeviceCopies::Brought brought,
                           copies->Bring(wanted_, std::max(bytes_, kLeastReplaced), stream));
      tables.copies = std::move(brought.copies);
      tables.link_bytes = brought.bytes;
    }
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (tables.copies[i] == nullptr) continue;
      tables.placed.emplace_back(wanted_[i].buffer->data(), tables.copies[i]->address());
    }
    return tables;
  }

 private:
  std::vector<DeviceCopies::Wanted> wanted_;
  std::vector<DeviceCopies::Read> reads_;
  int64_t bytes_ = 0;
};

}  // namespace

Result<LaunchTables> PlaceTables(Gpu* gpu, const PipelineBinding& binding, device::Stream* stream) {
  TablePlacement placement(6 * binding.joins().size() + 2 * binding.blueprint().payloads.size());
  for (const PreparedJoin& join : binding.joins()) {
    if (join.table->on_device()) continue;
    for (const BufferPtr& buffer : join.table->buffers()) {
      placement.Add(buffer, join.can_keep_table());
    }
  }
  for (const vkernel::PayloadColumn& payload : binding.blueprint().payloads) {
    if (!payload.used) continue;
    const PipelineOutput& build = *binding.joins()[payload.join].build;
    const RowData& rows = build.rows->columns[static_cast<size_t>(payload.column)];
    placement.Add(rows.data, build.kept != nullptr);
    placement.Add(rows.valid, build.kept != nullptr);
  }
  return placement.Run(&gpu->copies(), stream);
}

}  // namespace shadowvm::exec
