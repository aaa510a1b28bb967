// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/storage/partition_value.h"

namespace shadowvm::storage {

// A file and the key=value folders it lies under, keys in order of depth. An absent value is null.
struct ListedFile {
  std::string path;
  std::vector<std::pair<std::string, std::optional<std::string>>> partition;
};

// The data files behind 'paths': each a file, or a folder searched through. Names that start with
// '_' or '.' are not data. Sorted within a folder. kFileMissing, kNoDataFiles, and kSchemaMismatch
// when files lie under different partition keys.
base::Result<std::vector<ListedFile>> ListFiles(std::span<const std::string> paths);

// Of the folder names. The type is the narrowest of int32, int64, date and string that every value
// reads as.
std::vector<PartitionColumn> PartitionColumns(const std::vector<ListedFile>& files);

}  // namespace shadowvm::storage
