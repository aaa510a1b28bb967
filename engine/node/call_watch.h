// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace shadowvm::node {

// Looks after calls whose threads are busy with their queries: whether their clients are still
// there. Thread-safe.
class CallWatch {
 public:
  explicit CallWatch(std::chrono::milliseconds period);
  ~CallWatch();  // no call may be watched
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

  // Has 'look' called by another thread once a period, until this goes, and not after.
  class Watched {
   public:
    Watched(CallWatch* watch, std::function<void()> look);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    CallWatch& watch_;
    std::list<std::function<void()>>::iterator place_;
  };

 private:
  void Loop();

  const std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::function<void()>> looks_;
  bool asleep_ = false;  // until someone comes
  bool ending_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace shadowvm::node
