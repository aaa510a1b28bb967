// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_segments.h"

#include <algorithm>
#include <chrono>

#include "engine/base/elapsed.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {
namespace {

using base::Result;
using base::Status;
using device::DeviceAddress;
using BufferPtr = DeviceCopies::BufferPtr;

// A kernel reads whole groups of rows where one of them is alive; every buffer has as much behind
// it.
constexpr int64_t kReadAhead = memory::Buffer::kPadding;
static_assert(kernels::kGroupRows * 8 <= kReadAhead);
// Copies that others must give way for are no more than this share of what a launch reads in place:
// what they cost now must stay small beside what they may save.
constexpr int64_t kReplacedShare = 16;

// What a buffer takes of the device's memory, with what is read behind it.
int64_t RoomFor(const memory::Buffer& buffer) {
  return memory::RangeAllocator::SizeOf(buffer.size() + kReadAhead);
}

// Calls visit(buffer, column) for every buffer of a segment that kernels read, in a fixed order.
template <class Visit>
void ForEachBuffer(const columns::Segment& segment, const Visit& visit) {
  for (size_t i = 0; i < segment.columns.size(); ++i) {
    const columns::ColumnSegment& column = *segment.columns[i];
    for (const BufferPtr* buffer : {&column.data, &column.validity, &column.offsets}) {
      if (*buffer != nullptr) visit(*buffer, i);
    }
  }
}

// Where a kernel finds a buffer, and single rows of it.
struct BufferAddress {
  DeviceAddress data = 0;
  DeviceAddress rows = 0;
};

// Lists the segments' columns and rows; addresses are those of ForEachBuffer's buffers, in order.
Result<LaunchSegments> ListSegments(std::span<const LaunchRows> rows, size_t num_columns,
                                    const std::vector<BufferAddress>& addresses) {
  LaunchSegments launch;
  launch.columns.resize(num_columns);
  size_t next = 0;
  for (const LaunchRows& part : rows) {
    std::vector<kernels::SegmentRows> live;
    const auto add = [&](int64_t begin, int64_t end) {
      begin = std::max(begin, part.row_begin);
      end = std::min(end, part.row_end);
      if (begin >= end) return;
      live.push_back({static_cast<kernels::u32>(begin), static_cast<kernels::u32>(end)});
    };
    if (part.segment->live.empty()) add(0, part.segment->num_rows);
    for (const auto& [begin, end] : part.segment->live) add(begin, end);
    for (size_t i = 0; i < num_columns; ++i) {
      const columns::ColumnSegment& column = *part.segment->columns[i];
      kernels::SegmentColumn view{};
      const auto address_of = [&](const BufferPtr& buffer) {
        return reinterpret_cast<const void*>(buffer != nullptr ? addresses[next++].data : 0);
      };
      view.rows = reinterpret_cast<const void*>(column.data != nullptr ? addresses[next].rows : 0);
      view.data = address_of(column.data);
      if (column.offsets != nullptr) {
        launch.texts.emplace_back(column.data.get(), reinterpret_cast<DeviceAddress>(view.data));
      }
      view.base = column.base;
      view.validity = static_cast<const kernels::u64*>(address_of(column.validity));
      view.offsets = static_cast<const kernels::u32*>(address_of(column.offsets));
      launch.columns[i].insert(launch.columns[i].end(), live.size(), view);
    }
    launch.rows.insert(launch.rows.end(), live.begin(), live.end());
  }
  if (launch.rows.size() > kernels::kMostLaunchSegments) {
    return base::MakeError(base::ErrorCode::kOutOfMemory, "more segments than one launch takes");
  }
  return launch;
}

// Where one launch finds its buffers.
class Placement {
 public:
  Placement(Gpu* gpu, device::Stream* stream) : gpu_(*gpu), stream_(*stream) {}

  // 'again': by wide tiles, and then rows of it once more.
  void Add(const BufferPtr& buffer, double touched, bool again) {
    const auto bytes = static_cast<int64_t>(touched * static_cast<double>(buffer->size()));
    reads_.push_back({buffer, bytes});
    again_.push_back(again);
  }

  Status Run() {
    copies_ = gpu_.copies().Use(reads_);
    for (size_t i = 0; i < reads_.size(); ++i) {
      const DeviceAddress address = copies_[i] != nullptr ? copies_[i]->address() : 0;
      addresses_.push_back({address, address});
      if (copies_[i] == nullptr) Miss(i);
    }
    if (!wanted_.empty()) SVM_RETURN_NOT_OK(CopyWanted());
    for (size_t i = 0; i < reads_.size(); ++i) {
      (copies_[i] != nullptr ? device_bytes : link_bytes) += reads_[i].bytes;
    }
    FindRoomForRows();
    return Status::OK();
  }

  const std::vector<BufferAddress>& addresses() const { return addresses_; }
  DeviceBlock TakeRowsRoom() { return std::move(rows_room_); }
  std::vector<DeviceCopies::CopyPtr> TakeCopies() { return std::move(copies_); }
  std::vector<DeviceCopies::Read> TakeReads() { return std::move(reads_); }

  int64_t link_bytes = 0;
  int64_t device_bytes = 0;
  double copy_ms = 0;

 private:
  // A buffer without a copy: read in place if it can be, and if a copy is not what is asked for.
  void Miss(size_t i) {
    const BufferPtr& buffer = reads_[i].buffer;
    const DeviceAddress address = gpu_.pinned().Find(*buffer);
    addresses_[i] = {address, address};
    const bool in_place = address != 0;
    if (!in_place) gpu_.pinned().Want(buffer);
    if (in_place) in_place_bytes_ += reads_[i].bytes;
    if (in_place && gpu_.options().prefetch != GpuPrefetch::kKept) return;
    wanted_.push_back({buffer, kReadAhead, !in_place, IsKept(*buffer)});
    wanted_reads_.push_back(i);
  }

  Status CopyWanted() {
    const auto start = std::chrono::steady_clock::now();
    SVM_ASSIGN_OR_RETURN(const DeviceCopies::Brought brought,
                         gpu_.copies().Bring(wanted_, in_place_bytes_ / kReplacedShare, &stream_));
    link_bytes += brought.bytes;
    for (size_t k = 0; k < wanted_.size(); ++k) {
      const DeviceCopies::CopyPtr& copy = brought.copies[k];
      if (copy != nullptr) Found(wanted_reads_[k], copy);
      if (copy != nullptr || !wanted_[k].needed) continue;
      return base::MakeError(
          base::ErrorCode::kOutOfMemory,
          "no room on the device for a segment, and it cannot be read in place: " +
              std::to_string(wanted_[k].buffer->size()) + " bytes");
    }
    copy_ms += base::MillisecondsSince(start);
    return Status::OK();
  }

  void Found(size_t i, const DeviceCopies::CopyPtr& copy) {
    copies_[i] = copy;
    addresses_[i] = {copy->address(), copy->address()};
  }

  // For what is read in place, and again. It is a matter of time only: no copy gives way for it.
  void FindRoomForRows() {
    int64_t bytes = 0;
    for (size_t i = 0; i < reads_.size(); ++i) {
      if (again_[i] && copies_[i] == nullptr) bytes += RoomFor(*reads_[i].buffer);
    }
    // What others need must find its place beside it.
    if (bytes == 0 || bytes > (gpu_.arena().cap() - gpu_.arena().used()) / 2) return;
    auto room = gpu_.arena().Take(bytes);
    if (!room.ok()) return;
    rows_room_ = std::move(*room);
    DeviceAddress next = rows_room_.address();
    for (size_t i = 0; i < reads_.size(); ++i) {
      if (!again_[i] || copies_[i] != nullptr) continue;
      addresses_[i].rows = next;
      next += static_cast<uint64_t>(RoomFor(*reads_[i].buffer));
    }
  }

  // Who reads in place keeps only what never can be.
  bool IsKept(const memory::Buffer& buffer) const {
    return gpu_.options().prefetch == GpuPrefetch::kKept || memory::PagesOf(buffer).data == nullptr;
  }

  Gpu& gpu_;
  device::Stream& stream_;
  std::vector<DeviceCopies::Read> reads_;
  std::vector<bool> again_;                    // of reads
  std::vector<DeviceCopies::CopyPtr> copies_;  // of reads
  std::vector<BufferAddress> addresses_;       // of reads
  DeviceBlock rows_room_;
  std::vector<DeviceCopies::Wanted> wanted_;
  std::vector<size_t> wanted_reads_;  // which read a wanted one is
  int64_t in_place_bytes_ = 0;
};

}  // namespace

Result<std::vector<SegmentPtr>> ReadSegments(const QueryContext& context,
                                             const PipelineBinding& binding) {
  std::vector<int> numbers;
  for (int number = 0; number < binding.source().table->num_segments(); ++number) {
    if (binding.MayPass(number)) numbers.push_back(number);
  }
  std::vector<SegmentPtr> segments = binding.FindResident(numbers);
  std::vector<size_t> absent;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (segments[i] == nullptr) absent.push_back(i);
  }
  const auto read = [&](int, int64_t i) -> Status {
    const size_t at = absent[static_cast<size_t>(i)];
    SVM_ASSIGN_OR_RETURN(segments[at], binding.ReadSegment(numbers[at]));
    return Status::OK();
  };
  SVM_RETURN_NOT_OK(
      schedule::ParallelFor(context.workers, static_cast<int64_t>(absent.size()), read));
  return segments;
}

bool HasCopies(const DeviceCopies& copies, const columns::Segment& segment) {
  bool all = true;
  ForEachBuffer(segment, [&](const BufferPtr& buffer, size_t) {
    all = all && copies.Find(buffer) != nullptr;
  });
  return all;
}

Result<LaunchSegments> PlaceSegments(Gpu* gpu, const PipelineBinding& binding,
                                     std::span<const LaunchRows> rows, const ColumnReads& reads,
                                     device::Stream* copy_stream) {
  Placement placement(gpu, copy_stream);
  for (const LaunchRows& part : rows) {
    const double share = static_cast<double>(part.row_end - part.row_begin) /
                         static_cast<double>(std::max<int64_t>(part.segment->num_rows, 1));
    ForEachBuffer(*part.segment, [&](const BufferPtr& buffer, size_t column) {
      const bool is_values = buffer == part.segment->columns[column]->data;
      const bool again = is_values && !reads.again.empty() && reads.again[column];
      placement.Add(buffer, share * reads.touched[column], again);
    });
  }
  SVM_RETURN_NOT_OK(placement.Run());
  SVM_ASSIGN_OR_RETURN(LaunchSegments launch, ListSegments(rows, binding.blueprint().columns.size(),
                                                           placement.addresses()));
  launch.link_bytes = placement.link_bytes;
  launch.device_bytes = placement.device_bytes;
  launch.copy_ms = placement.copy_ms;
  launch.reads = placement.TakeReads();
  launch.copies = placement.TakeCopies();
  launch.rows_room = placement.TakeRowsRoom();
  return launch;
}

int64_t ChunkBytes(std::span<const LaunchRows> rows) {
  int64_t bytes = 0;
  for (const LaunchRows& part : rows) {
    ForEachBuffer(*part.segment,
                  [&](const BufferPtr& buffer, size_t) { bytes += RoomFor(*buffer); });
  }
  return bytes;
}

Result<LaunchSegments> CopyChunk(Gpu* gpu, const PipelineBinding& binding,
                                 std::span<const LaunchRows> rows, const ColumnReads& reads,
                                 DeviceAddress chunk, device::Stream* stream) {
  Status status;
  std::vector<BufferAddress> addresses;
  int64_t bytes = 0;
  double touched_bytes = 0;
  for (const LaunchRows& part : rows) {
    ForEachBuffer(*part.segment, [&](const BufferPtr& buffer, size_t column) {
      // A driver copies from pages that are not pinned all the same, but makes us wait.
      gpu->pinned().Want(buffer);
      if (status.ok()) status = stream->CopyIn(chunk, buffer->data(), buffer->size());
      addresses.push_back({chunk, chunk});
      bytes += buffer->size();
      touched_bytes += reads.touched[column] * static_cast<double>(buffer->size());
      chunk += static_cast<uint64_t>(RoomFor(*buffer));
    });
  }
  SVM_RETURN_NOT_OK(status);
  SVM_ASSIGN_OR_RETURN(LaunchSegments launch,
                       ListSegments(rows, binding.blueprint().columns.size(), addresses));
  launch.link_bytes = bytes;
  launch.device_bytes = static_cast<int64_t>(touched_bytes);
  return launch;
}

}  // namespace shadowvm::exec
