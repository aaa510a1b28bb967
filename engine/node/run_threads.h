// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace shadowvm::node {

// Threads that each do one piece of work and end. Their owner waits for all of them when it ends.
// Thread-safe.
class RunThreads {
 public:
  ~RunThreads();
  void Start(std::function<void()> work);

 private:
  struct Run {
    std::atomic<bool> done{false};
    std::thread thread;
  };
  std::mutex mutex_;
  std::list<Run> runs_;
};

}  // namespace shadowvm::node
