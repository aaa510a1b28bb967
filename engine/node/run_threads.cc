// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/run_threads.h"

#include <utility>

namespace shadowvm::node {

RunThreads::~RunThreads() {
  for (Run& run : runs_) run.thread.join();
}

void RunThreads::Start(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  // Those that have ended since the last start.
  runs_.remove_if([](Run& run) {
    if (!run.done) return false;
    run.thread.join();
    return true;
  });
  Run& run = runs_.emplace_back();
  run.thread = std::thread([&run, work = std::move(work)]() mutable {
    work();
    work = nullptr;  // what it held goes now, not when the thread is waited for
    run.done = true;
  });
}

}  // namespace shadowvm::node
