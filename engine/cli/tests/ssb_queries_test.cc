// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/ssb_queries.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shadowvm::cli {
namespace {

using nlohmann::json;

TEST(SsbQueriesTest, ThereAreThirteen) {
  const auto& names = SsbQueryNames();
  ASSERT_EQ(names.size(), 13U);
  EXPECT_EQ(names.front(), "q1.1");
  EXPECT_EQ(names.back(), "q4.3");
  const SsbTables tables = TablesInFolder("data");
  for (const auto& name : names) {
    const auto query = MakeSsbQuery(name, tables, json::object());
    ASSERT_TRUE(query.ok()) << query.status();
    EXPECT_NE(query->ToCommand().DebugString().find("data/lineorder.parquet"), std::string::npos)
        << name;
  }
}

TEST(SsbQueriesTest, ConstantsReachTheCommand) {
  const SsbTables tables = RegisteredTables();
  const auto query =
      MakeSsbQuery("q2.1", tables, json{{"category", "MFGR#55"}, {"region", "AFRICA"}});
  ASSERT_TRUE(query.ok());
  const std::string text = query->ToCommand().DebugString();
  EXPECT_NE(text.find("MFGR#55"), std::string::npos);
  EXPECT_NE(text.find("AFRICA"), std::string::npos);
  EXPECT_EQ(text.find("AMERICA"), std::string::npos);
}

TEST(SsbQueriesTest, UnknownNamesAreRefused) {
  const SsbTables tables = RegisteredTables();
  EXPECT_EQ(base::CodeOf(MakeSsbQuery("q5.1", tables, json::object()).status()),
            base::ErrorCode::kBadCommand);
  EXPECT_FALSE(MakeSsbQuery("q1.1", tables, json{{"month", 3}}).ok());
  EXPECT_FALSE(MakeSsbQuery("q1.1", tables, json{{"year", "1993"}}).ok());
  EXPECT_FALSE(MakeSsbQuery("q1.2", tables, json{{"year", 1993}}).ok());
}

}  // namespace
}  // namespace shadowvm::cli
