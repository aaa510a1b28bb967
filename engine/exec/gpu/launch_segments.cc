// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_segments.h"

namespace shadowvm::exec {
namespace {

using base::Result;
using device::DeviceAddress;

// A kernel may read a whole wide tile beyond the last row.
constexpr int64_t kReadAhead = kernels::kWideTileRows;

int64_t BytesOf(const columns::Segment& segment) {
  int64_t bytes = 0;
  for (const auto& column : segment.columns) bytes += column->bytes();
  return bytes;
}

Result<kernels::SegmentColumn> CopyColumn(const columns::ColumnSegment& column, int width,
                                          DeviceCopies* copies, device::Stream* stream) {
  kernels::SegmentColumn view{};
  SVM_ASSIGN_OR_RETURN(const DeviceAddress data,
                       copies->Get(column.data, kReadAhead * width, stream));
  view.data = reinterpret_cast<const void*>(data);
  view.base = column.base;
  if (column.validity != nullptr) {
    SVM_ASSIGN_OR_RETURN(const DeviceAddress validity,
                         copies->Get(column.validity, kReadAhead / 8, stream));
    view.validity = reinterpret_cast<const kernels::u64*>(validity);
  }
  return view;
}

}  // namespace

Result<std::vector<SegmentPtr>> ReadSegments(const PipelineBinding& binding, QueryStats* stats) {
  std::vector<SegmentPtr> segments;
  for (int number = 0; number < binding.source().table->num_segments(); ++number) {
    if (!binding.MayPass(number)) {
      stats->segments_skipped.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    SVM_ASSIGN_OR_RETURN(SegmentPtr segment, binding.ReadSegment(number));
    stats->segments_run.fetch_add(1, std::memory_order_relaxed);
    stats->rows_read.fetch_add(segment->num_rows, std::memory_order_relaxed);
    stats->bytes_read.fetch_add(BytesOf(*segment), std::memory_order_relaxed);
    segments.push_back(std::move(segment));
  }
  return segments;
}

Result<LaunchSegments> CopySegments(const PipelineBinding& binding,
                                    const std::vector<SegmentPtr>& segments, DeviceCopies* copies,
                                    device::Stream* stream) {
  const std::vector<vkernel::SourceColumn>& sources = binding.blueprint().columns;
  LaunchSegments launch;
  launch.columns.resize(sources.size());
  for (const SegmentPtr& segment : segments) {
    std::vector<std::pair<int64_t, int64_t>> live = segment->live;
    if (live.empty()) live.emplace_back(0, segment->num_rows);
    for (const auto& [begin, end] : live) {
      launch.rows.push_back({static_cast<kernels::u32>(begin), static_cast<kernels::u32>(end)});
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      SVM_ASSIGN_OR_RETURN(
          const kernels::SegmentColumn view,
          CopyColumn(*segment->columns[i], sources[i].layout.width, copies, stream));
      launch.columns[i].insert(launch.columns[i].end(), live.size(), view);
    }
  }
  if (launch.rows.size() > kernels::kMostLaunchSegments) {
    return base::MakeError(base::ErrorCode::kOutOfMemory, "more segments than one launch takes");
  }
  return launch;
}

}  // namespace shadowvm::exec
