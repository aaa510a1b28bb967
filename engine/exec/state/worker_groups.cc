// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>

#include "engine/base/fault.h"
#include "engine/exec/state/hash_groups.h"
#include "engine/kernels/common/hash.h"

namespace shadowvm::exec {
namespace {

using kernels::GroupPart;
using kernels::u64;
using memory::Buffer;

constexpr uint64_t kFirstSlots = 64;
constexpr int64_t kFirstChunkRows = 32;
constexpr int64_t kLargestChunkBytes = 256 << 10;
constexpr std::string_view kWhat = "hash groups";

}  // namespace

WorkerGroups::WorkerGroups(memory::MemoryBudget* budget, std::span<const int64_t> initial_row,
                           int num_key_words)
    : GroupsView{}, budget_(budget), initial_(initial_row.begin(), initial_row.end()) {
  parts = parts_.data();
  initial = reinterpret_cast<const kernels::i64*>(initial_.data());
  key_words = static_cast<kernels::u32>(num_key_words);
  row_words = static_cast<kernels::u32>(initial_.size());
  grow = &WorkerGroups::GrowFromKernel;
}

bool WorkerGroups::GrowFromKernel(kernels::KernelCall* call, kernels::u32 part) {
  auto* groups = static_cast<WorkerGroups*>(call->groups);
  groups->status_ = groups->Grow(part, true);
  if (groups->status_.ok()) return true;
  call->error = static_cast<kernels::u32>(base::CodeOf(groups->status_));
  return false;
}

base::Status WorkerGroups::Grow(uint32_t index, bool with_row) {
  SVM_FAULT_POINT("exec.groups.grow");
  const GroupPart& part = parts_[index];
  if (part.count >= part.limit) SVM_RETURN_NOT_OK(GrowSlots(index));
  if (with_row && part.end_row - part.free_row < int64_t{row_words}) {
    SVM_RETURN_NOT_OK(AddChunk(index));
  }
  return base::Status::OK();
}

base::Status WorkerGroups::GrowSlots(uint32_t index) {
  GroupPart& part = parts_[index];
  const uint64_t grown = part.slots == nullptr ? kFirstSlots : 2 * (part.mask + 1);
  SVM_ASSIGN_OR_RETURN(auto larger, Buffer::Make(budget_, static_cast<int64_t>(grown * 8), kWhat,
                                                 Buffer::Fill::kZero));
  u64* slots = larger->as<u64>();
  const uint64_t old_slots = part.slots == nullptr ? 0 : part.mask + 1;
  for (uint64_t i = 0; i < old_slots; ++i) {
    if (part.slots[i] == 0) continue;
    const auto* row = reinterpret_cast<const int64_t*>(part.slots[i] & kernels::kSlotPayload);
    uint64_t at = HashOf(row) & (grown - 1);
    while (slots[at] != 0) at = (at + 1) & (grown - 1);
    slots[at] = part.slots[i];
  }
  part.slots = slots;
  part.mask = grown - 1;
  part.limit = grown / 2;
  memory_[index].slots = std::move(larger);
  return base::Status::OK();
}

base::Status WorkerGroups::AddChunk(uint32_t index) {
  const int64_t row_bytes = int64_t{row_words} * 8;
  const int64_t largest = std::max(kFirstChunkRows, kLargestChunkBytes / row_bytes);
  const size_t doublings = std::min<size_t>(memory_[index].chunks.size(), 20);
  const int64_t rows = std::min(kFirstChunkRows << doublings, largest);
  SVM_ASSIGN_OR_RETURN(auto chunk, Buffer::Make(budget_, rows * row_bytes, kWhat));
  parts_[index].free_row = chunk->as<kernels::i64>();
  parts_[index].end_row = parts_[index].free_row + rows * row_words;
  memory_[index].chunks.push_back(std::move(chunk));
  return base::Status::OK();
}

uint64_t WorkerGroups::HashOf(const int64_t* row) const {
  return kernels::hash_words(reinterpret_cast<const u64*>(row), key_words);
}

int64_t* WorkerGroups::Find(const int64_t* row, uint64_t hash) const {
  const GroupPart& part = parts_[kernels::part_of(hash)];
  if (part.slots == nullptr) return nullptr;
  for (uint64_t at = hash & part.mask; part.slots[at] != 0; at = (at + 1) & part.mask) {
    if (!kernels::same_tag(part.slots[at], hash)) continue;
    auto* found = reinterpret_cast<int64_t*>(part.slots[at] & kernels::kSlotPayload);
    if (std::equal(row, row + key_words, found)) return found;
  }
  return nullptr;
}

void WorkerGroups::PrefetchSlot(uint64_t hash) const {
  const GroupPart& part = parts_[kernels::part_of(hash)];
  __builtin_prefetch(part.slots + (hash & part.mask));
}

void WorkerGroups::PrefetchRow(uint64_t hash) const {
  const GroupPart& part = parts_[kernels::part_of(hash)];
  if (part.slots == nullptr) return;
  __builtin_prefetch(
      reinterpret_cast<const int64_t*>(part.slots[hash & part.mask] & kernels::kSlotPayload), 1);
}

base::Status WorkerGroups::Adopt(int64_t* row, uint64_t hash) {
  const uint32_t index = kernels::part_of(hash);
  GroupPart& part = parts_[index];
  if (part.count >= part.limit) SVM_RETURN_NOT_OK(Grow(index, false));
  uint64_t at = hash & part.mask;
  while (part.slots[at] != 0) at = (at + 1) & part.mask;
  part.slots[at] = kernels::make_slot(hash, reinterpret_cast<uint64_t>(row));
  ++part.count;
  return base::Status::OK();
}

base::Status WorkerGroups::Insert(const int64_t* row, uint64_t hash) {
  const uint32_t index = kernels::part_of(hash);
  SVM_RETURN_NOT_OK(Grow(index, true));
  GroupPart& part = parts_[index];
  auto* const own = reinterpret_cast<int64_t*>(part.free_row);
  part.free_row += row_words;
  std::copy_n(row, row_words, own);
  return Adopt(own, hash);
}

}  // namespace shadowvm::exec
