// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/table_sink.h"

#include "engine/columns/frame.h"

namespace shadowvm::exec {
namespace {

constexpr int64_t kAlignment = 16;
// Kernels bring bitmaps into shared memory by so many bytes at a time.
constexpr int64_t kReadAhead = 16;

int64_t RoundUp(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

template <typename T>
T* Pointer(device::DeviceAddress address) {
  return reinterpret_cast<T*>(address);
}

}  // namespace

TableSink::TableSink(Gpu* gpu, memory::MemoryBudget* budget, Options options)
    : gpu_(*gpu),
      budget_(budget),
      options_(std::move(options)),
      size_(columns::RangeOf(options_.keys.min, options_.keys.max) + 1) {
  const bool groups = options_.num_groups > 0;
  bits_at_ = RoundUp(sizeof(kernels::TableFound));
  numbers_at_ = bits_at_ + RoundUp(bit_bytes() + kReadAhead);
  codes_at_ = numbers_at_ + RoundUp(group_bytes());
  groups_at_ = codes_at_ + (groups ? RoundUp(static_cast<int64_t>(size_) * 2) : 0);
  bytes_ = groups_at_ + RoundUp(group_bytes());
}

// Whole words.
int64_t TableSink::bit_bytes() const { return static_cast<int64_t>(size_ / 32 + 1) * 4; }

base::Status TableSink::Expect(int64_t, double) {
  SVM_ASSIGN_OR_RETURN(DeviceBlock block, gpu_.TakeMemory(bytes_));
  block_ = std::make_shared<DeviceBlock>(std::move(block));
  return base::Status::OK();
}

void TableSink::Write(LaunchWriter* writer, kernels::LaunchBlock* head) {
  kernels::LaunchTable& table = head->table;
  table.found = Pointer<kernels::TableFound>(At(0));
  table.bits = Pointer<kernels::u32>(At(bits_at_));
  if (options_.num_groups > 0) {
    table.numbers = Pointer<kernels::u32>(At(numbers_at_));
    table.codes = Pointer<kernels::u16>(At(codes_at_));
    table.groups = Pointer<kernels::u32>(At(groups_at_));
  }
  table.base = options_.keys.min;
  table.size = size_;
  head->call.strides =
      writer->AddArray(options_.strides.data(), static_cast<int64_t>(options_.strides.size()));
  head->call.origins =
      writer->AddArray(options_.origins.data(), static_cast<int64_t>(options_.origins.size()));
}

base::Status TableSink::Prepare(device::Stream* stream) { return stream->Clear(At(0), groups_at_); }

base::Status TableSink::Fetch(device::Stream* stream, device::DeviceAddress error_at) {
  SVM_RETURN_NOT_OK(FetchError(stream, error_at));
  SVM_ASSIGN_OR_RETURN(bits_, memory::Buffer::Make(budget_, bit_bytes() + 8, "join bits",
                                                   memory::Buffer::Fill::kZero));
  SVM_RETURN_NOT_OK(stream->CopyOut(&found_, At(0), sizeof found_));
  SVM_RETURN_NOT_OK(stream->CopyOut(bits_->data(), At(bits_at_), bit_bytes()));
  if (options_.num_groups == 0) return base::Status::OK();
  groups_.resize(options_.num_groups);
  return stream->CopyOut(groups_.data(), At(groups_at_), group_bytes());
}

base::Status TableSink::Take(device::Stream*, TextOrigins*) { return base::Status::OK(); }

JoinTable::DeviceMade TableSink::made() const {
  kernels::DirectView view{};
  view.bits = Pointer<kernels::u8>(At(bits_at_));
  if (options_.num_groups > 0) view.codes = Pointer<kernels::u16>(At(codes_at_));
  view.base = options_.keys.min;
  view.size = size_;
  return {view, block_, bits_};
}

}  // namespace shadowvm::exec
