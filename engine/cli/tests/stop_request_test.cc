// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/stop_request.h"

#include <gtest/gtest.h>

#include <ctime>

namespace shadowvm::cli {
namespace {

// Takes a signal that waits, so that it does not end the test.
void Consume(int signal) {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  const timespec now{};
  EXPECT_EQ(::sigtimedwait(&set, nullptr, &now), signal);
}

TEST(StopRequestTest, SeesASignalThatWaits) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopRequest stop;
    EXPECT_TRUE(stop.Check().ok());
    ::raise(signal);
    EXPECT_EQ(base::CodeOf(stop.Check()), base::ErrorCode::kCancelled);
    Consume(signal);
    EXPECT_TRUE(stop.Check().ok());
  }
}

TEST(StopRequestTest, TheSignalTakesItsCourseAfterwards) {
  EXPECT_EXIT(
      {
        const StopRequest stop;
        ::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(StopRequestTest, IgnoredSignalsStayIgnored) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    const StopRequest stop;
    ::raise(SIGINT);
    EXPECT_TRUE(stop.Check().ok());
  }
  std::signal(SIGINT, before);
}

}  // namespace
}  // namespace shadowvm::cli
