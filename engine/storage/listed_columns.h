// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/base/status.h"
#include "engine/storage/file_list.h"
#include "engine/storage/file_set.h"
#include "engine/storage/table_column.h"

namespace shadowvm::storage {

// The columns a planner decided on, found in the files: data fields, then partition fields. 'files'
// are those of 'list', in its order. kUnsupported naming file and column when Spark might read
// other values than we would.
base::Result<BoundColumns> BindColumns(const FileList& list, const FileSet& files);

}  // namespace shadowvm::storage
