// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_texts.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/exec/state/text_arena.h"

namespace shadowvm::exec {
namespace {

constexpr device::DeviceAddress kThere = 0x7000'0000;

kernels::Text At(device::DeviceAddress address, unsigned size) {
  return {reinterpret_cast<const char*>(address), size, 0};
}

TEST(TextOrigins, StringsAreFoundByWhereTheyLie) {
  const std::string first = "one two", second = "three";
  TextOrigins origins;
  origins.Add(kThere + 100, second.data(), std::ssize(second));
  origins.Add(kThere, first.data(), std::ssize(first));
  EXPECT_EQ(View(origins.Find(At(kThere, 7)).ValueOrDie()), "one two");
  EXPECT_EQ(View(origins.Find(At(kThere + 4, 3)).ValueOrDie()), "two");
  EXPECT_EQ(View(origins.Find(At(kThere + 104, 1)).ValueOrDie()), "e");
  // One without bytes may be anywhere.
  EXPECT_EQ(origins.Find(At(1, 0)).ValueOrDie().size, 0u);
}

TEST(TextOrigins, OthersAreAskedForTheRest) {
  const std::string tables = "a table's", segment = "a segment's";
  TextOrigins others;
  others.Add(kThere, tables.data(), std::ssize(tables));
  TextOrigins origins(&others);
  origins.Add(kThere + 1000, segment.data(), std::ssize(segment));
  EXPECT_EQ(View(origins.Find(At(kThere + 2, 5)).ValueOrDie()), "table");
  EXPECT_EQ(View(origins.Find(At(kThere + 1002, 7)).ValueOrDie()), "segment");
}

// Before any, between two, over the end of one, and behind all.
TEST(TextOrigins, WhatNobodyToldOfIsAnError) {
  const std::string bytes = "eight by";
  TextOrigins origins;
  origins.Add(kThere, bytes.data(), 8);
  origins.Add(kThere + 16, bytes.data(), 8);
  for (const auto& [at, size] : {std::pair(-1, 2u), {8, 1u}, {6, 3u}, {20, 5u}, {24, 1u}}) {
    const auto found = origins.Find(At(kThere + static_cast<uint64_t>(at), size));
    EXPECT_EQ(base::CodeOf(found.status()), base::ErrorCode::kInternal) << at;
  }
}

}  // namespace
}  // namespace shadowvm::exec
