// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/history_file.h"

#include <system_error>
#include <utility>

namespace shadowvm::schedule {

HistoryFile::HistoryFile(KernelHistory* history, std::string path, std::chrono::milliseconds every)
    : history_(*history), path_(std::move(path)), every_(every) {
  history_.Load(path_);
  try {
    saver_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
    // It is written at the end, as ever.
  }
}

HistoryFile::~HistoryFile() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_one();
  if (saver_.joinable()) saver_.join();
  Save();
}

void HistoryFile::Run() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, every_, [this] { return ends_; })) Save();
}

void HistoryFile::Save() {
  // Where it fails the next process learns again.
  if (history_.has_news()) static_cast<void>(history_.Save(path_));
}

}  // namespace shadowvm::schedule
