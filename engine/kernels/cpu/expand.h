// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Duplicate build keys: one tile in, several out, one position per pair of source row and build
// row.

#include "engine/kernels/cpu/tile.h"

namespace shadowvm::kernels {

// A tile of pairs. Verbs and loops use it like a Tile; match[p] is the pair's build row (kNoRow:
// none, outer joins), origin[p] its position in the parent tile, by which the parent's own matches
// are found.
struct ExpandedTile {
  static constexpr bool kContiguous = false;

  u32 count = 0;
  bool all = false;
  alignas(64) u16 selection[kTileRows + kBlockRows];
  u16 origin[kTileRows];
  u32 row[kTileRows];
  u32 match[kTileRows];

  SVM_MEMBER const u32* sources() const { return row; }
  SVM_MEMBER u32 source(u32 p) const { return row[p]; }
};

// The way through a parent tile's pairs. first_match is by position of the parent; next is the
// table's chain, null for unique keys. With 'outer' a row without a match gives one pair with
// kNoRow, else none.
template <class T>
struct Expansion {
  const T& parent;
  const u32* first_match;
  const u32* next;
  bool outer;
  u32 j = 0;             // the parent's row at hand
  u32 pending = kNoRow;  // its next build row, when it has been begun

  SVM_MEMBER Expansion(T& t, const u32* first, const u32* chain, bool is_outer = false)
      : parent(t), first_match(first), next(chain), outer(is_outer) {
    settle(t);
  }
};

// Fills e with the next pairs; false when there are none left. while (expand(x, e)) { … }
template <class T>
SVM_VERB bool expand(Expansion<T>& x, ExpandedTile& e) {
  u32 n = 0;
  while (n < kTileRows && x.j < x.parent.count) {
    const u32 p = x.parent.selection[x.j];
    const u32 match = x.pending != kNoRow ? x.pending : x.first_match[p];
    e.origin[n] = u16(p);
    e.row[n] = x.parent.source(p);
    e.match[n] = match;
    n += match != kNoRow || x.outer;
    x.pending = match != kNoRow && x.next != nullptr ? x.next[match] : kNoRow;
    x.j += x.pending == kNoRow;
  }
  e.count = n;
  e.all = false;
  write_selection(e.selection, n);
  return n != 0;
}

}  // namespace shadowvm::kernels
