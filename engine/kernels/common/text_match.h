// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// What strings mean: order, equality, search and LIKE, all by bytes (Spark's UTF8_BINARY). No
// function reads past a string's last byte.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

// A Text over 'size' bytes.
SVM_INLINE Text make_text(const char* data, u32 size) {
  u32 prefix = 0;
  if (size >= 4) {
    __builtin_memcpy(&prefix, data, 4);
  } else {
    for (u32 at = 0; at < size; ++at) prefix |= u32(u8(data[at])) << (8 * at);
  }
  return Text{data, size, prefix};
}

// Whether 'size' bytes are the same.
SVM_INLINE bool same_bytes(const char* a, const char* b, u32 size) {
  u32 at = 0;
  for (; at + 8 <= size; at += 8) {
    u64 left, right;
    __builtin_memcpy(&left, a + at, 8);
    __builtin_memcpy(&right, b + at, 8);
    if (left != right) return false;
  }
  for (; at < size; ++at)
    if (a[at] != b[at]) return false;
  return true;
}

SVM_INLINE bool text_equal(const Text& a, const Text& b) {
  return a.size == b.size && a.prefix == b.prefix && same_bytes(a.data, b.data, a.size);
}

// < 0, 0 or > 0: a before, equal to or after b, by unsigned bytes; a prefix comes first.
SVM_INLINE int text_compare(const Text& a, const Text& b) {
  if (a.prefix != b.prefix) {
    return __builtin_bswap32(a.prefix) < __builtin_bswap32(b.prefix) ? -1 : 1;
  }
  const u32 size = a.size < b.size ? a.size : b.size;
  for (u32 at = 0; at < size; ++at) {
    if (a.data[at] != b.data[at]) return u8(a.data[at]) < u8(b.data[at]) ? -1 : 1;
  }
  return a.size == b.size ? 0 : a.size < b.size ? -1 : 1;
}

SVM_INLINE bool text_starts_with(const Text& text, const Text& part) {
  return part.size <= text.size && same_bytes(text.data, part.data, part.size);
}

SVM_INLINE bool text_ends_with(const Text& text, const Text& part) {
  return part.size <= text.size &&
         same_bytes(text.data + (text.size - part.size), part.data, part.size);
}

SVM_INLINE bool text_contains(const Text& text, const Text& part) {
  if (part.size == 0) return true;
  if (part.size > text.size) return false;
  const u32 last = text.size - part.size;
  for (u32 at = 0; at <= last; ++at) {
    if (text.data[at] == part.data[0] && same_bytes(text.data + at, part.data, part.size))
      return true;
  }
  return false;
}

// Bytes of the UTF-8 character that begins with 'lead'; 1 for a byte that begins none.
SVM_INLINE u32 character_size(char lead) {
  const u8 byte = u8(lead);
  return byte < 0xc2 || byte > 0xf4 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// Where the count-th character after byte 'at' begins; the end of the text where there are fewer.
SVM_INLINE u32 skip_characters(const Text& text, u32 at, i64 count) {
  for (; at < text.size && count > 0; --count) at += character_size(text.data[at]);
  return at < text.size ? at : text.size;
}

SVM_INLINE i64 count_characters(const Text& text) {
  i64 count = 0;
  for (u32 at = 0; at < text.size; at += character_size(text.data[at])) ++count;
  return count;
}

// 'length' characters from the first-th: 1 (and 0) is the first, -1 the last. A start before the
// text counts, as in Spark: substring('abc', -5, 3) is 'a'.
SVM_FUNCTION Text text_substring(const Text& text, i64 first, i64 length) {
  const i64 start = first > 0 ? first - 1 : first < 0 ? count_characters(text) + first : 0;
  const i64 end = start + length;
  if (length <= 0 || end <= 0) return make_text(text.data, 0);
  const u32 from = skip_characters(text, 0, start);
  const u32 to = skip_characters(text, from, end - (start > 0 ? start : 0));
  return make_text(text.data + from, to - from);
}

// text LIKE pattern ESCAPE escape: % is any run, _ one character (not byte), the escape makes the
// next byte literal. The pattern is well-formed (an escape is followed by %, _ or itself; the
// planner checks). Greedy with one point of return, the last %: linear for one %, quadratic at
// worst.
SVM_FUNCTION bool text_like(const Text& text, const Text& pattern, char escape) {
  constexpr u32 kNowhere = ~u32(0);
  u32 at = 0, next = 0, after_run = kNowhere, run_at = 0;
  for (;;) {
    if (next < pattern.size && pattern.data[next] == '%' && escape != '%') {
      after_run = ++next;
      run_at = at;
      continue;
    }
    if (at >= text.size && next >= pattern.size) return true;
    bool matches = false;
    u32 step = 1, width = 1;
    if (next < pattern.size && at < text.size) {
      const bool literal = pattern.data[next] == escape && next + 1 < pattern.size;
      if (!literal && pattern.data[next] == '_') {
        matches = true;
        step = character_size(text.data[at]);
      } else {
        width = literal ? 2 : 1;
        matches = pattern.data[next + width - 1] == text.data[at];
      }
    }
    if (matches) {
      at = step < text.size - at ? at + step : text.size;  // a cut character ends the text
      next += width;
    } else {
      if (after_run == kNowhere || run_at >= text.size) return false;
      run_at += character_size(text.data[run_at]);
      at = run_at;
      next = after_run;
    }
  }
}

}  // namespace shadowvm::kernels
