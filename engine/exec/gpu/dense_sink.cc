// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/dense_sink.h"

#include <algorithm>

#include "engine/exec/gpu/group_texts.h"

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
      return MergeOp::kAdd;  // counts; others are never merged
  }
}

// Others have no words that one instruction could change.
bool CanMergeInShared(AccumulatorKind kind) {
  switch (kind) {
    case AccumulatorKind::kMinI128:
    case AccumulatorKind::kMaxI128:
    case AccumulatorKind::kMinText:
    case AccumulatorKind::kMaxText:
      return false;
    default:
      return true;
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

int64_t DenseSink::shared_bytes() const {
  const bool can_merge = std::all_of(
      accumulators_.begin(), accumulators_.end(),
      [](const Accumulator& accumulator) { return CanMergeInShared(accumulator.kind); });
  return can_merge ? num_words() * 8 : 0;
}

std::vector<int64_t> DenseSink::NoGroups() const {
  std::vector<int64_t> words(static_cast<size_t>(num_words()));
  for (int64_t at = 0; at < num_words(); at += RowWords(accumulators_)) {
    Initialise(accumulators_, words.data() + at);
  }
  return words;
}

void DenseSink::Write(LaunchWriter* writer, kernels::LaunchBlock* head) {
  if (!is_apart()) head->call.dense = writer->AddRoom(NoGroups().data(), num_words());
  head->call.strides = writer->AddArray(strides_.data(), static_cast<int64_t>(strides_.size()));
  head->call.origins = writer->AddArray(origins_.data(), static_cast<int64_t>(origins_.size()));
  head->num_slots = static_cast<kernels::u32>(num_slots_);
  head->row_words = static_cast<kernels::u32>(RowWords(accumulators_));
  std::vector<int64_t> initial(head->row_words);
  Initialise(accumulators_, initial.data());
  head->initial = writer->AddArray(initial.data(), head->row_words);
  const std::vector<MergeOp> merge = MergeOps(accumulators_);
  head->merge = writer->AddArray(merge.data(), head->row_words);
}

base::Status DenseSink::Fetch(device::Stream* stream, device::DeviceAddress error_at) {
  // One copy brings both, for half of what two would take.
  const int64_t before_error = BytesBeforeError();
  const int64_t bytes = before_error + int64_t{sizeof(kernels::u32)};
  SVM_ASSIGN_OR_RETURN(found_, memory::Buffer::Make(budget_, bytes, "dense groups"));
  return stream->CopyOut(found_->data(), error_at - static_cast<uint64_t>(before_error), bytes);
}

void DenseSink::PointAt(const SinkPlace& place, kernels::LaunchBlock* head) const {
  head->call.dense = reinterpret_cast<kernels::i64*>(place.words);
}

base::Status DenseSink::KeepTextsOf(int64_t* groups, TextOrigins* texts) {
  if (!HoldText(accumulators_)) return base::Status::OK();
  if (arena_ == nullptr) arena_ = std::make_shared<TextArena>(budget_);
  const FoundGroups found{groups, static_cast<int64_t>(num_slots_), RowWords(accumulators_)};
  return KeepTexts(accumulators_, found, texts, arena_.get());
}

base::Status DenseSink::Take(device::Stream*, TextOrigins* texts) {
  return KeepTextsOf(found_->as<int64_t>(), texts);
}

base::Result<bool> DenseSink::TakeAt(device::Stream*, const SinkPlace&, std::span<int64_t> words,
                                     TextOrigins* texts) {
  SVM_RETURN_NOT_OK(KeepTextsOf(words.data(), texts));
  found_apart_ = words;
  return true;
}

kernels::u32 DenseSink::error() const {
  return *reinterpret_cast<const kernels::u32*>(found_->data() + BytesBeforeError());
}

}  // namespace shadowvm::exec
