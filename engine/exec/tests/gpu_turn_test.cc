// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/fault.h"
#include "engine/exec/tests/kernel_fixture.h"
#include "engine/exec/tests/kernel_tables.h"

// Queries take turns on a GPU.
namespace shadowvm::exec {
namespace {

using schedule::Mode;

class GpuTurnTest : public ::testing::Test {
 protected:
  void SetUp() override {
    EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
    options.gpu.concurrent = 1;
    engine_ = Engine::Make(std::move(options)).ValueOrDie();
    gpu_ = engine_->gpu();
    const auto table = MakeTable({{"v", Int32s(5000, [](int64_t i) { return i; })}});
    ASSERT_TRUE(engine_->AddTable("facts", *table).ok());
    turn_.emplace(gpu_->AwaitTurn(nullptr).ValueOrDie());
  }

  base::Status Ask(const RunOptions& options) {
    const auto sum = client::Table("facts").Aggregate({client::Sum(client::Col("v")).As("sum")});
    return engine_->Run(sum.ToCommand(), options).status();
  }
  void AwaitWaiting(int number) {
    while (gpu_->num_waiting() != number) std::this_thread::yield();
  }

  std::unique_ptr<Engine> engine_;
  std::shared_ptr<Gpu> gpu_;
  std::optional<Gpu::Turn> turn_;  // the only one
};

TEST_F(GpuTurnTest, WhoCameFirstIsFirst) {
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> queries;
  for (int number = 0; number < 4; ++number) {
    queries.emplace_back([&, number] {
      const auto turn = gpu_->AwaitTurn(nullptr);
      EXPECT_TRUE(turn.ok()) << turn.status();
      std::lock_guard lock(mutex);
      order.push_back(number);
    });
    AwaitWaiting(number + 1);
  }
  EXPECT_FALSE(gpu_->TryTurn());
  turn_.reset();
  for (std::thread& query : queries) query.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(gpu_->TryTurn());
}

TEST_F(GpuTurnTest, ACancelledQueryDoesNotWaitForIt) {
  schedule::CancelToken cancel;
  base::Status status;
  std::thread query([&] { status = Ask({.cancel = &cancel, .mode = Mode::kGpu}); });
  AwaitWaiting(1);
  cancel.Cancel();
  query.join();
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kCancelled) << status;
  EXPECT_EQ(gpu_->num_waiting(), 0);
  turn_.reset();
  EXPECT_TRUE(Ask({.mode = Mode::kGpu}).ok());
}

// Who is cancelled leaves no gap.
TEST_F(GpuTurnTest, ThoseBehindACancelledOneMoveUp) {
  schedule::CancelToken cancel;
  std::thread first([&] { EXPECT_FALSE(gpu_->AwaitTurn(&cancel).ok()); });
  AwaitWaiting(1);
  std::thread second([&] { EXPECT_TRUE(gpu_->AwaitTurn(nullptr).ok()); });
  AwaitWaiting(2);
  cancel.Cancel();
  first.join();
  turn_.reset();
  second.join();
}

// Work of a query that has gone.
struct Left : Gpu::LeftWork {
  struct State {
    std::atomic<bool> done{false}, ended{false};
  };
  Left(Gpu* gpu, Gpu::Turn turn, std::shared_ptr<State> state)
      : gpu(*gpu), turn(std::move(turn)), state(std::move(state)) {}
  ~Left() override { state->ended = true; }
  base::Result<bool> IsDone() override {
    SVM_RETURN_NOT_OK(gpu.CheckUsable());
    return state->done.load();
  }

  Gpu& gpu;
  Gpu::Turn turn;
  std::shared_ptr<State> state;
};

TEST_F(GpuTurnTest, WhatIsLeftBehindHasItsTurnUntilItIsDone) {
  const auto first = std::make_shared<Left::State>(), second = std::make_shared<Left::State>();
  gpu_->LeaveBehind(std::make_unique<Left>(gpu_.get(), std::move(*turn_), first));
  EXPECT_FALSE(gpu_->TryTurn());
  first->done = true;
  std::optional<Gpu::Turn> turn = gpu_->TryTurn();
  ASSERT_TRUE(turn);
  gpu_->LeaveBehind(std::make_unique<Left>(gpu_.get(), std::move(*turn), second));
  std::thread waits([&] { EXPECT_TRUE(gpu_->AwaitTurn(nullptr).ok()); });
  AwaitWaiting(1);
  second->done = true;
  waits.join();
}

TEST_F(GpuTurnTest, WhoRunsShortOfMemoryEndsWhatWasLeftAndIsDone) {
  const auto state = std::make_shared<Left::State>();
  gpu_->LeaveBehind(std::make_unique<Left>(gpu_.get(), std::move(*turn_), state));
  memory::MemoryBudget& budget = engine_->budget();
  EXPECT_FALSE(budget.Reserve(2 * budget.limit(), "too much").ok());
  EXPECT_FALSE(state->ended);
  state->done = true;
  EXPECT_FALSE(budget.Reserve(2 * budget.limit(), "too much").ok());
  EXPECT_TRUE(state->ended);
}

// Nobody would ever give one back.
TEST_F(GpuTurnTest, NobodyWaitsForATurnOfACardThatIsLost) {
  const auto state = std::make_shared<Left::State>();
  std::thread waits([&] { EXPECT_FALSE(gpu_->AwaitTurn(nullptr).ok()); });
  AwaitWaiting(1);
  ASSERT_TRUE(base::ArmFaults("device.stream=always:error").ok());
  EXPECT_FALSE(turn_->Stream(9).ok());
  base::DisarmFaults();
  gpu_->LeaveBehind(std::make_unique<Left>(gpu_.get(), std::move(*turn_), state));
  waits.join();
  EXPECT_FALSE(gpu_->AwaitTurn(nullptr).ok());
  EXPECT_FALSE(gpu_->TryTurn());
  gpu_.reset();
}

TEST_F(GpuTurnTest, CoresGoAheadInModeMixed) {
  QueryStats stats;
  EXPECT_TRUE(Ask({.stats = &stats, .mode = Mode::kMixed, .wait_for_gpu = true}).ok());
  ASSERT_EQ(stats.devices.size(), 1u);
  // It is busy, or one core was done before another could ask.
  EXPECT_NE(stats.devices[0].reason, "");
  EXPECT_EQ(stats.devices[0].rows[schedule::Side::kGpu], 0);
  EXPECT_EQ(gpu_->num_waiting(), 0);
}

}  // namespace
}  // namespace shadowvm::exec
