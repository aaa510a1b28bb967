// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_tables.h"

namespace shadowvm::exec {
namespace {

using base::Result;
using base::Status;
using BufferPtr = DeviceCopies::BufferPtr;

// A smaller buffer is written with the launch for less than what a copy of its own costs.
constexpr int64_t kLeastBytes = int64_t{64} << 10;
// Kernels bring bitmaps into shared memory by so many bytes at a time.
constexpr int64_t kReadAhead = 16;

struct TableBuffer {
  BufferPtr buffer;
  bool kept = false;  // later queries have the same one
};

class TablePlacement {
 public:
  TablePlacement(Gpu* gpu, device::Stream* stream) : gpu_(*gpu), stream_(*stream) {}

  void Add(const BufferPtr& buffer, bool kept) {
    if (buffer == nullptr || buffer->size() < kLeastBytes) return;
    buffers_.push_back({buffer, kept});
  }

  Result<LaunchTables> Run() {
    if (buffers_.empty()) return LaunchTables{};
    std::vector<DeviceCopies::Read> reads;
    for (const TableBuffer& table : buffers_) reads.push_back({table.buffer, table.buffer->size()});
    const auto copies = gpu_.copies().Use(reads);
    std::vector<TableBuffer> missing;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (copies[i] != nullptr) {
        Found(buffers_[i].buffer, copies[i]);
      } else {
        missing.push_back(buffers_[i]);
      }
    }
    if (!missing.empty()) SVM_RETURN_NOT_OK(Copy(missing));
    return std::move(tables_);
  }

 private:
  void Found(const BufferPtr& buffer, const DeviceCopies::CopyPtr& copy) {
    tables_.placed[buffer->data()] = copy->address();
    tables_.copies.push_back(copy);
  }

  Status Copy(const std::vector<TableBuffer>& missing) {
    DeviceCopies& copies = gpu_.copies();
    std::lock_guard lock(copies.making());
    std::vector<DeviceCopies::Wanted> wanted;
    std::vector<bool> kept;
    int64_t bytes = 0;
    for (const TableBuffer& table : missing) {
      const auto copy = copies.Find(table.buffer);  // made by another meanwhile
      if (copy != nullptr) {
        Found(table.buffer, copy);
        continue;
      }
      wanted.push_back({table.buffer, kReadAhead, false});
      kept.push_back(table.kept);
      bytes += wanted.back().bytes();
    }
    const auto made = copies.MakeRoom(wanted, bytes);
    bool any_kept = false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (made[i] == nullptr) continue;
      const memory::Buffer& buffer = *wanted[i].buffer;
      Found(wanted[i].buffer, made[i]);
      SVM_RETURN_NOT_OK(stream_.CopyIn(made[i]->address(), buffer.data(), buffer.size()));
      tables_.link_bytes += buffer.size();
      any_kept = any_kept || kept[i];
    }
    if (!any_kept) return Status::OK();
    // Others launch on streams that know nothing of this one.
    SVM_RETURN_NOT_OK(stream_.Synchronize());
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (made[i] != nullptr && kept[i]) copies.Publish(wanted[i].buffer, made[i]);
    }
    return Status::OK();
  }

  Gpu& gpu_;
  device::Stream& stream_;
  std::vector<TableBuffer> buffers_;
  LaunchTables tables_;
};

}  // namespace

Result<LaunchTables> PlaceTables(Gpu* gpu, const PipelineBinding& binding, device::Stream* stream) {
  TablePlacement placement(gpu, stream);
  for (const PreparedJoin& join : binding.joins()) {
    for (const BufferPtr& buffer : join.table->buffers()) {
      placement.Add(buffer, join.CanKeepTable());
    }
  }
  for (const vkernel::PayloadColumn& payload : binding.blueprint().payloads) {
    if (!payload.used) continue;
    const PipelineOutput& build = *binding.joins()[payload.join].build;
    const RowData& rows = build.rows->columns[static_cast<size_t>(payload.column)];
    placement.Add(rows.data, build.kept != nullptr);
    placement.Add(rows.valid, build.kept != nullptr);
  }
  return placement.Run();
}

}  // namespace shadowvm::exec
