// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/history_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "engine/base/tests/test_folder.h"

namespace shadowvm::schedule {
namespace {

double SavedSpeed(const std::string& path) {
  KernelHistory saved;
  saved.Load(path);
  return saved.Find(7)[Side::kCpu];
}

// Of a process that is killed there is no end.
TEST(HistoryFile, IsWrittenWhileTheHistoryIsInUse) {
  const base::TestFolder folder;
  const std::string path = folder / "kernel_speeds";
  KernelHistory history;
  const HistoryFile file(&history, path, std::chrono::milliseconds(1));
  for (const double speed : {100.0, 300.0}) {
    history.Record(7, Side::kCpu, speed);
    const double expected = history.Find(7)[Side::kCpu];
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (SavedSpeed(path) != expected && std::chrono::steady_clock::now() < patience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(SavedSpeed(path), expected);
  }
}

TEST(HistoryFile, IsWrittenAtTheEnd) {
  const base::TestFolder folder;
  const std::string path = folder / "kernel_speeds";
  KernelHistory history;
  std::optional<HistoryFile> file(std::in_place, &history, path, std::chrono::hours(1));
  history.Record(7, Side::kCpu, 100);
  EXPECT_FALSE(std::filesystem::exists(path));
  file.reset();
  EXPECT_EQ(SavedSpeed(path), 100);
  KernelHistory next;
  file.emplace(&next, path, std::chrono::hours(1));
  EXPECT_EQ(next.Find(7)[Side::kCpu], 100);
  // Who has learned nothing leaves it alone.
  std::filesystem::remove(path);
  file.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace shadowvm::schedule
