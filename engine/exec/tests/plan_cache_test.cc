// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/plan_cache.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/fault.h"
#include "engine/cli/bench/answer_json.h"
#include "engine/exec/tests/kernel_fixture.h"
#include "engine/exec/tests/kernel_tables.h"

namespace shadowvm::exec {
namespace {

using client::Col;
using client::Sum;

class PlanCacheTest : public ::testing::Test {
 protected:
  void AddTable(const std::string& other_column, int32_t factor) {
    const auto table = MakeTable({{other_column, Int32s(10, [](int64_t) { return 1; })},
                                  {"v", Int32s(10, [&](int64_t i) { return i * factor; })}});
    ASSERT_TRUE(engine_->AddTable("t", *table).ok());
  }
  nlohmann::json Answer(QueryPlan* plan) {
    const auto answer = engine_->Run(plan, RunOptions{});
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? cli::RowsToJson(**answer).ValueOrDie() : nlohmann::json();
  }

  std::unique_ptr<Engine> engine_ = MakeTestEngine();
  std::shared_ptr<PlanCache> plans_ = std::make_shared<PlanCache>(engine_.get());
  const std::string command_ =
      client::Table("t").Aggregate({Sum(Col("v")).As("sum")}).ToCommand().SerializeAsString();
};

TEST_F(PlanCacheTest, APlanIsUsedAgainByOneAtATime) {
  AddTable("a", 1);
  auto first = plans_->Take(command_, nullptr).ValueOrDie();
  auto second = plans_->Take(command_, nullptr).ValueOrDie();
  EXPECT_NE(first, second);
  EXPECT_EQ(Answer(first.get()), Answer(second.get()));
  const QueryPlan* const planned = first.get();
  first.reset();
  EXPECT_EQ(plans_->size(), 1);
  first = plans_->Take(command_, nullptr).ValueOrDie();
  EXPECT_EQ(first.get(), planned);
  EXPECT_EQ(plans_->size(), 0);
}

TEST_F(PlanCacheTest, ItSeesTheTablesOfTheDay) {
  AddTable("a", 1);
  plans_->Take(command_, nullptr).ValueOrDie();
  AddTable("a", 2);
  EXPECT_EQ(Answer(plans_->Take(command_, nullptr).ValueOrDie().get())[0][0], 90);
  // The column that is read has another place now.
  AddTable("before", 3);
  EXPECT_EQ(Answer(plans_->Take(command_, nullptr).ValueOrDie().get())[0][0], 135);
}

TEST_F(PlanCacheTest, ErrorsAreNotKept) {
  EXPECT_EQ(base::CodeOf(plans_->Take("nonsense", nullptr).status()), base::ErrorCode::kBadCommand);
  EXPECT_EQ(base::CodeOf(plans_->Take(command_, nullptr).status()), base::ErrorCode::kFileMissing);
  EXPECT_EQ(plans_->size(), 0);
  AddTable("a", 1);
  EXPECT_TRUE(plans_->Take(command_, nullptr).ok());
}

TEST_F(PlanCacheTest, APlanMayOutliveTheCache) {
  AddTable("a", 1);
  const auto plan = plans_->Take(command_, nullptr).ValueOrDie();
  plans_.reset();
  EXPECT_EQ(Answer(plan.get())[0][0], 45);
}

// A query of two tables whose plan, once its build side is kept, holds from run to run.
class RestingQueryTest : public ::testing::Test {
 protected:
  void AddTables(int32_t factor) {
    const auto facts = MakeTable({{"k", Int32s(1000, [](int64_t i) { return i % 10; })},
                                  {"v", Int32s(1000, [](int64_t i) { return i; })}});
    ASSERT_TRUE(engine_->AddTable("facts", *facts).ok());
    AddNames(factor);
  }
  void AddNames(int32_t factor) {
    const auto names =
        MakeTable({{"id", Int32s(10, [](int64_t i) { return i; })},
                   {"group", Int32s(10, [&](int64_t i) { return i % 3 * factor; })}});
    ASSERT_TRUE(engine_->AddTable("names", *names).ok());
  }

  struct Answered {
    nlohmann::json rows;  // sorted
    bool planned = false;
  };
  Answered Ask(schedule::Mode mode = schedule::Mode::kCpu) {
    QueryStats stats;
    const auto plan = engine_->Plan(command_, &stats.spans).ValueOrDie();
    const auto answer = engine_->Run(plan.get(), {.stats = &stats, .mode = mode});
    EXPECT_TRUE(answer.ok()) << answer.status();
    if (!answer.ok()) return {};
    Answered answered{cli::RowsToJson(**answer).ValueOrDie(),
                      stats.spans.Milliseconds(base::Stage::kRender) > 0};
    std::sort(answered.rows.begin(), answered.rows.end());
    return answered;
  }
  // One run makes the build side, the next one finds it.
  nlohmann::json AskTwice() {
    Ask();
    return Ask().rows;
  }
  static EngineOptions Options() {
    EngineOptions options = TestEngineOptions();
    options.keep_added_builds = true;
    return options;
  }

  std::unique_ptr<Engine> engine_ = Engine::Make(Options()).ValueOrDie();
  const std::string command_ = client::Table("facts")
                                   .Join(client::Table("names"), {client::On("k", "id")})
                                   .GroupBy({"group"})
                                   .Aggregate({Sum(Col("v")).As("sum")})
                                   .ToCommand()
                                   .SerializeAsString();
};

TEST_F(RestingQueryTest, APlanThatHoldsIsNotMadeAgain) {
  AddTables(1);
  const nlohmann::json rows = AskTwice();
  for (int again = 0; again < 3; ++again) {
    const Answered answered = Ask();
    EXPECT_FALSE(answered.planned);
    EXPECT_EQ(answered.rows, rows);
  }
}

TEST_F(RestingQueryTest, OtherTablesAreOtherRows) {
  AddTables(1);
  const nlohmann::json rows = AskTwice();
  AddNames(5);
  const Answered other = Ask();
  EXPECT_TRUE(other.planned);
  EXPECT_NE(other.rows, rows);
  EXPECT_EQ(other.rows[1][0], 5);
}

TEST_F(RestingQueryTest, ItGivesItsMemoryBack) {
  AddTables(1);
  const nlohmann::json rows = AskTwice();
  engine_->DropTables();
  const Answered answered = Ask();
  EXPECT_TRUE(answered.planned);
  EXPECT_EQ(answered.rows, rows);
}

TEST_F(RestingQueryTest, ItHoldsNoTableThatWasReplaced) {
  AddTables(1);
  const std::weak_ptr<columns::TableSource> facts = engine_->Open({{}, "facts"}).ValueOrDie();
  AskTwice();
  EXPECT_FALSE(facts.expired());
  AddTables(2);
  EXPECT_TRUE(facts.expired());
}

// The card is gone when the query comes again, and no other has come.
TEST_F(RestingQueryTest, ALostCardIsNotMissed) {
  EngineOptions options = Options();
  options.gpu.kind = GpuKind::kEmulated;
  options.gpu.required = false;
  options.gpu.retry_after = std::chrono::hours(1);
  engine_ = Engine::Make(std::move(options)).ValueOrDie();
  AddTables(1);
  Ask(schedule::Mode::kGpu);
  const nlohmann::json rows = Ask(schedule::Mode::kGpu).rows;
  ASSERT_FALSE(Ask(schedule::Mode::kGpu).planned);
  ASSERT_TRUE(base::ArmFaults("device.wait=nth:1:error").ok());
  EXPECT_EQ(Ask(schedule::Mode::kGpu).rows, rows);  // it fails there
  base::DisarmFaults();
  for (int again = 0; again < 3; ++again) EXPECT_EQ(Ask(schedule::Mode::kGpu).rows, rows);
}

TEST_F(RestingQueryTest, AnotherModeIsPlannedAnew) {
  AddTables(1);
  const nlohmann::json rows = AskTwice();
  const Answered answered = Ask(schedule::Mode::kAuto);
  EXPECT_TRUE(answered.planned);
  EXPECT_EQ(answered.rows, rows);
}

}  // namespace
}  // namespace shadowvm::exec
