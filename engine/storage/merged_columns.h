// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <vector>

#include "engine/base/status.h"
#include "engine/storage/file_set.h"
#include "engine/storage/partition_value.h"
#include "engine/storage/table_column.h"

namespace shadowvm::storage {

// The columns that at least one file has, in the widest type that one has, then the partition
// columns; one of the same name in the files gives way to the folder's. kSchemaMismatch naming file
// and column when files disagree; kUnsupportedType when no column is left. Needs at least one file.
base::Result<BoundColumns> MergeColumns(const FileSet& files,
                                        const std::vector<PartitionColumn>& partitions);

}  // namespace shadowvm::storage
