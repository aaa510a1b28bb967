// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>

#include "engine/exec/state/sort_order.h"

namespace shadowvm::exec {

// Sorts entries by their prefixes; those of equal prefix keep their order. Digit by digit, the last
// one first, digits that are the same everywhere left out. 'room' is as long as 'entries'.
void SortByPrefix(std::span<SortEntry> entries, std::span<SortEntry> room);

}  // namespace shadowvm::exec
