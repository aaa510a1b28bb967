// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/dictionary_rule.h"

#include "engine/columns/dictionary.h"

namespace shadowvm::columns {
namespace {

constexpr int64_t kAlwaysKept = 1024;

}  // namespace

bool KeepsDictionary(int64_t distinct, int64_t rows) {
  if (distinct <= kAlwaysKept) return true;
  return distinct <= Dictionary::kMaxEntries && distinct * 4 <= rows;
}

}  // namespace shadowvm::columns
