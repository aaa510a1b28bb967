// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/build_cache.h"

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "engine/base/tests/test_folder.h"
#include "engine/client/client.h"
#include "engine/exec/engine.h"

// Build sides that stay from query to query, seen through the engine.
namespace shadowvm::exec {
namespace {

using client::Col;
using client::On;

// Columns k = 0, 1, …, v = k times 'factor' and s = "even" or "odd".
std::shared_ptr<arrow::Table> Numbers(int64_t rows, int64_t factor) {
  arrow::Int64Builder keys;
  arrow::Int64Builder values;
  arrow::StringBuilder texts;
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(keys.Append(i).ok() && values.Append(i * factor).ok());
    EXPECT_TRUE(texts.Append(i % 2 == 0 ? "even" : "odd").ok());
  }
  return arrow::Table::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("v", arrow::int64()),
                     arrow::field("s", arrow::utf8())}),
      {keys.Finish().ValueOrDie(), values.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
}

class BuildCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    engine_ = MakeEngine({});
    Write("fact", 1000, 1);
    Write("dim", 100, 10);
  }

  static std::unique_ptr<Engine> MakeEngine(EngineOptions options) {
    options.threads = 2;
    options.kernels.background_full = false;
    options.kernels.timeout = std::chrono::minutes(5);  // the machine may be busy
    return Engine::Make(options).ValueOrDie();
  }
  std::string File(const std::string& name) { return folder_ / (name + ".parquet"); }
  void Write(const std::string& name, int64_t rows, int64_t factor) {
    ASSERT_TRUE(engine_->AddTable(name, *Numbers(rows, factor)).ok());
    v1::Command command = client::Table(name).ToCommand();
    v1::Action* sink = command.add_actions();
    sink->set_id(command.root() + 1);
    sink->add_inputs(command.root());
    sink->mutable_sink()->mutable_parquet()->set_path(File(name));
    command.set_root(sink->id());
    const auto status = engine_->Run(command).status();
    ASSERT_TRUE(status.ok()) << status;
  }

  // The sum of the dimension's values over the fact's rows, and whether the dimension was read.
  int64_t Sum(const client::Frame& dimension) {
    const auto frame = client::Scan(File("fact"))
                           .Join(dimension, {On("k", "dk")})
                           .Aggregate({client::Sum(Col("dv")).As("sum")});
    QueryStats stats;
    RunOptions options{nullptr, &stats};
    built_ = false;
    options.on_barrier = [this](const PipelineStats& pipeline) {
      if (pipeline.index == 0) built_ = pipeline.rows_in > 0;
    };
    const auto plan = engine_->Plan(frame.ToCommand(), nullptr).ValueOrDie();
    const auto answer = engine_->Run(plan.get(), options);
    EXPECT_TRUE(answer.ok()) << answer.status();
    const auto sum = (*answer)->column(0)->GetScalar(0).ValueOrDie();
    return std::static_pointer_cast<arrow::Int64Scalar>(sum)->value;
  }
  client::Frame Dimension(int64_t below, const client::Expr& value = Col("v")) {
    return client::Scan(File("dim"))
        .Filter(Col("k") < static_cast<long>(below))
        .Map({{"dk", Col("k")}, {"dv", value}});
  }

  base::TestFolder folder_;
  std::unique_ptr<Engine> engine_;
  bool built_ = false;
};

TEST_F(BuildCacheTest, TheSecondQueryFindsWhatTheFirstHasBuilt) {
  EXPECT_EQ(Sum(Dimension(10)), 450);
  EXPECT_TRUE(built_);
  const int64_t rows = engine_->build_bytes();
  EXPECT_GT(rows, 0);
  EXPECT_EQ(Sum(Dimension(10)), 450);
  EXPECT_FALSE(built_);
  EXPECT_GT(engine_->build_bytes(), rows);  // with the table
}

TEST_F(BuildCacheTest, AnyDifferenceIsAnotherBuildSide) {
  EXPECT_EQ(Sum(Dimension(10)), 450);
  EXPECT_EQ(Sum(Dimension(11)), 550);
  EXPECT_TRUE(built_);
  EXPECT_EQ(Sum(Dimension(10, Col("v") + 1L)), 460);
  EXPECT_TRUE(built_);
  EXPECT_EQ(Sum(Dimension(10, Col("v") + 2L)), 470);
  EXPECT_TRUE(built_);
  EXPECT_EQ(Sum(Dimension(10).Filter(Col("dv") > 50L)), 60 + 70 + 80 + 90);
  EXPECT_TRUE(built_);
  EXPECT_EQ(Sum(Dimension(10)), 450);
  EXPECT_FALSE(built_);
}

TEST_F(BuildCacheTest, AChangedFileIsReadAgainAndItsOldRowsGo) {
  EXPECT_EQ(Sum(Dimension(10)), 450);
  const int64_t before = engine_->build_bytes();
  Write("dim", 100, 20);
  EXPECT_EQ(Sum(Dimension(10)), 900);
  EXPECT_TRUE(built_);
  EXPECT_EQ(engine_->build_bytes(), before);
}

TEST_F(BuildCacheTest, DroppedTablesTakeItAlong) {
  EXPECT_EQ(Sum(Dimension(10)), 450);
  engine_->DropTables();
  EXPECT_EQ(engine_->build_bytes(), 0);
  EXPECT_EQ(Sum(Dimension(10)), 450);
  EXPECT_TRUE(built_);
}

TEST_F(BuildCacheTest, GivesMemoryBack) {
  EXPECT_EQ(Sum(Dimension(10)), 450);
  // The tables that were added by name stay, so this cannot be had; but everything was tried.
  EXPECT_FALSE(engine_->budget().Reserve(engine_->budget().limit(), "everything").ok());
  EXPECT_EQ(engine_->build_bytes(), 0);
  EXPECT_EQ(Sum(Dimension(10)), 450);
}

TEST_F(BuildCacheTest, AnEngineThatKeepsNothingKeepsNoBuildSides) {
  EngineOptions options;
  options.keep_tables = false;
  engine_ = MakeEngine(options);
  EXPECT_EQ(Sum(Dimension(10)), 450);
  EXPECT_EQ(Sum(Dimension(10)), 450);
  EXPECT_TRUE(built_);
  EXPECT_EQ(engine_->build_bytes(), 0);
}

TEST_F(BuildCacheTest, TablesInMemoryAreBuiltEveryTime) {
  const auto dimension = client::Table("dim").Map({{"dk", Col("k")}, {"dv", Col("v")}});
  const int64_t first = Sum(dimension);
  EXPECT_EQ(Sum(dimension), first);
  EXPECT_TRUE(built_);
}

TEST_F(BuildCacheTest, TablesInMemoryAreKeptIfAsked) {
  EngineOptions options;
  options.keep_added_builds = true;
  engine_ = MakeEngine(options);
  Write("dim", 100, 10);
  const auto dimension = client::Table("dim").Map({{"dk", Col("k")}, {"dv", Col("v")}});
  const int64_t first = Sum(dimension);
  EXPECT_EQ(Sum(dimension), first);
  EXPECT_FALSE(built_);
  // Another table of the name is another build side.
  Write("dim", 100, 20);
  EXPECT_EQ(Sum(dimension), 2 * first);
  EXPECT_TRUE(built_);
}

// The tables that are probed, and the codes that are grouped by, stay with the rows; queries that
// ask for others at the same time do not disturb each other.
TEST_F(BuildCacheTest, WhatIsMadeOfItIsSharedAndRight) {
  const auto grouped = [&](const std::vector<client::Named>& keys) {
    return client::Scan(File("fact"))
        .Join(client::Scan(File("dim")).Map({{"dk", Col("k")}, {"ds", Col("s")}, {"dv", Col("v")}}),
              {On("k", "dk")})
        .GroupBy(keys)
        .Aggregate({client::Count().As("rows"), client::Sum(Col("v")).As("sum")})
        .OrderBy({client::Asc("rows"), client::Asc("sum")})
        .ToCommand();
  };
  const std::vector<v1::Command> commands = {grouped({"ds"}), grouped({"dv"}),
                                             grouped({"ds", "dv"})};
  EngineOptions nothing;
  nothing.keep_tables = false;
  const auto other = MakeEngine(nothing);
  std::vector<std::shared_ptr<arrow::Table>> expected;
  for (const v1::Command& command : commands) expected.push_back(other->Run(command).ValueOrDie());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < commands.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int run = 0; run < 10; ++run) {
        const auto answer = engine_->Run(commands[i]);
        ASSERT_TRUE(answer.ok()) << answer.status();
        EXPECT_TRUE((*answer)->Equals(*expected[i])) << (*answer)->ToString();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace shadowvm::exec
