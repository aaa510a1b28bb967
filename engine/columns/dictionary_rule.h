// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

namespace shadowvm::columns {

// Whether a string column of which the first segment was seen keeps its dictionary: at most a
// quarter of its rows distinct. A dictionary of a thousand entries costs nothing and is always
// kept, so that small tables group and compare by code.
bool KeepsDictionary(int64_t distinct, int64_t rows);

}  // namespace shadowvm::columns
