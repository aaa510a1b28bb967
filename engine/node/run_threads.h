// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace shadowvm::node {

// Threads for pieces of work that begin at once, however many there are: as many threads as there
// were pieces at a time, kept for the next ones, because to start one takes longer than a short
// query. Their owner waits for all work when it ends. Thread-safe.
class RunThreads {
 public:
  ~RunThreads();
  void Start(std::function<void()> work);

 private:
  void RunLoop();

  std::mutex mutex_;
  std::condition_variable started_;
  std::deque<std::function<void()>> waiting_;
  size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace shadowvm::node
