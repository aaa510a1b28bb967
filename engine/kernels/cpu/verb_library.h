// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

// The verbs that most kernels call, for tiles of source rows. They are compiled once, with every
// optimisation, and linked into each kernel that calls them; a kernel's own text then holds little
// more than its sentence, and compiles in a fraction of the time. A verb that is not listed is
// compiled with the kernel.
//
// Kernels see declarations; the text that defines SVM_DEFINE_VERB_LIBRARY becomes the library.
#pragma once

#include "engine/kernels/cpu/verbs.h"

#ifdef SVM_DEFINE_VERB_LIBRARY
#define SVM_IN_LIBRARY template
#else
#define SVM_IN_LIBRARY extern template
#endif

namespace shadowvm::kernels {

#define SVM_COLUMN_VERBS(U)                                                                      \
  SVM_IN_LIBRARY void keep_range(Tile&, const Column<U>&, const RangeView&);                     \
  SVM_IN_LIBRARY void keep_existing(Tile&, const Direct&, const Column<U>&, u64);                \
  SVM_IN_LIBRARY void keep_existing_checked(Tile&, const Direct&, const Column<U>&, u64);        \
  SVM_IN_LIBRARY void keep_not_in_nullable(Tile&, const Direct&, const Column<U>&);              \
  SVM_IN_LIBRARY void add_join_code(const Tile&, Slots&, const Direct&, const Column<U>&, u64);  \
  SVM_IN_LIBRARY void add_column_code(const Tile&, Slots&, const Column<U>&, i64, u64);          \
  SVM_IN_LIBRARY void add_nullable_column_code(const Tile&, Slots&, const Column<U>&, i64, u64,  \
                                               u32);                                             \
  SVM_IN_LIBRARY void sum_slots(const Tile&, const Slots&, i64*, u32, const Column<U>&);         \
  SVM_IN_LIBRARY void append_column<u8>(const Tile&, const KernelCall*, u32, const Column<U>&);  \
  SVM_IN_LIBRARY void append_column<i8>(const Tile&, const KernelCall*, u32, const Column<U>&);  \
  SVM_IN_LIBRARY void append_column<i16>(const Tile&, const KernelCall*, u32, const Column<U>&); \
  SVM_IN_LIBRARY void append_column<i32>(const Tile&, const KernelCall*, u32, const Column<U>&); \
  SVM_IN_LIBRARY void append_column<i64>(const Tile&, const KernelCall*, u32, const Column<U>&);
SVM_COLUMN_VERBS(u8)
SVM_COLUMN_VERBS(u16)
SVM_COLUMN_VERBS(u32)
SVM_COLUMN_VERBS(u64)
#undef SVM_COLUMN_VERBS

SVM_IN_LIBRARY bool next_tile(Tile&, const KernelCall*);
SVM_IN_LIBRARY bool end_steps(Tile&, const KernelCall*);
SVM_IN_LIBRARY void settle(Tile&);
SVM_IN_LIBRARY void append_codes(const Tile&, const KernelCall*, u32, const CodeColumn&);
SVM_IN_LIBRARY void count_slots(const Tile&, const Slots&, i64*, u32);
SVM_IN_LIBRARY void keep_bits(Tile&, const u64*, u64);
SVM_IN_LIBRARY void keep_pass(Tile&, const CodeColumn&, const PassView&);
SVM_IN_LIBRARY void keep_in_keys(Tile&, const Direct&, const i64*);
SVM_IN_LIBRARY void keep_not_in_keys(Tile&, const Direct&, const i64*);
SVM_IN_LIBRARY void add_code(const Tile&, Slots&, const CodeColumn&, u64);
SVM_IN_LIBRARY void add_nullable_code(const Tile&, Slots&, const CodeColumn&, u64, u32);
SVM_IN_LIBRARY void add_hash_join_code(const Tile&, Slots&, const u16*, const u32*, u64);
SVM_IN_LIBRARY bool expand(Expansion<Tile>&, ExpandedTile&);

#define SVM_KEY_VERBS(W)                                                         \
  SVM_IN_LIBRARY void find_rows(const HashView&, const Keys<W>&, u32, u32*);     \
  SVM_IN_LIBRARY void probe_hash(Tile&, const HashView&, const Keys<W>&, u32*);  \
  SVM_IN_LIBRARY void probe_hash_exists(Tile&, const HashView&, const Keys<W>&); \
  SVM_IN_LIBRARY void probe_hash_absent(Tile&, const HashView&, const Keys<W>&); \
  SVM_IN_LIBRARY void find_groups(Tile&, KernelCall*, const Keys<W>&, i64**);
SVM_KEY_VERBS(1)
SVM_KEY_VERBS(2)
SVM_KEY_VERBS(3)
SVM_KEY_VERBS(4)
#undef SVM_KEY_VERBS
#undef SVM_IN_LIBRARY

}  // namespace shadowvm::kernels
