// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shadowvm::exec {

// The places of rows in the order of their ids; rows of one id stay in the order of their places.
// At most 2^32 of them.
std::vector<uint32_t> SourceOrder(std::span<const uint64_t> ids);

}  // namespace shadowvm::exec
