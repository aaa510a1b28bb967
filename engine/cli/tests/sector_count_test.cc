// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/sector_count.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "engine/exec/tests/kernel_fixture.h"

namespace shadowvm::cli {
namespace {

class SectorCountTest : public ::testing::Test {
 protected:
  void SetUp() override { exec::AddSsbTables(engine_.get()); }

  SectorCount Count(const std::string& query) {
    const auto lineorder = engine_->Open({{}, "lineorder"}).ValueOrDie();
    return CountSectors(engine_.get(), RegisteredTables(), lineorder.get(), query).ValueOrDie();
  }

  // The rows that a query adds up.
  int64_t RowsOf(const std::string& query) {
    v1::Command command = exec::SsbQuery(query).ToCommand();
    auto& actions = *command.mutable_actions();
    while (!actions.rbegin()->has_aggregate()) actions.RemoveLast();  // sorts
    v1::Action& last = *actions.rbegin();
    last.mutable_aggregate()->Clear();
    *last.mutable_aggregate()->add_aggregates() = client::Count().As("rows").proto();
    command.set_root(last.id());
    const auto answer = engine_->Run(command).ValueOrDie();
    return static_cast<const arrow::Int64Array&>(*answer->column(0)->chunk(0)).Value(0);
  }

  std::unique_ptr<exec::Engine> engine_ = exec::MakeTestEngine();
};

// Whoever changes a query finds out here that its count asks for other rows.
TEST_F(SectorCountTest, LooksAtTheRowsOfTheQuery) {
  for (const std::string& query : SsbQueryNames()) {
    EXPECT_EQ(Count(query).rows, RowsOf(query)) << query;
  }
}

TEST_F(SectorCountTest, CountsSectorsWithARowThatIsLeft) {
  const auto scale = ssb::MakeScale(0.01, 1).ValueOrDie();
  std::shared_ptr<arrow::RecordBatch> lines;
  for (const auto& table : ssb::MakeTables(scale)) {
    if (table->name() == "lineorder") lines = table->Generate(0, table->num_rows()).ValueOrDie();
  }
  const auto days =
      std::static_pointer_cast<arrow::Int32Array>(lines->GetColumnByName("lo_orderdate"));
  int64_t sectors = 0, last = -1;
  constexpr int64_t kRows = 32;  // of a discount, in a byte
  for (int64_t row = 0; row < days->length(); ++row) {
    if (days->Value(row) / 10000 != 1993 || row / kRows == last) continue;
    last = row / kRows;
    ++sectors;
  }
  const SectorCount count = Count("q1.1");
  ASSERT_EQ(count.columns.size(), 4U);
  EXPECT_EQ(count.columns[0].bytes, 2 * days->length());
  EXPECT_EQ(count.columns[0].touched_bytes, (2 * days->length() + 31) / 32 * 32);
  EXPECT_EQ(count.columns[1].column, "lo_discount");
  EXPECT_EQ(count.columns[1].bytes, days->length());
  EXPECT_EQ(count.columns[1].touched_bytes, 32 * sectors);
  EXPECT_LT(count.columns[3].touched_bytes, count.columns[3].bytes);
}

TEST_F(SectorCountTest, KnowsNoOtherQueries) {
  const auto lineorder = engine_->Open({{}, "lineorder"}).ValueOrDie();
  const auto count = CountSectors(engine_.get(), RegisteredTables(), lineorder.get(), "q9.9");
  EXPECT_EQ(base::CodeOf(count.status()), base::ErrorCode::kBadCommand);
}

}  // namespace
}  // namespace shadowvm::cli
