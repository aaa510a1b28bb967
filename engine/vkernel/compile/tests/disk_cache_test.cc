// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/base/fault.h"
#include "engine/vkernel/compile/tests/test_kernels.h"

namespace shadowvm::vkernel {
namespace {

namespace fs = std::filesystem;
using base::CodeOf;
using base::ErrorCode;

constexpr int64_t kPlenty = 1 << 30;

std::unique_ptr<DiskCache> Open(const std::string& path, int64_t max_bytes = kPlenty) {
  auto disk = DiskCache::Open(path, max_bytes);
  EXPECT_TRUE(disk.ok()) << disk.status();
  return std::move(*disk);
}

Digest KeyOf(const std::string& name) { return Sha256::Of(name); }

std::optional<std::string> Read(DiskCache* disk, const std::string& name) {
  auto bytes = disk->Read(KeyOf(name));
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : std::nullopt;
}

std::string OnlyFile(const std::string& folder) {
  std::string found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_TRUE(found.empty());
    found = entry.path();
  }
  return found;
}

TEST(DiskCacheTest, WhatIsWrittenIsReadByTheNext) {
  const TestFolder folder;
  const std::string bytes(100'000, 'k');
  EXPECT_TRUE(Open(folder / "a/b")->Write(KeyOf("one"), bytes).ok());
  auto disk = Open(folder / "a/b");
  EXPECT_EQ(Read(disk.get(), "one"), bytes);
  EXPECT_EQ(Read(disk.get(), "two"), std::nullopt);
  EXPECT_EQ(disk->corrupt_dropped(), 0);
}

TEST(DiskCacheTest, FolderAndEntriesAreOursAlone) {
  const TestFolder folder;
  auto disk = Open(folder / "a");
  ASSERT_TRUE(disk->Write(KeyOf("one"), "bytes").ok());
  struct stat found;
  ASSERT_EQ(::stat((folder / "a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700);
  ASSERT_EQ(::stat(OnlyFile(folder / "a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600);
}

TEST(DiskCacheTest, AFolderOthersMayWriteToIsRefused) {
  const TestFolder folder;
  for (const mode_t mode : {0770, 0702}) {
    ASSERT_EQ(::chmod(folder.path().c_str(), mode), 0);
    const auto refused = DiskCache::Open(folder.path(), kPlenty);
    EXPECT_EQ(CodeOf(refused.status()), ErrorCode::kWriteFailed);
    EXPECT_NE(refused.status().message().find(folder.path()), std::string::npos);
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0700), 0);
}

TEST(DiskCacheTest, AFolderOfSomebodyElseIsRefused) {
  if (::geteuid() == 0) {
    const TestFolder folder;
    ASSERT_EQ(::chown(folder.path().c_str(), 12345, 12345), 0);
    EXPECT_FALSE(DiskCache::Open(folder.path(), kPlenty).ok());
  } else {
    EXPECT_FALSE(DiskCache::Open("/usr", kPlenty).ok());
  }
}

TEST(DiskCacheTest, AFolderThatCannotBeMadeIsAnError) {
  EXPECT_EQ(CodeOf(DiskCache::Open("/proc/no/such", kPlenty).status()), ErrorCode::kWriteFailed);
}

// Each way to damage an entry.
void Truncate(const std::string& file) { fs::resize_file(file, fs::file_size(file) - 1); }
void CutInHeader(const std::string& file) { fs::resize_file(file, 20); }
void Empty(const std::string& file) { fs::resize_file(file, 0); }
void Grow(const std::string& file) { std::ofstream(file, std::ios::app) << "more"; }
void FlipAt(const std::string& file, long at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(at);
  const char byte = static_cast<char>(stream.get() ^ 0x10);
  stream.seekp(at);
  stream.put(byte);
}
void FlipMagic(const std::string& file) { FlipAt(file, 0); }
void FlipKey(const std::string& file) { FlipAt(file, 20); }
void FlipContent(const std::string& file) { FlipAt(file, 100); }
void ReplaceByLink(const std::string& file) {
  fs::rename(file, file + ".moved");
  fs::create_symlink(file + ".moved", file);
}

class DamageTest : public testing::TestWithParam<void (*)(const std::string&)> {};

TEST_P(DamageTest, IsDroppedAndCanBeWrittenAgain) {
  const TestFolder folder;
  auto disk = Open(folder.path());
  ASSERT_TRUE(disk->Write(KeyOf("one"), std::string(64, 'k')).ok());
  const std::string file = OnlyFile(folder.path());
  GetParam()(file);
  EXPECT_EQ(Read(disk.get(), "one"), std::nullopt);
  EXPECT_EQ(disk->corrupt_dropped(), 1);
  EXPECT_FALSE(fs::exists(fs::symlink_status(file)));
  ASSERT_TRUE(disk->Write(KeyOf("one"), "again").ok());
  EXPECT_EQ(Read(disk.get(), "one"), "again");
}

INSTANTIATE_TEST_SUITE_P(Damages, DamageTest,
                         testing::Values(Truncate, CutInHeader, Empty, Grow, FlipMagic, FlipKey,
                                         FlipContent, ReplaceByLink));

TEST(DiskCacheTest, TheLongestUnusedGoFirst) {
  const TestFolder folder;
  auto disk = Open(folder.path(), 3'500);
  for (const char* name : {"one", "two", "three"}) {
    ASSERT_TRUE(disk->Write(KeyOf(name), std::string(1'000, 'k')).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // times of files are coarse
  }
  EXPECT_TRUE(Read(disk.get(), "one"));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_TRUE(disk->Write(KeyOf("four"), std::string(1'000, 'k')).ok());
  EXPECT_FALSE(Read(disk.get(), "two"));
  for (const char* name : {"one", "three", "four"}) EXPECT_TRUE(Read(disk.get(), name)) << name;
}

TEST(DiskCacheTest, FilesOfDeadWritersAreRemoved) {
  const TestFolder folder;
  const std::string stale = folder / "temporary-1-1-x";
  const std::string fresh = folder / "temporary-2-1-x";
  std::ofstream(stale) << "half";
  std::ofstream(fresh) << "half";
  fs::last_write_time(stale, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(Open(folder.path())->Write(KeyOf("one"), "bytes").ok());
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST(DiskCacheTest, AFailedWriteLeavesNothing) {
  const TestFolder folder;
  auto disk = Open(folder / "a");
  ASSERT_TRUE(base::ArmFaults("cache.write=always:enospc").ok());
  EXPECT_EQ(CodeOf(disk->Write(KeyOf("one"), "bytes")), ErrorCode::kWriteFailed);
  base::DisarmFaults();
  EXPECT_TRUE(fs::is_empty(folder / "a"));
  fs::remove(folder / "a");  // a folder that takes no files
  EXPECT_EQ(CodeOf(disk->Write(KeyOf("one"), "bytes")), ErrorCode::kWriteFailed);
}

}  // namespace
}  // namespace shadowvm::vkernel
