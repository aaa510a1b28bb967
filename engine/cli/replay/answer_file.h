// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <filesystem>

#include "engine/base/status.h"

namespace shadowvm::cli {

// Writes a table as an Arrow IPC file; the file appears whole or not at all.
base::Status WriteAnswerFile(const arrow::Table& answer, const std::filesystem::path& path);

}  // namespace shadowvm::cli
