// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_writer.h"

#include <algorithm>

namespace shadowvm::exec {

int64_t LaunchWriter::Append(Stretch* stretch, const void* bytes, int64_t size) {
  const int64_t at = stretch->size;
  stretch->size = RoundUp(at + size);
  if (address_ != 0) {
    stretch->bytes.resize(static_cast<size_t>(stretch->size));
    if (size > 0) std::memcpy(stretch->bytes.data() + at, bytes, static_cast<size_t>(size));
  }
  return at;
}

const void* LaunchWriter::AddData(const void* bytes, int64_t size, int64_t padding) {
  if (placed_ != nullptr) {
    const auto found = std::find_if(placed_->begin(), placed_->end(),
                                    [=](const auto& each) { return each.first == bytes; });
    if (found != placed_->end()) return reinterpret_cast<const void*>(found->second);
  }
  const int64_t at = Append(&data_, bytes, size);
  data_.size += RoundUp(padding);
  if (address_ != 0) data_.bytes.resize(static_cast<size_t>(data_.size));
  data_size_ = data_.size;
  return reinterpret_cast<const void*>(address_ + static_cast<uint64_t>(at));
}

void LaunchWriter::Finish(kernels::LaunchBlock head) {
  if (address_ == 0) return;
  head.block_bytes = static_cast<kernels::u32>(block_size());
  data_.bytes.resize(static_cast<size_t>(bytes()));
  uint8_t* const block = data_.bytes.data() + data_size_;
  std::memcpy(block, &head, sizeof head);
  if (block_.size > 0) {
    std::memcpy(block + kHeadBytes, block_.bytes.data(), static_cast<size_t>(block_.size));
  }
}

}  // namespace shadowvm::exec
