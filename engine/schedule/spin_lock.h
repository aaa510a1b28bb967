// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <thread>

namespace shadowvm::schedule {

// For what is held for less than a microsecond by threads that all have a core: one that finds it
// taken looks again. A mutex would put it to sleep, and waking it up costs more than the work that
// is handed out under the lock may be worth. A holder may still lose its core: after a while who
// waits lets others run.
class SpinLock {
 public:
  void lock() {
    for (int looks = 0; taken_.exchange(true, std::memory_order_acquire);) {
      while (taken_.load(std::memory_order_relaxed)) {
        if (++looks < kLooks) {
          Pause();
        } else {
          std::this_thread::yield();
        }
      }
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  static constexpr int kLooks = 1000;

  static void Pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::atomic<bool> taken_{false};
};

}  // namespace shadowvm::schedule
