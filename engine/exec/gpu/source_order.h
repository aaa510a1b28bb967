// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/status.h"
#include "engine/memory/buffer.h"

namespace shadowvm::exec {

// The places of rows, 4 bytes each, in the order of their ids; rows of one id stay in the order of
// their places. At most 2^32 of them.
base::Result<std::shared_ptr<memory::Buffer>> SourceOrder(std::span<const uint64_t> ids,
                                                          memory::MemoryBudget* budget);

}  // namespace shadowvm::exec
