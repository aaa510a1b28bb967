// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Duplicate build keys: see cpu/expand.h. Each lane goes through the matches of its own row; those
// that have fewer wait for the others of their warp.

#include "engine/kernels/cuda/tile.h"

namespace shadowvm::kernels {

struct ExpandedTile {
  static constexpr bool wide = false;

  u32 count = 0;
  u32 live = 0;
  u32 row = 0;
  u32 origin[kTileRows] = {0};
  u32 match[kTileRows];
};

template <class T>
struct Expansion {
  const T& parent;
  const u32* next;
  u32 pending;  // the lane's next build row
  bool more;    // there is one, or with 'outer' the pair of a row without any
  SVM_MEMBER Expansion(const T& t, const u32* first, const u32* chain, bool outer = false)
      : parent(t),
        next(chain),
        pending(t.live != 0 ? first[0] : kNoRow),
        more(pending != kNoRow || (outer && t.live != 0)) {}
};

template <class T>
SVM_INLINE bool expand(Expansion<T>& x, ExpandedTile& e) {
  const bool live = x.more;
  e.row = x.parent.row;
  e.match[0] = x.pending;
  if (x.pending != kNoRow) x.pending = x.next != nullptr ? load(x.next + x.pending) : kNoRow;
  x.more = x.pending != kNoRow;
  take_live(e, live);
  return e.count != 0;
}

}  // namespace shadowvm::kernels
