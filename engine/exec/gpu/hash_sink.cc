// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/hash_sink.h"

#include <algorithm>
#include <bit>

namespace shadowvm::exec {
namespace {

using device::DeviceAddress;

// Most queries have fewer groups, and clearing the slots of so many costs a few microseconds.
constexpr int64_t kFirstGroups = 1 << 18;
// A table that ran full has room for so many times more in the next launch.
constexpr int64_t kGrowth = 8;

}  // namespace

base::Status HashSink::Expect(int64_t rows, double) {
  // With several matches a row there may be more groups; then a second launch has more room.
  capacity_ = std::max(capacity_, std::min(std::max<int64_t>(rows, 1), kFirstGroups));
  return base::Status::OK();
}

uint64_t HashSink::num_slots() const {
  return std::bit_ceil(static_cast<uint64_t>(2 * capacity_ + 2));
}

void HashSink::Write(LaunchWriter* writer, kernels::LaunchBlock* head) {
  const auto words = static_cast<int64_t>(row_words());
  const kernels::u64 no_rows = 0;
  slots_ = writer->AddSpace(static_cast<int64_t>(num_slots()) * 8);
  rows_at_ = writer->AddSpace(capacity_ * words * 8);
  kernels::LaunchGroups& groups = head->groups;
  groups.slots = reinterpret_cast<kernels::u64*>(slots_);
  groups.mask = num_slots() - 1;
  groups.rows = reinterpret_cast<kernels::i64*>(rows_at_);
  groups.count = writer->AddRoom(&no_rows, 1);
  groups.capacity = static_cast<kernels::u64>(capacity_);
  groups.row_words = static_cast<kernels::u64>(words);
  count_at_ = reinterpret_cast<DeviceAddress>(groups.count);
  head->row_words = static_cast<kernels::u32>(RowWords(accumulators_));
  std::vector<int64_t> initial(head->row_words);
  Initialise(accumulators_, initial.data());
  head->initial = writer->AddArray(initial.data(), head->row_words);
}

base::Status HashSink::Prepare(device::Stream* stream) {
  return stream->Clear(slots_, static_cast<int64_t>(num_slots()) * 8);
}

base::Status HashSink::Fetch(device::Stream* stream, device::DeviceAddress error_at) {
  SVM_RETURN_NOT_OK(FetchError(stream, error_at));
  return stream->CopyOut(&count_, count_at_, sizeof count_);
}

base::Result<bool> HashSink::HadRoom() {
  if (count_ <= static_cast<uint64_t>(capacity_)) return true;
  const int64_t before = capacity_;
  // As much as there is room for: a run for nothing costs more than memory that is not used.
  for (int64_t growth = kGrowth; growth > 1; growth /= 2) {
    capacity_ = before * growth;
    const int64_t bytes = capacity_ * row_words() * 8 + static_cast<int64_t>(num_slots()) * 8;
    if (bytes <= most_bytes_) return false;
  }
  return base::MakeError(
      base::ErrorCode::kOutOfMemory,
      "more than " + std::to_string(before) + " groups, for which the GPU has no room");
}

base::Status HashSink::Take(device::Stream* stream, TextOrigins*) {
  const int64_t row_bytes = int64_t{row_words()} * 8;
  const auto count = static_cast<int64_t>(count_);
  if (count == 0) return base::Status::OK();
  SVM_ASSIGN_OR_RETURN(rows_, memory::Buffer::Make(budget_, count * row_bytes, "hash groups"));
  const base::Status copied = stream->CopyOut(rows_->data(), rows_at_, count * row_bytes);
  const base::Status finished = stream->Synchronize();
  SVM_RETURN_NOT_OK(copied);
  return finished;
}

}  // namespace shadowvm::exec
