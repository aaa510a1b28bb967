// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/engine.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/base/fault.h"
#include "engine/exec/tests/kernel_fixture.h"

// The engine as a whole: queries side by side, cancelled ones, and what is left after a failure.
namespace shadowvm::exec {
namespace {

using base::CodeOf;
using base::ErrorCode;
using client::Asc;
using client::Col;
using client::Count;
using client::On;
using client::Sum;

// Joins, groups by hash, sorts: every kind of state.
client::Frame BusyQuery() {
  return client::Table("lineorder")
      .Filter(Col("lo_quantity") < 40)
      .Join(client::Table("customer"), {On("lo_custkey", "c_custkey")})
      .GroupBy({"c_name", "lo_orderkey"})
      .Aggregate({Sum(Col("lo_revenue")).As("revenue"), Count().As("rows")})
      .OrderBy({Asc("c_name"), Asc("lo_orderkey")});
}

class EngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    engine_ = MakeTestEngine();
    AddSsbTables(engine_.get());
  }
  void TearDown() override { base::DisarmFaults(); }

  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, QueriesSideBySideGetTheirOwnAnswers) {
  std::vector<std::shared_ptr<arrow::Table>> expected;
  const std::vector<std::string> names = {"q1.1", "q2.1", "q3.2", "q4.3"};
  for (const std::string& name : names) {
    expected.push_back(engine_->Run(SsbQuery(name).ToCommand()).ValueOrDie());
  }
  std::vector<std::thread> threads;
  for (size_t i = 0; i < names.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int run = 0; run < 5; ++run) {
        const auto answer = engine_->Run(SsbQuery(names[i]).ToCommand());
        ASSERT_TRUE(answer.ok()) << answer.status();
        EXPECT_TRUE((*answer)->Equals(*expected[i])) << names[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(EngineTest, ACancelledQueryEndsAndLeavesNothing) {
  const v1::Command command = BusyQuery().ToCommand();
  const auto right = engine_->Run(command).ValueOrDie();
  const int64_t before = engine_->budget().used();
  schedule::CancelToken cancelled;
  cancelled.Cancel();
  EXPECT_EQ(CodeOf(engine_->Run(command, {.cancel = &cancelled}).status()), ErrorCode::kCancelled);
  EXPECT_EQ(engine_->budget().used(), before);
  // At any moment: the query ends with its answer or says that it was cancelled.
  for (int delay = 0; delay < 40; ++delay) {
    schedule::CancelToken cancel;
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(delay * 500));
      cancel.Cancel();
    });
    const auto answer = engine_->Run(command, {.cancel = &cancel});
    later.join();
    if (answer.ok()) {
      EXPECT_TRUE((*answer)->Equals(*right)) << "half an answer";
    } else {
      EXPECT_EQ(CodeOf(answer.status()), ErrorCode::kCancelled) << answer.status();
    }
  }
  EXPECT_EQ(engine_->budget().used(), before);
}

// Fails the first hit of a fault point, then the second, and so on until the query passes: whatever
// fails, the error is clear, nothing is kept, and the next run is right.
void FailEveryHit(Engine* engine, const std::string& point, const std::string& effect,
                  ErrorCode expected) {
  const v1::Command command = BusyQuery().ToCommand();
  const auto right = engine->Run(command).ValueOrDie();
  const int64_t before = engine->budget().used();
  int failures = 0;
  for (int nth = 1;; ++nth) {
    ASSERT_LT(nth, 2000) << point << " is hit without end";
    ASSERT_TRUE(base::ArmFaults(point + "=nth:" + std::to_string(nth) + ":" + effect).ok());
    const auto answer = engine->Run(command);
    base::DisarmFaults();
    ASSERT_EQ(engine->budget().used(), before) << point << " at hit " << nth;
    if (answer.ok()) {
      EXPECT_TRUE((*answer)->Equals(*right));
      break;
    }
    ++failures;
    ASSERT_EQ(CodeOf(answer.status()), expected) << answer.status();
  }
  EXPECT_GT(failures, 0) << point << " was never hit";
  EXPECT_TRUE(engine->Run(command).ValueOrDie()->Equals(*right));
}

TEST_F(EngineTest, EveryAllocationMayFail) {
  FailEveryHit(engine_.get(), "memory.buffer", "oom", ErrorCode::kOutOfMemory);
}

TEST_F(EngineTest, EveryStateMayFailToGrow) {
  FailEveryHit(engine_.get(), "exec.output.reserve", "oom", ErrorCode::kOutOfMemory);
  FailEveryHit(engine_.get(), "exec.groups.grow", "oom", ErrorCode::kOutOfMemory);
}

TEST_F(EngineTest, EveryBuildMergeAndSortMayFail) {
  for (const char* point : {"exec.join.build", "exec.merge", "exec.collect.merge", "exec.sort"}) {
    FailEveryHit(engine_.get(), point, "error", ErrorCode::kInjected);
  }
}

TEST_F(EngineTest, UnknownTablesAreNamed) {
  const auto answer = engine_->Run(client::Table("nowhere").ToCommand());
  EXPECT_EQ(CodeOf(answer.status()), ErrorCode::kFileMissing);
  EXPECT_NE(answer.status().message().find("nowhere"), std::string::npos);
}

}  // namespace
}  // namespace shadowvm::exec
