// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/call_watch.h"

#include <utility>

namespace shadowvm::node {
namespace {

// Periods without a call after which the thread sleeps: waking it for each of many short queries
// would cost them more than it costs to come by now and then.
constexpr int kIdlePeriods = 50;

}  // namespace

CallWatch::CallWatch(std::chrono::milliseconds period)
    : period_(period), thread_([this] { Loop(); }) {}

CallWatch::~CallWatch() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void CallWatch::Loop() {
  std::unique_lock lock(mutex_);
  int idle = 0;
  while (!ending_) {
    asleep_ = idle >= kIdlePeriods;
    if (asleep_) {
      changed_.wait(lock, [&] { return ending_ || !looks_.empty(); });
      asleep_ = false;
    }
    changed_.wait_for(lock, period_, [&] { return ending_; });
    idle = looks_.empty() ? idle + 1 : 0;
    for (const auto& look : looks_) look();
  }
}

CallWatch::Watched::Watched(CallWatch* watch, std::function<void()> look) : watch_(*watch) {
  std::lock_guard lock(watch_.mutex_);
  place_ = watch_.looks_.insert(watch_.looks_.end(), std::move(look));
  if (watch_.asleep_) watch_.changed_.notify_one();
}

CallWatch::Watched::~Watched() {
  std::lock_guard lock(watch_.mutex_);
  watch_.looks_.erase(place_);
}

}  // namespace shadowvm::node
