// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_image.h"

#include <algorithm>
#include <utility>

namespace shadowvm::exec {
namespace {

using device::DeviceAddress;

template <typename T>
int64_t Count(const std::vector<T>& values) {
  return static_cast<int64_t>(values.size());
}

LaunchPlan PlanFor(const LaunchInputs& inputs, const device::AcceleratorFacts& facts,
                   int64_t block_bytes) {
  const vkernel::Blueprint& blueprint = inputs.binding.blueprint();
  std::vector<int64_t> spans(blueprint.joins.size());
  for (size_t i = 0; i < spans.size(); ++i) {
    if (blueprint.joins[i].form == vkernel::JoinForm::kHash) continue;
    spans[i] = static_cast<int64_t>(inputs.binding.joins()[i].table->direct().size);
  }
  return PlanLaunch(facts, {.blueprint = blueprint,
                            .steps = inputs.steps,
                            .rows = inputs.rows,
                            .block_bytes = block_bytes,
                            .group_bytes = inputs.sink.shared_bytes(),
                            .join_spans = std::move(spans)});
}

}  // namespace

DeviceAddress WriteLaunch(const LaunchInputs& inputs, const device::AcceleratorFacts& facts,
                          LaunchPlan* plan, LaunchWriter* writer) {
  const kernels::u32 no_error = 0;
  kernels::LaunchBlock head{};
  head.call = WriteCall(inputs, writer);
  inputs.sink.Write(writer, &head);
  head.error = writer->AddRoom(&no_error, 1);
  std::vector<kernels::ResidentBits> residents(inputs.binding.blueprint().joins.size());
  const int64_t block_bytes = writer->block_size() +
                              Count(residents) * int64_t{sizeof residents[0]} +
                              Count(inputs.steps.order) + 32;
  if (!plan->is_made()) *plan = PlanFor(inputs, facts, block_bytes);
  std::copy(plan->residents.begin(), plan->residents.end(), residents.begin());
  head.residents = writer->AddArray(residents.data(), Count(residents));
  head.call.order = writer->AddArray(plan->steps.order.data(), Count(plan->steps.order));
  head.call.num_steps = static_cast<kernels::u32>(plan->steps.order.size());
  head.wide_steps = static_cast<kernels::u32>(plan->steps.wide);
  head.num_residents = static_cast<kernels::u32>(plan->residents.size());
  head.split_shift = static_cast<kernels::u32>(plan->split_shift);
  head.queue_at = plan->queue_at;
  head.dense_at = plan->dense_at;
  writer->Finish(head);
  return reinterpret_cast<DeviceAddress>(head.error);
}

double ShareLeft(const MeasuredSteps& steps) {
  double share = 1;
  for (const uint8_t step : steps.order) share *= steps.estimates[step].selectivity;
  return share;
}

SegmentLists WriteLists(const LaunchSegments& segments, LaunchWriter* writer) {
  SegmentLists lists;
  for (const auto& column : segments.columns) {
    lists.columns.push_back(
        reinterpret_cast<DeviceAddress>(writer->AddData(column.data(), Count(column))));
  }
  const auto* const rows = writer->AddData(segments.rows.data(), Count(segments.rows));
  lists.rows = reinterpret_cast<DeviceAddress>(rows);
  if (!segments.rows.empty()) {
    const int64_t last = Count(segments.rows) - 1;
    lists.end_tile = last * kernels::kTilesOfSegment +
                     (segments.rows.back().row_end - 1) / kernels::kWideTileRows + 1;
  }
  return lists;
}

kernels::LaunchBlock* Point(uint8_t* block, const SegmentLists& lists) {
  auto* const head = reinterpret_cast<kernels::LaunchBlock*>(block);
  const auto columns_at = reinterpret_cast<uintptr_t>(head->call.columns);
  auto* const columns = reinterpret_cast<kernels::ColumnView*>(block + columns_at);
  for (size_t i = 0; i < lists.columns.size(); ++i) {
    columns[i].data = reinterpret_cast<const void*>(lists.columns[i]);
  }
  head->segments = reinterpret_cast<const kernels::SegmentRows*>(lists.rows);
  head->end_tile = static_cast<kernels::u32>(lists.end_tile);
  return head;
}

DeviceAddress WritePiece(const LaunchPiece& piece, const LaunchSegments& segments,
                         std::span<const uint8_t> block, LaunchWriter* writer) {
  std::vector<uint8_t> own(block.begin(), block.end());
  const auto num_words = static_cast<int64_t>(piece.words.size());
  int64_t* const words = writer->AddRoom(piece.words.data(), num_words);
  kernels::LaunchBlock* const head = Point(own.data(), WriteLists(segments, writer));
  if (piece.sink != nullptr) {
    piece.sink->PointAt({reinterpret_cast<DeviceAddress>(words), piece.space}, head);
    head->error = reinterpret_cast<kernels::u32*>(words + num_words - 1);
  }
  head->launch = static_cast<kernels::u32>(piece.number);
  head->first_block = static_cast<kernels::u32>(piece.first_block);
  head->num_blocks = static_cast<kernels::u32>(piece.num_blocks);
  const auto next_share = static_cast<kernels::u32>(piece.num_shares_begun);
  if (next_share > 0) head->next_share = writer->AddRoom(&next_share, 1);
  return reinterpret_cast<DeviceAddress>(writer->AddData(own.data(), Count(own)));
}

int64_t PieceBytes(const std::vector<SegmentPtr>& segments, int64_t num_columns,
                   int64_t block_bytes) {
  constexpr int64_t kAround = 32;  // alignment and padding of one array
  int64_t entries = 0;
  for (const SegmentPtr& segment : segments) {
    entries += std::max<int64_t>(Count(segment->live), 1);
  }
  const int64_t entry =
      num_columns * int64_t{sizeof(kernels::SegmentColumn)} + int64_t{sizeof(kernels::SegmentRows)};
  return entries * entry + block_bytes + (num_columns + 3) * kAround;
}

}  // namespace shadowvm::exec
