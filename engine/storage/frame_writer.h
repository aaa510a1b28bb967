// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>

#include "engine/storage/value_writer.h"

namespace shadowvm::storage {

// Writes value - zone.min as unsigned integers of 'width' bytes; a value outside the zone is
// kCorruptFile.
std::unique_ptr<ValueWriter> MakeFrameWriter(const PhysicalForm& form, const columns::Zone& zone,
                                             int width);

}  // namespace shadowvm::storage
