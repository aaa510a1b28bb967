// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/columns/type.h"
#include "engine/storage/partition_value.h"

namespace shadowvm::storage {

// A file as a planner saw it.
struct SeenFile {
  std::string path;
  int64_t size = 0;
  int64_t modified_ms = 0;  // since the epoch; 0: not known
};

// A table as a planner decided on it: every file, and the columns it wants of them whatever else
// they hold.
struct FileList {
  std::vector<SeenFile> files;
  std::vector<columns::Field> data;         // found in the files by name
  std::vector<PartitionColumn> partitions;  // follow the data fields
  bool case_sensitive = false;
};

}  // namespace shadowvm::storage
