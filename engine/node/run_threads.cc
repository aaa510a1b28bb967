// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/run_threads.h"

#include <utility>

namespace shadowvm::node {

RunThreads::~RunThreads() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  started_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void RunThreads::Start(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  if (waiting_.size() > idle_) threads_.emplace_back([this] { RunLoop(); });
  started_.notify_one();
}

void RunThreads::RunLoop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    started_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it held goes now, not when the next piece comes
    lock.lock();
  }
}

}  // namespace shadowvm::node
