// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The one hash of join tables and hash groups, shared by the kernels that probe and the host that
// builds and merges. Bits of a hash: the low ones number the slot, 32 … 47 are the tag, the top six
// the radix part.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

// Mixes one more word into a hash; the high half of the product carries every bit of both to the
// low ones.
SVM_INLINE u64 mix_word(u64 hash, u64 word) {
  const u128 product = u128(hash ^ word) * 0x9e3779b97f4a7c15u;
  return u64(product) ^ u64(product >> 64);
}

inline constexpr u64 kHashSeed = 0x2545f4914f6cdd1du;

// The last step: spreads a hash once more, since one product leaves weak bits for small words.
SVM_INLINE u64 finish_hash(u64 hash) {
  hash *= 0xd6e8feb86659fd93u;
  return hash ^ (hash >> 32);
}

// The hash of a key of 'count' words.
SVM_INLINE u64 hash_words(const u64* words, u32 count) {
  u64 hash = kHashSeed;
  for (u32 w = 0; w < count; ++w) hash = mix_word(hash, words[w]);
  return finish_hash(hash);
}

// The hash of a string's bytes. Keys of tables hold its id.
SVM_INLINE u64 hash_text(const Text& text) {
  u64 hash = mix_word(kHashSeed, text.size);
  u32 at = 0;
  for (; at + 8 <= text.size; at += 8) {
    u64 word;
    __builtin_memcpy(&word, text.data + at, 8);
    hash = mix_word(hash, word);
  }
  u64 tail = 0;
  for (u32 shift = 0; at < text.size; ++at, shift += 8) tail |= u64(u8(text.data[at])) << shift;
  return finish_hash(mix_word(hash, tail));
}

// A slot is tag << 48 | payload, 0 = empty. The payload is row + 1 in a join table, an address in a
// group part.
inline constexpr u64 kSlotPayload = (u64(1) << 48) - 1;
SVM_INLINE u64 tag_bits(u64 hash) { return hash << 16 & ~kSlotPayload; }
SVM_INLINE u64 make_slot(u64 hash, u64 payload) { return tag_bits(hash) | payload; }
SVM_INLINE bool same_tag(u64 slot, u64 hash) { return ((slot ^ tag_bits(hash)) >> 48) == 0; }

// The radix part of a group's key.
SVM_INLINE u32 part_of(u64 hash) { return u32(hash >> 58); }
static_assert(kRadixParts == 64);

}  // namespace shadowvm::kernels
