// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/byte_size.h"

#include <gtest/gtest.h>

namespace shadowvm::cli {
namespace {

TEST(ByteSizeTest, ReadsUnits) {
  EXPECT_EQ(*ParseBytes("3G"), 3'000'000'000);
  EXPECT_EQ(*ParseBytes("512MiB"), 512 << 20);
  EXPECT_EQ(*ParseBytes("64Ki"), 64 << 10);
  EXPECT_EQ(*ParseBytes("1.5k"), 1500);
  EXPECT_EQ(*ParseBytes("1000"), 1000);
}

TEST(ByteSizeTest, RefusesWhatIsNoSize) {
  for (const auto* text : {"", "G", "-1", "3Q", "3GG", "3i", "nan", "99999999T"})
    EXPECT_FALSE(ParseBytes(text).ok()) << text;
}

TEST(ByteSizeTest, WritesReadableSizes) {
  EXPECT_EQ(FormatBytes(260 << 20), "260 MiB");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(12), "12 B");
}

}  // namespace
}  // namespace shadowvm::cli
