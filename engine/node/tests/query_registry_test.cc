// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/query_registry.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <thread>

namespace shadowvm::node {
namespace {

constexpr std::chrono::milliseconds kNoTime{0};
constexpr std::chrono::seconds kLong{60};

base::ErrorCode CodeOf(const base::Status& status) {
  EXPECT_FALSE(status.ok());
  return base::CodeOf(status);
}

CheckedCommand CommandOf(const std::string& bytes) { return {bytes, nullptr}; }

std::shared_ptr<arrow::Table> Numbers(int64_t rows) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(i).ok());
  return arrow::Table::Make(arrow::schema({arrow::field("n", arrow::int64())}),
                            {builder.Finish().ValueOrDie()});
}

class QueryRegistryTest : public testing::Test {
 protected:
  std::shared_ptr<Query> Add(const std::string& session, const std::string& id,
                             const std::string& bytes = "a") {
    return queries_.Add(session, id, CommandOf(bytes)).ValueOrDie();
  }
  void Run(Query* query, Answer answer) {
    ASSERT_TRUE(queries_.Begin(query).ValueOrDie());
    queries_.End(query, query->Reserve(std::move(answer)));
  }

  memory::MemoryBudget budget_{1 << 20};
  QueryRegistry queries_{&budget_};
};

TEST_F(QueryRegistryTest, TheSameRequestAgainIsTheSameQuery) {
  const auto query = Add("s", "q");
  EXPECT_EQ(Add("s", "q"), query);
  EXPECT_NE(Add("other", "q"), query);
  EXPECT_EQ(CodeOf(queries_.Add("s", "q", CommandOf("b")).status()), base::ErrorCode::kBadCommand);
}

TEST_F(QueryRegistryTest, ChoosesIds) {
  const auto first = Add("s", "");
  const auto second = Add("s", "");
  EXPECT_NE(first->id(), second->id());
  EXPECT_EQ(queries_.Find("s", first->id()).ValueOrDie(), first);
}

TEST_F(QueryRegistryTest, ForgetsTheOldestOfManyThatNobodyAsksFor) {
  const auto wanted = Add("s", "wanted");
  Run(wanted.get(), Numbers(1));
  const auto other = Add("other", "q");
  for (size_t i = 0; i <= QueryRegistry::kMostIdle; ++i) Add("s", std::to_string(i));
  EXPECT_EQ(CodeOf(queries_.Find("s", "0").status()), base::ErrorCode::kUnknownQuery);
  EXPECT_TRUE(queries_.Find("s", "1").ok());
  EXPECT_TRUE(queries_.Find("s", "wanted").ok());
  EXPECT_TRUE(queries_.Find("other", "q").ok());
  EXPECT_EQ(queries_.counts().kept, static_cast<int64_t>(QueryRegistry::kMostIdle) + 2);
}

TEST_F(QueryRegistryTest, OneCallerRunsAndAllGetTheAnswer) {
  const auto query = Add("s", "q");
  ASSERT_TRUE(queries_.Begin(query.get()).ValueOrDie());
  EXPECT_FALSE(queries_.Begin(query.get()).ValueOrDie());
  EXPECT_FALSE(query->Await(Query::kAllPipelines, kNoTime));
  EXPECT_EQ(queries_.counts().running, 1);
  std::thread joiner([&] { EXPECT_TRUE(query->Await(Query::kAllPipelines, kLong)); });
  queries_.End(query.get(), Numbers(3));
  joiner.join();
  EXPECT_EQ((*query->answer())->num_rows(), 3);
  EXPECT_EQ(queries_.counts().running, 0);
  EXPECT_EQ(queries_.counts().done, 1);
}

TEST_F(QueryRegistryTest, CountsHowQueriesEnd) {
  Run(Add("s", "good").get(), Numbers(1));
  Run(Add("s", "bad").get(), base::MakeError(base::ErrorCode::kOverflow, "x"));
  Run(Add("s", "stopped").get(), base::MakeError(base::ErrorCode::kCancelled, "x"));
  const QueryCounts counts = queries_.counts();
  EXPECT_EQ(counts.done, 1);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.cancelled, 1);
  EXPECT_EQ(counts.kept, 3);
}

TEST_F(QueryRegistryTest, AnAnswerIsCountedUntilItIsForgotten) {
  auto query = Add("s", "q");
  Run(query.get(), Numbers(1000));
  EXPECT_GE(budget_.used(), 8000);
  queries_.Forget("s", *query);
  EXPECT_EQ(CodeOf(queries_.Find("s", "q").status()), base::ErrorCode::kUnknownQuery);
  query.reset();
  EXPECT_EQ(budget_.used(), 0);
}

TEST_F(QueryRegistryTest, AnAnswerWithoutRoomIsAnError) {
  const auto query = Add("s", "q");
  Run(query.get(), Numbers(1 << 18));
  EXPECT_EQ(CodeOf(query->answer().status()), base::ErrorCode::kOutOfMemory);
  EXPECT_EQ(queries_.counts().failed, 1);
  EXPECT_EQ(budget_.used(), 0);
}

TEST_F(QueryRegistryTest, AnswersThatNobodyWaitsForMakeRoom) {
  Run(Add("s", "unwanted").get(), Numbers(50'000));
  Run(Add("s", "wanted").get(), Numbers(50'000));
  Add("s", "not yet run");
  ASSERT_TRUE(queries_.Enter("s", "wanted").ok());
  EXPECT_TRUE(budget_.Reserve(600'000, "a state").ok());
  EXPECT_EQ(CodeOf(queries_.Find("s", "unwanted").status()), base::ErrorCode::kUnknownQuery);
  EXPECT_TRUE(queries_.Find("s", "wanted").ok());
  EXPECT_TRUE(queries_.Find("s", "not yet run").ok());
  EXPECT_FALSE(budget_.Reserve(600'000, "a state").ok());
  budget_.Release(600'000);
}

TEST_F(QueryRegistryTest, ForgetsTheQueryItIsGivenAlone) {
  const auto old = Add("s", "q");
  EXPECT_TRUE(queries_.Cancel("s", "q"));
  EXPECT_TRUE(old->cancel().cancelled());
  EXPECT_FALSE(queries_.Cancel("s", "q"));
  const auto fresh = Add("s", "q", "b");
  queries_.Forget("s", *old);
  EXPECT_EQ(queries_.Find("s", "q").ValueOrDie(), fresh);
}

TEST_F(QueryRegistryTest, CancelsASessionsQueriesAlone) {
  const auto first = Add("s", "1");
  const auto second = Add("s", "2");
  const auto other = Add("s2", "1");
  queries_.CancelSession("s");
  EXPECT_TRUE(first->cancel().cancelled());
  EXPECT_TRUE(second->cancel().cancelled());
  EXPECT_FALSE(other->cancel().cancelled());
  EXPECT_EQ(queries_.counts().kept, 1);
  queries_.CancelAll();
  EXPECT_TRUE(other->cancel().cancelled());
  EXPECT_EQ(queries_.counts().kept, 0);
}

TEST_F(QueryRegistryTest, AClosedOneBeginsNothing) {
  const auto running = Add("s", "running");
  const auto waiting = Add("s", "waiting");
  ASSERT_TRUE(queries_.Begin(running.get()).ValueOrDie());
  queries_.Close();
  EXPECT_EQ(CodeOf(queries_.Add("s", "new", CommandOf("a")).status()),
            base::ErrorCode::kNodeStopping);
  EXPECT_EQ(CodeOf(queries_.Begin(waiting.get()).status()), base::ErrorCode::kNodeStopping);
  EXPECT_TRUE(waiting->Await(Query::kAllPipelines, kNoTime));
  queries_.End(running.get(), Numbers(1));
  EXPECT_TRUE(running->answer().ok());
  EXPECT_EQ(queries_.counts().running, 0);
}

TEST_F(QueryRegistryTest, WaitsForBarriers) {
  const auto query = Add("s", "q");
  ASSERT_TRUE(queries_.Begin(query.get()).ValueOrDie());
  EXPECT_FALSE(query->Await(1, kNoTime));
  query->PassBarrier({.index = 0, .rows_out = 5});
  EXPECT_TRUE(query->Await(1, kNoTime));
  EXPECT_FALSE(query->Await(2, kNoTime));
  query->PassBarrier({.index = 1});
  // Starting over.
  query->PassBarrier({.index = 0, .rows_out = 7});
  EXPECT_TRUE(query->Await(2, kNoTime));
  ASSERT_EQ(query->pipelines().size(), 2U);
  EXPECT_EQ(query->pipelines()[0].rows_out, 7);
  EXPECT_FALSE(query->Await(Query::kAllPipelines, kNoTime));
  EXPECT_FALSE(query->has_finished());
  queries_.End(query.get(), base::MakeError(base::ErrorCode::kOverflow, "x"));
  EXPECT_TRUE(query->Await(3, kNoTime));
  EXPECT_TRUE(query->has_finished());
}

TEST_F(QueryRegistryTest, TheLastCallerWhoseClientWentAwayTakesTheQueryAlong) {
  const auto query = Add("s", "q");
  ASSERT_TRUE(queries_.Enter("s", "q").ok());
  ASSERT_TRUE(queries_.Enter("s", "q").ok());
  ASSERT_TRUE(queries_.Begin(query.get()).ValueOrDie());
  queries_.Leave("s", query.get(), true);
  EXPECT_FALSE(query->cancel().cancelled());
  queries_.Leave("s", query.get(), true);
  EXPECT_TRUE(query->cancel().cancelled());
  EXPECT_EQ(CodeOf(queries_.Enter("s", "q").status()), base::ErrorCode::kUnknownQuery);
}

TEST_F(QueryRegistryTest, ACallerWhoHasWhatItWaitedForLeavesTheQueryRunning) {
  const auto query = Add("s", "q");
  ASSERT_TRUE(queries_.Enter("s", "q").ok());
  ASSERT_TRUE(queries_.Begin(query.get()).ValueOrDie());
  queries_.Leave("s", query.get(), false);
  EXPECT_FALSE(query->cancel().cancelled());
  EXPECT_TRUE(queries_.Find("s", "q").ok());
}

TEST_F(QueryRegistryTest, LeavingAFinishedQueryCancelsNothing) {
  const auto query = Add("s", "q");
  ASSERT_TRUE(queries_.Enter("s", "q").ok());
  Run(query.get(), Numbers(1));
  queries_.Leave("s", query.get(), true);
  EXPECT_FALSE(query->cancel().cancelled());
}

TEST_F(QueryRegistryTest, FindsTheSameCommandWithoutAPlan) {
  EXPECT_EQ(queries_.FindSame("s", "q", "a").ValueOrDie(), nullptr);
  const auto query = Add("s", "q");
  EXPECT_EQ(queries_.FindSame("s", "q", "a").ValueOrDie(), query);
  EXPECT_EQ(CodeOf(queries_.FindSame("s", "q", "b").status()), base::ErrorCode::kBadCommand);
}

}  // namespace
}  // namespace shadowvm::node
