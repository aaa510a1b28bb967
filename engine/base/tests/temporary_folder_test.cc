// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace shadowvm::base {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolderTest, ItGoesWithWhatItHolds) {
  std::optional<TemporaryFolder> folder(TemporaryFolder::Make().ValueOrDie());
  const fs::path path = folder->path();
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  std::ofstream(path / "file") << "text";
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolderTest, ItGoesWithItsLastOwner) {
  fs::path path;
  {
    TemporaryFolder first = TemporaryFolder::Make().ValueOrDie();
    path = first.path();
    const TemporaryFolder second(std::move(first));
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace shadowvm::base
