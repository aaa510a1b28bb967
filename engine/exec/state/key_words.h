// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/exec/state/row_set.h"
#include "engine/exec/state/text_interner.h"

namespace shadowvm::exec {

// Keys of joins and groups as words, the form in which kernels hash and compare them:
// integer columns: the value, sign-extended; wide decimals: low word, high word; floats and
// doubles: the bits of the value as a double, one pattern for every NaN and for both zeroes;
// strings: an id of the state's interner.
int KeyWords(const RowColumn& column);

// Writes the words of key columns for every row: those of row r at words[r * total …], where total
// is the sum of KeyWords. Words of null keys are 0. 'interner' may be null when no key is a string.
base::Status FillKeyWords(const RowSet& rows, std::span<const int> keys, TextInterner* interner,
                          uint64_t* words);

// Such rows meet nothing in a join.
inline bool HasNullKey(const RowSet& rows, std::span<const int> keys, int64_t row) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](int key) { return !rows.columns[key].is_valid(row); });
}

// The reverse, for one column: values from the words at words[i][0 …] into rows [at, at + count) of
// 'data'. Strings come out as copies the interner owns. Validity is not touched.
void EmitKeyWords(const int64_t* const* words, int64_t count, const TextInterner* interner,
                  int64_t at, RowData* data);

}  // namespace shadowvm::exec
