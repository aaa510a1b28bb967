// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/span.h"

#include <gtest/gtest.h>

namespace shadowvm::base {
namespace {

TEST(Spans, AddUpPerStage) {
  Spans spans;
  spans.Add(Stage::kScan, std::chrono::milliseconds(2));
  spans.Add(Stage::kScan, std::chrono::milliseconds(3));
  EXPECT_DOUBLE_EQ(spans.Milliseconds(Stage::kScan), 5.0);
  EXPECT_DOUBLE_EQ(spans.Milliseconds(Stage::kRun), 0.0);
  spans.Reset();
  EXPECT_DOUBLE_EQ(spans.Milliseconds(Stage::kScan), 0.0);
}

TEST(Spans, ASpanEndsWithItsScope) {
  Spans spans;
  {
    Span span(&spans, Stage::kMerge);
  }
  EXPECT_GT(spans.Milliseconds(Stage::kMerge), 0.0);
}

}  // namespace
}  // namespace shadowvm::base
