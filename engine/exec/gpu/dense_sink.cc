// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/dense_sink.h"

#include <algorithm>

namespace shadowvm::exec {
namespace {

using kernels::MergeOp;

MergeOp MergeOf(const Accumulator& accumulator) {
  switch (accumulator.kind) {
    case AccumulatorKind::kSumI64:
      return accumulator.checked ? MergeOp::kAddChecked : MergeOp::kAdd;
    case AccumulatorKind::kSumI128:
      return MergeOp::kAddWide;
    case AccumulatorKind::kSumDouble:
      return MergeOp::kAddDouble;
    case AccumulatorKind::kMinI64:
      return MergeOp::kMin;
    case AccumulatorKind::kMaxI64:
      return MergeOp::kMax;
    case AccumulatorKind::kMinDouble:
      return MergeOp::kMinDouble;
    case AccumulatorKind::kMaxDouble:
      return MergeOp::kMaxDouble;
    default:
      return MergeOp::kAdd;  // counts; others have no text for a GPU
  }
}

}  // namespace

std::vector<MergeOp> MergeOps(std::span<const Accumulator> accumulators) {
  std::vector<MergeOp> ops(static_cast<size_t>(RowWords(accumulators)), MergeOp::kSecondWord);
  for (const Accumulator& accumulator : accumulators) {
    ops[static_cast<size_t>(accumulator.word)] = MergeOf(accumulator);
  }
  return ops;
}

std::vector<int64_t> DenseSink::NoGroups() const {
  std::vector<int64_t> words(static_cast<size_t>(num_words()));
  for (int64_t at = 0; at < num_words(); at += RowWords(accumulators)) {
    Initialise(accumulators, words.data() + at);
  }
  return words;
}

void DenseSink::Write(LaunchWriter* writer, kernels::LaunchBlock* head) {
  head->call.dense = writer->AddRoom(slots, num_words());
  address_ = reinterpret_cast<device::DeviceAddress>(head->call.dense);
  head->call.strides = writer->AddArray(strides.data(), static_cast<int64_t>(strides.size()));
  head->call.origins = writer->AddArray(origins.data(), static_cast<int64_t>(origins.size()));
  head->num_slots = static_cast<kernels::u32>(num_slots);
  head->row_words = static_cast<kernels::u32>(RowWords(accumulators));
  std::vector<int64_t> initial(head->row_words);
  Initialise(accumulators, initial.data());
  head->initial = writer->AddArray(initial.data(), head->row_words);
  const std::vector<MergeOp> merge = MergeOps(accumulators);
  head->merge = writer->AddArray(merge.data(), head->row_words);
}

base::Status DenseSink::Fetch(device::Stream* stream, device::DeviceAddress error_at) {
  // One copy brings both, for half of what two would take.
  const auto before_error = static_cast<int64_t>(error_at - address_);
  found_.assign(static_cast<size_t>(before_error) / 8 + 1, 0);
  return stream->CopyOut(found_.data(), address_, before_error + int64_t{sizeof(kernels::u32)});
}

base::Status DenseSink::Take(device::Stream*) {
  std::copy_n(found_.begin(), num_words(), slots);
  return base::Status::OK();
}

}  // namespace shadowvm::exec
