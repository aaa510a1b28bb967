// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/text_interner.h"

#include <string_view>
#include <vector>

#include "engine/kernels/common/hash.h"

namespace shadowvm::exec {
namespace {

using memory::Buffer;

constexpr std::string_view kWhat = "interned strings";
constexpr uint32_t kChunkTexts = 256;
constexpr uint32_t kFirstSlots = 64;
constexpr uint32_t kShardBits = 6;
constexpr uint32_t kMaxShardTexts = (UINT32_MAX >> kShardBits) - 1;
static_assert(TextInterner::kShards == 1 << kShardBits);

uint64_t HashOf(const kernels::Text& text) { return kernels::hash_text(text); }

}  // namespace

// A slot is the upper half of the hash and the text's number + 1; 0 = empty. The shard is the
// lowest bits of the hash, the first slot the bits above them.
struct TextInterner::Shard {
  explicit Shard(memory::MemoryBudget* shard_budget) : budget(shard_budget), arena(shard_budget) {}

  kernels::Text At(uint32_t number) const {
    return chunks[number / kChunkTexts]->as<kernels::Text>()[number % kChunkTexts];
  }

  // The slot of a string, or the empty one where it belongs. There are always empty ones.
  uint32_t Locate(const kernels::Text& text, uint64_t hash) const {
    const auto* entries = slots->as<uint64_t>();
    const uint64_t tag = hash >> 32 << 32;
    auto slot = static_cast<uint32_t>(hash >> kShardBits) & mask;
    while (entries[slot] != 0) {
      const bool tagged = (entries[slot] ^ tag) >> 32 == 0;
      if (tagged && View(At(static_cast<uint32_t>(entries[slot]) - 1)) == View(text)) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  base::Status GrowSlots() {
    const uint32_t grown = slots == nullptr ? kFirstSlots : 2 * (mask + 1);
    SVM_ASSIGN_OR_RETURN(auto larger,
                         Buffer::Make(budget, int64_t{grown} * 8, kWhat, Buffer::Fill::kZero));
    auto* entries = larger->as<uint64_t>();
    for (uint32_t number = 0; number < count; ++number) {
      const uint64_t hash = HashOf(At(number));
      auto slot = static_cast<uint32_t>(hash >> kShardBits) & (grown - 1);
      while (entries[slot] != 0) slot = (slot + 1) & (grown - 1);
      entries[slot] = (hash >> 32 << 32) | (number + 1);
    }
    slots = std::move(larger);
    mask = grown - 1;
    return base::Status::OK();
  }

  base::Status Append(const kernels::Text& text) {
    if (count == kMaxShardTexts) {
      return base::MakeError(base::ErrorCode::kCardinality, "too many distinct strings");
    }
    if (count / kChunkTexts == chunks.size()) {
      SVM_ASSIGN_OR_RETURN(
          auto chunk, Buffer::Make(budget, int64_t{kChunkTexts} * sizeof(kernels::Text), kWhat));
      chunks.push_back(std::move(chunk));
    }
    SVM_ASSIGN_OR_RETURN(chunks.back()->as<kernels::Text>()[count % kChunkTexts], arena.Keep(text));
    ++count;
    return base::Status::OK();
  }

  base::Result<uint32_t> Intern(const kernels::Text& text, uint64_t hash) {
    if (slots == nullptr || 2 * (count + 1) > mask) SVM_RETURN_NOT_OK(GrowSlots());
    const uint32_t slot = Locate(text, hash);
    uint64_t& entry = slots->as<uint64_t>()[slot];
    if (entry == 0) {
      SVM_RETURN_NOT_OK(Append(text));
      entry = (hash >> 32 << 32) | count;
    }
    return static_cast<uint32_t>(entry) - 1;
  }

  memory::MemoryBudget* budget;
  std::mutex mutex;
  std::shared_ptr<Buffer> slots;
  uint32_t mask = 0;
  uint32_t count = 0;
  std::vector<std::shared_ptr<Buffer>> chunks;
  TextArena arena;
};

TextInterner::TextInterner(memory::MemoryBudget* budget) : budget_(budget) {
  for (auto& shard : shards_) shard = std::make_unique<Shard>(budget_);
}

TextInterner::~TextInterner() = default;

base::Result<uint32_t> TextInterner::Intern(const kernels::Text& text) {
  SVM_ASSIGN_OR_RETURN(const Interned interned, Intern(text, HashOf(text)));
  return interned.id;
}

base::Result<TextInterner::Interned> TextInterner::Intern(const kernels::Text& text,
                                                          uint64_t hash) {
  const uint32_t index = hash % kShards;
  Shard& shard = *shards_[index];
  std::lock_guard lock(shard.mutex);
  SVM_ASSIGN_OR_RETURN(const uint32_t number, shard.Intern(text, hash));
  return Interned{number << kShardBits | index, shard.At(number)};
}

uint32_t TextInterner::Find(const kernels::Text& text) const {
  const uint64_t hash = HashOf(text);
  const uint32_t index = hash % kShards;
  const Shard& shard = *shards_[index];
  if (shard.slots == nullptr) return kernels::kNoRow;
  const uint64_t entry = shard.slots->as<uint64_t>()[shard.Locate(text, hash)];
  if (entry == 0) return kernels::kNoRow;
  return (static_cast<uint32_t>(entry) - 1) << kShardBits | index;
}

int64_t TextInterner::size() const {
  int64_t size = 0;
  for (const auto& shard : shards_) size += shard->count;
  return size;
}

void TextInterner::ForEach(
    const std::function<void(uint32_t id, const kernels::Text& text)>& visit) const {
  for (uint32_t index = 0; index < kShards; ++index) {
    const Shard& shard = *shards_[index];
    for (uint32_t number = 0; number < shard.count; ++number) {
      visit(number << kShardBits | index, shard.At(number));
    }
  }
}

kernels::Text TextInterner::At(uint32_t id) const {
  Shard& shard = *shards_[id % kShards];
  std::lock_guard lock(shard.mutex);
  return shard.At(id >> kShardBits);
}

}  // namespace shadowvm::exec
