// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/dictionary.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <shared_mutex>

#include "engine/base/fault.h"
#include "engine/memory/buffer.h"

namespace shadowvm::columns {
namespace {

constexpr int64_t kTextsBytes = int64_t{Dictionary::kMaxEntries} * sizeof(kernels::Text);
constexpr int64_t kTextsStep = 64 << 10;  // bytes of entries counted at a time
constexpr int64_t kFirstChunk = 4 << 10;
constexpr int64_t kLargestChunk = 1 << 20;
constexpr uint32_t kEmpty = UINT32_MAX;

struct Slot {
  uint32_t hash = 0;
  uint32_t code = kEmpty;
};

uint32_t HashOf(std::string_view text) {
  const uint64_t hash = std::hash<std::string_view>{}(text);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

std::string_view View(const kernels::Text& text) { return {text.data, text.size}; }

}  // namespace

// Bytes of the strings, the hash table over them, and what was counted. Guarded by 'mutex'.
struct Dictionary::Storage {
  explicit Storage(memory::MemoryBudget* budget) : budget(budget) {}
  ~Storage() { budget->Release(counted); }

  base::Status Count(int64_t bytes) {
    SVM_RETURN_NOT_OK(budget->Reserve(bytes, "table dictionary"));
    counted += bytes;
    return base::Status::OK();
  }

  base::Result<const char*> Copy(std::string_view text) {
    const auto size = static_cast<int64_t>(text.size());
    if (size == 0) return "";
    if (chunks.empty() || chunk_used + size > chunks.back()->size()) {
      const int64_t grown = chunks.empty() ? kFirstChunk : chunks.back()->size() * 2;
      SVM_ASSIGN_OR_RETURN(
          auto chunk, memory::Buffer::Make(budget, std::max(size, std::min(grown, kLargestChunk)),
                                           "table dictionary"));
      chunks.push_back(std::move(chunk));
      chunk_used = 0;
    }
    char* to = chunks.back()->as<char>() + chunk_used;
    std::memcpy(to, text.data(), size);
    chunk_used += size;
    return to;
  }

  // The slot of 'text', or the empty one where it belongs.
  size_t Locate(const kernels::Text* texts, std::string_view text, uint32_t hash) const {
    const size_t mask = slots.size() - 1;
    size_t at = hash & mask;
    while (slots[at].code != kEmpty &&
           (slots[at].hash != hash || View(texts[slots[at].code]) != text)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  base::Status GrowSlots() {
    const size_t size = std::max<size_t>(64, slots.size() * 2);
    SVM_RETURN_NOT_OK(Count(static_cast<int64_t>((size - slots.size()) * sizeof(Slot))));
    std::vector<Slot> grown(size);
    for (const Slot& slot : slots) {
      if (slot.code == kEmpty) continue;
      size_t at = slot.hash & (size - 1);
      while (grown[at].code != kEmpty) at = (at + 1) & (size - 1);
      grown[at] = slot;
    }
    slots = std::move(grown);
    return base::Status::OK();
  }

  memory::MemoryBudget* budget;
  mutable std::shared_mutex mutex;
  std::vector<std::shared_ptr<memory::Buffer>> chunks;
  int64_t chunk_used = 0;
  std::vector<Slot> slots;
  int64_t texts_counted = 0;
  int64_t counted = 0;

  std::mutex ranks_mutex;
  std::shared_ptr<const std::vector<uint32_t>> ranks;
};

Dictionary::Dictionary(memory::MemoryBudget* budget)
    : storage_(std::make_unique<Storage>(budget)) {}

Dictionary::~Dictionary() {
  if (texts_ != nullptr) munmap(texts_, kTextsBytes);
}

base::Result<std::shared_ptr<Dictionary>> Dictionary::Make(memory::MemoryBudget* budget) {
  SVM_FAULT_POINT("columns.dictionary");
  std::shared_ptr<Dictionary> dictionary(new Dictionary(budget));
  void* space = mmap(nullptr, kTextsBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) {
    return base::MakeError(base::ErrorCode::kOutOfMemory,
                           "table dictionary: no address space for its entries");
  }
  // Entries are few as a rule: small pages, so that a dictionary of ten strings costs 4 KiB and not
  // 2 MiB.
  madvise(space, kTextsBytes, MADV_NOHUGEPAGE);
  dictionary->texts_ = static_cast<kernels::Text*>(space);
  return dictionary;
}

base::Result<std::vector<uint32_t>> Dictionary::Intern(std::span<const std::string_view> texts) {
  std::vector<uint32_t> codes;
  codes.reserve(texts.size());
  std::unique_lock lock(storage_->mutex);
  Storage& storage = *storage_;
  uint32_t size = size_.load(std::memory_order_relaxed);
  for (const std::string_view text : texts) {
    if (storage.slots.size() < 2 * (size_t{size} + 1)) SVM_RETURN_NOT_OK(storage.GrowSlots());
    const uint32_t hash = HashOf(text);
    Slot& slot = storage.slots[storage.Locate(texts_, text, hash)];
    if (slot.code == kEmpty) {
      if (size == kMaxEntries) {
        return base::MakeError(
            base::ErrorCode::kCardinality,
            "a table dictionary holds at most " + std::to_string(kMaxEntries) + " strings");
      }
      if (int64_t{size + 1} * int64_t{sizeof(kernels::Text)} > storage.texts_counted) {
        SVM_RETURN_NOT_OK(storage.Count(kTextsStep));
        storage.texts_counted += kTextsStep;
      }
      SVM_ASSIGN_OR_RETURN(const char* data, storage.Copy(text));
      unsigned prefix = 0;
      std::memcpy(&prefix, data, std::min<size_t>(4, text.size()));
      texts_[size] = {data, static_cast<unsigned>(text.size()), prefix};
      slot = {hash, size};
      size_.store(++size, std::memory_order_release);
    }
    codes.push_back(slot.code);
  }
  return codes;
}

int64_t Dictionary::Find(std::string_view text) const {
  std::shared_lock lock(storage_->mutex);
  if (storage_->slots.empty()) return -1;
  const Slot& slot = storage_->slots[storage_->Locate(texts_, text, HashOf(text))];
  return slot.code == kEmpty ? -1 : int64_t{slot.code};
}

std::string_view Dictionary::at(uint32_t code) const { return View(texts_[code]); }

std::shared_ptr<const std::vector<uint32_t>> Dictionary::ranks() const {
  std::lock_guard lock(storage_->ranks_mutex);
  const uint32_t count = size();
  if (storage_->ranks != nullptr && storage_->ranks->size() == count) return storage_->ranks;
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) { return at(a) < at(b); });
  auto ranks = std::make_shared<std::vector<uint32_t>>(count);
  for (uint32_t rank = 0; rank < count; ++rank) (*ranks)[order[rank]] = rank;
  storage_->ranks = ranks;
  return ranks;
}

}  // namespace shadowvm::columns
