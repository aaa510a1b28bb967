// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/storage/file_list.h"

namespace shadowvm::storage {

// What a table is called in errors and generated text: the file's or folder's name.
std::string TableName(const std::string& path);
// Of the folder that holds all files, key=value folders aside, where their own names are a writer's
// numbers ("part-00000-…"): they would give every copy of a table kernels of its own.
std::string TableName(const std::vector<SeenFile>& files);

}  // namespace shadowvm::storage
