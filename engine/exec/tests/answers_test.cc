// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include "engine/exec/tests/kernel_fixture.h"
#include "engine/exec/tests/kernel_tables.h"

// Answers at the edges, where a short cut of the executor would show; on both kinds of processor.
namespace shadowvm::exec {
namespace {

using client::Asc;
using client::Col;
using client::Count;
using client::Max;
using client::On;
using client::Sum;

class AnswersTest : public ::testing::TestWithParam<GpuKind> {
 protected:
  void SetUp() override { engine_ = MakeTestEngine("", GetParam()); }

  void AddTable(const std::string& name, const std::vector<NamedArray>& columns) {
    ASSERT_TRUE(engine_->AddTable(name, *MakeTable(columns)).ok());
  }
  base::Result<std::shared_ptr<arrow::Table>> Run(const client::Frame& frame, bool ansi = false) {
    v1::Command command = frame.ToCommand();
    command.mutable_settings()->set_ansi(ansi);
    return engine_->Run(command, {.mode = schedule::Mode::kGpu});
  }
  // All values of an int64 column.
  static std::vector<int64_t> Column(const arrow::Table& table, int ordinal) {
    std::vector<int64_t> values;
    for (const auto& chunk : table.column(ordinal)->chunks()) {
      const auto& array = static_cast<const arrow::Int64Array&>(*chunk);
      for (int64_t i = 0; i < array.length(); ++i) values.push_back(array.Value(i));
    }
    return values;
  }

  std::unique_ptr<Engine> engine_;
};

constexpr int64_t kRows = 20000;

// Keys 0 to 99; one row in 25 has none.
std::shared_ptr<arrow::Array> SparseKeys() {
  return Int32s(kRows, [](int64_t i) -> std::optional<int32_t> {
    return i % 25 == 7 ? std::nullopt : std::optional<int32_t>(i % 100);
  });
}

TEST_P(AnswersTest, RowsWithoutAKeyAreInNoGroup) {
  AddTable("facts", {{"k", SparseKeys()}});
  AddTable("dims", {{"d", Int32s(100, [](int64_t i) { return i; })},
                    {"g", Int32s(100, [](int64_t i) { return i / 50; })}});
  const auto answer = Run(client::Table("facts")
                              .Join(client::Table("dims"), {On("k", "d")})
                              .GroupBy({"g"})
                              .Aggregate({Count().As("rows")})
                              .OrderBy({Asc("g")}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(Column(**answer, 1), (std::vector<int64_t>{9600, 9600}));
}

// Keys 0 to 99 against keys 50 to 149, each of which is there twice, and no row of an empty side.
TEST_P(AnswersTest, OuterJoinsKeepRowsWithoutAMatch) {
  AddTable("facts", {{"k", SparseKeys()}});
  AddTable("twice", {{"d", Int32s(200, [](int64_t i) { return 50 + i / 2; })},
                     {"g", Int32s(200, [](int64_t i) { return 50 + i / 2; })}});
  const auto counts = [&](const client::Frame& built) {
    const auto answer = Run(client::Table("facts")
                                .LeftJoin(built, {On("k", "d")})
                                .Aggregate({Count().As("rows"), Count(Col("g")).As("met")}));
    EXPECT_TRUE(answer.ok()) << answer.status();
    return std::vector<int64_t>{Column(**answer, 0)[0], Column(**answer, 1)[0]};
  };
  // 20,000 rows, of which 9,600 have a key of at least 50.
  EXPECT_EQ(counts(client::Table("twice")), (std::vector<int64_t>{29600, 19200}));
  EXPECT_EQ(counts(client::Table("twice").Filter(Col("g") < 0)), (std::vector<int64_t>{20000, 0}));
  EXPECT_EQ(counts(client::Table("twice").GroupBy({"d"}).Aggregate({Max(Col("g")).As("g")})),
            (std::vector<int64_t>{20000, 9600}));
}

TEST_P(AnswersTest, LimitsBeyondTheEndKeepTheirOffset) {
  AddTable("facts", {{"x", Int32s(kRows, [](int64_t i) { return i; })}});
  const auto rows = [&](const client::Frame& frame) {
    const auto answer = Run(frame);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? (*answer)->num_rows() : -1;
  };
  const client::Frame facts = client::Table("facts");
  EXPECT_EQ(rows(facts.Limit(INT64_MAX, 5)), kRows - 5);
  EXPECT_EQ(rows(facts.OrderBy({Asc("x")}).Limit(INT64_MAX, 5)), kRows - 5);
  EXPECT_EQ(rows(facts.Limit(10, kRows - 3)), 3);
}

TEST_P(AnswersTest, WhatAJoinDropsRaisesNothing) {
  // x is 0 only where the key has no match.
  AddTable("facts", {{"k", Int32s(kRows, [](int64_t i) { return i % 100; })},
                     {"x", Int32s(kRows, [](int64_t i) { return i % 100 == 99 ? 0 : 3; })}});
  AddTable("dims", {{"d", Int32s(99, [](int64_t i) { return i; })},
                    {"g", Int32s(99, [](int64_t i) { return i / 50; })}});
  const auto answer = Run(client::Table("facts")
                              .Join(client::Table("dims"), {On("k", "d")})
                              .GroupBy({"g"})
                              .Aggregate({Sum(client::Lit(10) % Col("x")).As("rest")})
                              .OrderBy({Asc("g")}),
                          /*ansi=*/true);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(Column(**answer, 1), (std::vector<int64_t>{10000, 9800}));
}

TEST_P(AnswersTest, KeysAreComputedAfterTheFiltersThatGuardThem) {
  AddTable("facts", {{"k", Int32s(kRows, [](int64_t i) { return i; })},
                     {"x", Int32s(kRows, [](int64_t i) { return i % 5; })}});
  AddTable("dims", {{"d", Int32s(3, [](int64_t i) { return i; })}});
  const auto answer = Run(client::Table("facts")
                              .Filter(Col("x") != 0)
                              .Join(client::Table("dims"), {On(Col("k") % Col("x"), Col("d"))})
                              .Aggregate({Count().As("rows")}),
                          /*ansi=*/true);
  ASSERT_TRUE(answer.ok()) << answer.status();
  int64_t expected = 0;
  for (int64_t i = 0; i < kRows; ++i) expected += i % 5 != 0 && i % (i % 5) < 3;
  EXPECT_EQ(Column(**answer, 0), std::vector<int64_t>{expected});
}

TEST_P(AnswersTest, WideSumsAreExactOrFail) {
  AddTable("facts", {{"x", Int32s(kRows, [](int64_t) { return 9; })}});
  const client::Expr wide = Col("x").Cast(client::DecimalType(38, 0));
  const auto sum = [](const client::Expr& value) {
    return client::Table("facts")
        .Aggregate({Sum(value).As("sum")})
        .Map({{"sum", Col("sum").Cast(client::Int64Type())}});
  };
  const auto small = Run(sum(wide));
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ(Column(**small, 0), std::vector<int64_t>{9 * kRows});
  const int64_t shift = 1'000'000'000'000;
  EXPECT_EQ(base::CodeOf(Run(sum(wide * shift * shift * shift)).status()),
            base::ErrorCode::kOverflow);
}

TEST_P(AnswersTest, ColumnsMayHaveAnyName) {
  std::vector<NamedArray> columns;
  std::vector<client::Agg> sums;
  for (const char* name : {"p", "j", "i", "t", "bool", "step", "svm_at", "svm_count", "kTileRows",
                           "call", "dense", "for", "Column", "keep_range", "a b", "1", "", "x;"}) {
    columns.emplace_back(name, Int32s(100, [](int64_t i) { return i; }));
    sums.push_back(Sum(Col(name) + 1).As(std::string("sum of ") + name));
  }
  AddTable("facts", columns);
  const auto answer = Run(client::Table("facts").Filter(Col("p") < 50).Aggregate(sums));
  ASSERT_TRUE(answer.ok()) << answer.status();
  for (int i = 0; i < (*answer)->num_columns(); ++i) {
    EXPECT_EQ(Column(**answer, i), std::vector<int64_t>{1275}) << columns[i].first;
  }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, AnswersTest,
                         ::testing::Values(GpuKind::kNone, GpuKind::kEmulated),
                         [](const auto& info) {
                           return info.param == GpuKind::kNone ? "OnTheCpu" : "OnTheEmulatedGpu";
                         });

}  // namespace
}  // namespace shadowvm::exec
