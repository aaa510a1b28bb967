// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/call_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <optional>

namespace shadowvm::node {
namespace {

using std::chrono::milliseconds;

TEST(CallWatchTest, ItLooksAgainAndAgain) {
  CallWatch watch(milliseconds(1));
  std::latch seen(3);
  std::atomic<int> looks{0};
  const CallWatch::Watched watched(&watch, [&] {
    if (++looks <= 3) seen.count_down();
  });
  seen.wait();
}

TEST(CallWatchTest, ItWakesUpForACallAfterALongRest) {
  CallWatch watch(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(150));  // more periods than it waits for a call
  std::latch seen(1);
  std::atomic<bool> first{true};
  const CallWatch::Watched watched(&watch, [&] {
    if (first.exchange(false)) seen.count_down();
  });
  seen.wait();
}

TEST(CallWatchTest, ItNeverLooksAtACallThatIsOver) {
  CallWatch watch(milliseconds(1));
  for (int call = 0; call < 50; ++call) {
    auto looked = std::make_unique<std::atomic<int>>(0);
    std::optional<CallWatch::Watched> watched;
    watched.emplace(&watch, [counter = looked.get()] { ++*counter; });
    if (call % 10 == 0) std::this_thread::sleep_for(milliseconds(3));
    watched.reset();
    looked.reset();  // a look from now on would be one at freed memory
  }
}

}  // namespace
}  // namespace shadowvm::node
