// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/memory/buffer.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "engine/base/fault.h"
#include "engine/memory/mapping_pool.h"

namespace shadowvm::memory {
namespace {

// From here on a buffer is a mapping of its own, so that it can be pooled and given back whole.
constexpr int64_t kMappedFrom = int64_t{256} << 10;
constexpr int64_t kAlignment = 64;

// At least so many bytes are allocated for a buffer: whole pages, where it has its own.
int64_t AllocatedFor(int64_t size) {
  const int64_t unit = size + Buffer::kPadding >= kMappedFrom ? 4096 : kAlignment;
  return (size + Buffer::kPadding + unit - 1) / unit * unit;
}

struct Allocation {
  uint8_t* data = nullptr;
  int64_t size = 0;
  bool reserved = false;
  bool zeroed = false;
};

Allocation TakePooled(MemoryBudget* budget, int64_t size) {
  const Mapping mapping = budget->pool()->Take(size);
  if (mapping.data == nullptr) return {};
  if (budget->Reserve(mapping.size, "buffer").ok())
    return {mapping.data, mapping.size, true, false};
  budget->pool()->Drop(mapping);
  return {};
}

Allocation Allocate(int64_t size) {
  if (size >= kMappedFrom) {
    const Mapping mapping = Map(size);
    return {mapping.data, mapping.size, false, true};
  }
  return {static_cast<uint8_t*>(std::aligned_alloc(kAlignment, size)), size, false, false};
}

}  // namespace

base::Result<std::shared_ptr<Buffer>> Buffer::Make(MemoryBudget* budget, int64_t size,
                                                   std::string_view what, Fill fill) {
  SVM_FAULT_POINT("memory.buffer");
  const int64_t wanted = AllocatedFor(size);
  Allocation allocation;
  if (wanted >= kMappedFrom) allocation = TakePooled(budget, wanted);
  if (allocation.data == nullptr) {
    SVM_RETURN_NOT_OK(budget->Reserve(wanted, what));
    allocation = Allocate(wanted);
    if (allocation.data == nullptr) {
      budget->Release(wanted);
      return base::MakeError(
          base::ErrorCode::kOutOfMemory,
          std::string(what) + ": the machine has no " + std::to_string(wanted) + " bytes");
    }
  }
  if (fill == Fill::kZero && !allocation.zeroed) std::memset(allocation.data, 0, allocation.size);
  return std::shared_ptr<Buffer>(new Buffer(budget, allocation.data, size, allocation.size));
}

Mapping PagesOf(const Buffer& buffer) {
  const int64_t wanted = AllocatedFor(buffer.size());
  if (wanted < kMappedFrom) return {};
  return {const_cast<uint8_t*>(buffer.data()), wanted};
}

Buffer::~Buffer() {
  budget_->Release(allocated_);
  if (allocated_ >= kMappedFrom) {
    budget_->pool()->Put({data_, allocated_});
  } else {
    std::free(data_);
  }
}

}  // namespace shadowvm::memory
