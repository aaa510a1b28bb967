// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/table_name.h"

#include <algorithm>
#include <filesystem>

namespace shadowvm::storage {
namespace {

namespace fs = std::filesystem;

fs::path CommonFolder(const std::vector<SeenFile>& files) {
  std::string common = files.front().path;
  for (const SeenFile& file : files) {
    const auto differ =
        std::mismatch(common.begin(), common.end(), file.path.begin(), file.path.end());
    common.erase(differ.first, common.end());
  }
  common.erase(std::min(common.rfind('/') + 1, common.size()));
  return common;
}

}  // namespace

std::string TableName(const std::string& path) {
  const fs::path full(path);
  const fs::path last = full.has_filename() ? full : full.parent_path();
  return last.stem().string();
}

std::string TableName(const std::vector<SeenFile>& files) {
  if (files.empty()) return "nothing";
  const fs::path first(files.front().path);
  const bool numbered = first.filename().string().starts_with("part-");
  if (files.size() == 1 && !numbered) return TableName(files.front().path);
  fs::path folder = CommonFolder(files).parent_path();
  while (folder.filename().string().find('=') != std::string::npos) folder = folder.parent_path();
  return folder.has_filename() ? TableName(folder.string()) : TableName(files.front().path);
}

}  // namespace shadowvm::storage
