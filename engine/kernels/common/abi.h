// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// What the host and a compiled kernel share: the argument block of one kernel call and everything
// it points to. Freestanding: no standard or system header, the same bytes for every compiler. A
// change here changes the embedded-header hash and with it every kernel's cache key, so old cached
// kernels are never called with a new layout.

#include "engine/kernels/common/text.h"

namespace shadowvm::kernels {

using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long;
using i128 = __int128;
using u128 = unsigned __int128;

// Rows for which a kernel holds intermediate results at once: those of a core's tile. A GPU's lane
// holds one.
#ifndef SVM_TILE_ROWS
#define SVM_TILE_ROWS 2048
#endif
inline constexpr u32 kTileRows = SVM_TILE_ROWS;

// One column of the segment at hand. Which fields mean something follows from the column's layout,
// which is part of the kernel's text.
struct ColumnView {
  const void* data;     // offsets of the frame, wide values, floats, codes, or bytes of text
  const u32* offsets;   // plain text: rows + 1 of them
  const u64* validity;  // bitmap, 1 = valid; null: all valid
  i64 base;             // frame of reference
  const Text* texts;    // the dictionary of a coded column
};

// Rows whose frame offset o satisfies o - low <= length (unsigned) pass. Bound per segment from the
// literal bounds and the segment's base; a range that no row of the segment can meet never reaches
// a kernel.
struct RangeView {
  u64 low;
  u64 length;
};

// A predicate over a dictionary, evaluated once: pass[code] is 0 or 1.
struct PassView {
  const u8* pass;
};

// A join table addressed by key - base, for one integer key. 'size' is the number of addressable
// keys. When the probe column's zone is known the table spans it, so that no probe needs a bounds
// check.
struct DirectView {
  const u8* bits;  // existence, one bit a key; padded by 8 bytes
  const u8*
      bytes;  // existence, one byte (0 or 1) a key, when the set is small enough for L1; else null
  const u16* codes;  // group code a key, 0 = no match; null unless the pipeline groups by it
  const u32* rows;   // build row a key, kNoRow = no match; null unless payload is read
  const u32*
      next;  // build row -> next build row of the same key, kNoRow = last; null for unique keys
  i64 base;
  u64 size;
};
inline constexpr u32 kNoRow = 0xffffffffu;

// Ids of strings, by their bytes: open addressing as in a hash join table, over slots of tag and
// position + 1.
struct TextIndexView {
  const u64* slots;
  u64 mask;
  const Text* texts;
  const u32* ids;
  u64 count;
};

// A hash join table: open addressing with linear probing over slots of tag (16 bits) and row + 1
// (48 bits), 0 = empty; num_slots = mask + 1, never full. Keys of build row r are words keys[r *
// key_words …].
struct HashView {
  const u64* slots;
  u64 mask;
  const u64* keys;
  const u32* next;   // as above
  const u16* codes;  // group code a build row
  TextIndexView texts;
};

// A column of a join's build rows, addressed by build row. Framed types are held at their natural
// signed width.
struct PayloadView {
  const void* data;   // i8 … i64, i128, float, double, u32 codes, or Text
  const u8* valid;    // one byte a row; null: all valid
  const Text* texts;  // the dictionary of a coded column
};

// A literal, or a value the host computed from one. The text says which member is meant.
union LiteralView {
  i64 integer;
  double real;
  i128 wide;
  Text text;
};

// An IN list: sorted, distinct.
struct ListView {
  const i64* integers;
  const Text* texts;
  const double* reals;
  u64 count;
};

// Maps a string key column's codes to the ids of a hash table's or a group table's strings; kNoRow
// = not there.
struct TranslationView {
  const u32* ids;
};

// One radix part of a worker's hash groups. Slots hold tag (16 bits) and the address of a row (48
// bits).
inline constexpr u32 kRadixParts = 64;
struct GroupPart {
  u64* slots;
  u64 mask;
  u64 count;
  u64 limit;      // grow when count reaches it
  i64* free_row;  // next row to hand out
  i64* end_row;   // end of the current chunk of rows
};

struct KernelCall;

// Hash groups of one worker. A row is key_words words of key, then the accumulators, initialised
// from 'initial'.
struct GroupsView {
  GroupPart* parts;
  const i64* initial;  // row_words words; the key part is overwritten
  u32 key_words;
  u32 row_words;
  // Makes room in a part: more slots, or a new chunk of rows. Sets call->error on failure and
  // returns false.
  bool (*grow)(KernelCall* call, u32 part);
};

// Where surviving rows are appended: column by column, at 'count'. 'reserve' makes room for at
// least 'rows' more and updates the pointers; it sets call->error on failure and returns false.
struct OutputView {
  void** columns;
  u8** valid;  // per column, one byte a row; null entries for columns that are never null
  u64 count;
  u64 capacity;
  bool (*reserve)(KernelCall* call, u64 rows);
};

// Codes of KernelCall::error: 0, or the number of base::ErrorCode.
inline constexpr u32 kErrorOverflow = 4003;
inline constexpr u32 kErrorDivideByZero = 4004;
inline constexpr u32 kErrorCastOverflow = 4005;
inline constexpr u32 kErrorOutOfMemory = 4001;

// The argument of a kernel: one per worker and pipeline, rebound per partition.
struct KernelCall {
  const ColumnView* columns;
  const RangeView* ranges;
  const PassView* passes;
  const DirectView* directs;
  const HashView* hashes;
  const PayloadView* payloads;
  const LiteralView* literals;
  const ListView* lists;
  const TranslationView* translations;

  // The order in which the reorderable steps run, and how many of them; steps left out are not
  // needed (a set that every key is in). When 'survivors' is set the kernel measures: it counts the
  // rows left after the steps and stops before the sink.
  const u8* order;
  u32 num_steps;
  u32 row_begin;  // rows of the segment to work on
  u32 row_end;
  u32 error;
  u64* survivors;
  const volatile u32* cancelled;

  // The sink's state; which members mean something follows from the text.
  i64* dense;          // dense groups: slots of accumulator rows; or the single row of an ungrouped
                       // aggregate
  const u64* strides;  // per group key: its factor in the slot number
  const i64* origins;  // per group key taken from a column: the value with code 0
  GroupsView* groups;
  OutputView* output;

  // Strings that must outlive their segment: a stable id, or a stable copy. Used by plain-text keys
  // of groups and minima.
  void* interner;
  u32 (*intern)(KernelCall* call, Text text);      // id, or kNoRow with call->error set
  Text (*keep_text)(KernelCall* call, Text text);  // a copy that lives as long as the query
};

using KernelEntry = void (*)(KernelCall*);

}  // namespace shadowvm::kernels
