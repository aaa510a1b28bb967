// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/memory/buffer.h"

#include <cstddef>
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

// What malloc's alignment leaves to do. That of aligned_alloc costs several times as much as a
// small buffer's bytes are worth.
constexpr int64_t kSlack = kAlignment - int64_t{alignof(std::max_align_t)};

// At least so many bytes are allocated for a buffer: whole pages, where it has its own.
int64_t AllocatedFor(int64_t size) {
  const int64_t least = size + Buffer::kPadding + kSlack;
  return least < kMappedFrom ? least : (least + 4095) / 4096 * 4096;
}

uint8_t* Align(uint8_t* start) {
  const auto address = reinterpret_cast<uintptr_t>(start);
  return start + (kAlignment - address % kAlignment) % kAlignment;
}

}  // namespace

struct Buffer::Allocation {
  uint8_t* start = nullptr;
  int64_t size = 0;
  bool zeroed = false;
};

Buffer::Allocation Buffer::TakePooled(MemoryBudget* budget, int64_t size) {
  const Mapping mapping = budget->pool()->Take(size);
  if (mapping.data == nullptr) return {};
  if (budget->Reserve(mapping.size, "buffer").ok()) return {mapping.data, mapping.size, false};
  budget->pool()->Drop(mapping);
  return {};
}

Buffer::Allocation Buffer::Allocate(int64_t size) {
  if (size >= kMappedFrom) {
    const Mapping mapping = Map(size);
    return {mapping.data, mapping.size, true};
  }
  return {static_cast<uint8_t*>(std::malloc(static_cast<size_t>(size))), size, false};
}

Buffer::Buffer(MemoryBudget* budget, const Allocation& allocation, int64_t size)
    : budget_(budget),
      start_(allocation.start),
      data_(Align(allocation.start)),
      size_(size),
      allocated_(allocation.size) {}

base::Result<std::shared_ptr<Buffer>> Buffer::Make(MemoryBudget* budget, int64_t size,
                                                   std::string_view what, Fill fill) {
  SVM_FAULT_POINT("memory.buffer");
  const int64_t wanted = AllocatedFor(size);
  Allocation allocation;
  if (wanted >= kMappedFrom) allocation = TakePooled(budget, wanted);
  if (allocation.start == nullptr) {
    SVM_RETURN_NOT_OK(budget->Reserve(wanted, what));
    allocation = Allocate(wanted);
    if (allocation.start == nullptr) {
      budget->Release(wanted);
      return base::MakeError(
          base::ErrorCode::kOutOfMemory,
          std::string(what) + ": the machine has no " + std::to_string(wanted) + " bytes");
    }
  }
  if (fill == Fill::kZero && !allocation.zeroed) std::memset(allocation.start, 0, allocation.size);
  return std::make_shared<Buffer>(budget, allocation, size);
}

Mapping PagesOf(const Buffer& buffer) {
  if (buffer.allocated_ < kMappedFrom) return {};
  return {buffer.start_, buffer.allocated_};
}

Buffer::~Buffer() {
  budget_->Release(allocated_);
  if (allocated_ >= kMappedFrom) {
    budget_->pool()->Put({start_, allocated_});
  } else {
    std::free(start_);
  }
}

}  // namespace shadowvm::memory
