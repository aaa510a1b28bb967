// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "engine/schedule/kernel_history.h"

namespace shadowvm::schedule {

// A history's file: read at the start, written from time to time while there is news, by a thread
// of its own, and at the end. So a process that is killed has lost little, and those that run at
// the same time learn from each other.
class HistoryFile {
 public:
  // How long a process may be alive after it has learned something and still lose it.
  static constexpr std::chrono::milliseconds kEvery{5000};

  // The history outlives this.
  HistoryFile(KernelHistory* history, std::string path, std::chrono::milliseconds every = kEvery);
  ~HistoryFile();
  HistoryFile(const HistoryFile&) = delete;
  HistoryFile& operator=(const HistoryFile&) = delete;

 private:
  void Run();
  void Save();

  KernelHistory& history_;
  const std::string path_;
  const std::chrono::milliseconds every_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread saver_;
};

}  // namespace shadowvm::schedule
