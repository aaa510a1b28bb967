// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>

#include "engine/base/status.h"
#include "engine/plan/plan.h"
#include "engine/storage/file_list.h"
#include "shadowvm/v1/action.pb.h"

namespace shadowvm::plan {

// A list of files from its wire form, checked. kBadCommand, kUnsupportedType; each names the place.
base::Result<std::shared_ptr<const storage::FileList>> BuildFileList(const v1::FileList& proto,
                                                                     const Settings& settings);

// Data fields, then partition fields.
columns::Schema SchemaOf(const storage::FileList& list);

}  // namespace shadowvm::plan
