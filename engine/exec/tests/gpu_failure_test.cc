// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "engine/base/fault.h"
#include "engine/base/tests/test_folder.h"
#include "engine/cli/bench/answer_json.h"
#include "engine/columns/arrow_import.h"
#include "engine/columns/type_mapping.h"
#include "engine/exec/tests/kernel_fixture.h"
#include "engine/exec/tests/kernel_tables.h"

// Whatever a GPU does, a query ends with its answer.
namespace shadowvm::exec {
namespace {

using client::Col;
using client::Count;
using client::Sum;
using std::chrono::milliseconds;

constexpr int64_t kRows = 5000;

class GpuFailureTest : public ::testing::Test {
 protected:
  void TearDown() override { base::DisarmFaults(); }

  void Start(milliseconds retry_after, milliseconds launch_limit = milliseconds(0)) {
    EngineOptions options;
    options.gpu.kind = GpuKind::kEmulated;
    options.gpu.required = false;
    options.gpu.prefetch = prefetch_;
    options.gpu.chunk_rows = 1;  // so that a segment is one
    options.gpu.programs.directory = folder_.path();
    options.gpu.programs.retry_after = milliseconds(0);
    options.gpu.retry_after = retry_after;
    options.gpu.launch_limit = launch_limit;
    options.gpu.limit_option = "--limit";
    options.gpu.warn = [this](const std::string& text) {
      std::lock_guard lock(mutex_);
      warnings_.push_back(text);
    };
    options.threads = 2;
    options.memory_bytes = int64_t{1} << 30;
    options.kernels.directory = folder_.path();
    options.kernels.background_full = false;
    options.kernels.timeout = std::chrono::minutes(5);
    engine_ = Engine::Make(std::move(options)).ValueOrDie();
    ASSERT_TRUE(engine_->AddTable("facts", *Rows(kRows)).ok());
    sum_ = SumOf(kRows);
    num_rows_ = kRows;
  }

  static std::shared_ptr<arrow::Table> Rows(int64_t rows) {
    return MakeTable({{"k", Int32s(rows, [](int64_t i) { return i % 7; })},
                      {"v", Int32s(rows, [](int64_t i) { return i - 100; })}});
  }
  static int64_t SumOf(int64_t rows) { return rows * (rows - 1) / 2 - 100 * rows; }

  // Runs a query whose answer is known; true if it ran on the GPU.
  bool RanThere(schedule::Mode mode = schedule::Mode::kGpu) {
    const auto command =
        client::Table("facts").Aggregate({Count().As("rows"), Sum(Col("v")).As("sum")}).ToCommand();
    QueryStats stats;
    const auto answer = engine_->Run(command, {.stats = &stats, .mode = mode});
    EXPECT_TRUE(answer.ok()) << answer.status();
    if (!answer.ok()) return false;
    const nlohmann::json row = cli::RowsToJson(**answer).ValueOrDie().at(0);
    EXPECT_EQ(row.at(0), num_rows_);
    EXPECT_EQ(row.at(1), sum_);
    return !stats.gpu.empty() && stats.gpu[0].why_not.empty();
  }
  // Where the pipelines of another query run.
  std::vector<PipelineDevices> DevicesOf(schedule::Mode mode) {
    const auto count = client::Table("facts").Aggregate({Count().As("rows")}).ToCommand();
    QueryStats stats;
    EXPECT_TRUE(engine_->Run(count, {.stats = &stats, .mode = mode}).ok());
    return std::move(stats.devices);
  }
  // Asks until it runs there again.
  void AwaitGpu() {
    while (!RanThere()) std::this_thread::sleep_for(milliseconds(20));
  }
  void Arm(const std::string& faults) { ASSERT_TRUE(base::ArmFaults(faults).ok()); }
  std::vector<std::string> warnings() {
    std::lock_guard lock(mutex_);
    return warnings_;
  }

  base::TestFolder folder_;
  int64_t num_rows_ = 0, sum_ = 0;  // of the facts
  GpuPrefetch prefetch_ = GpuPrefetch::kKept;
  std::unique_ptr<Engine> engine_;
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

// No driver, a driver too old, no NVRTC, a card that is at its end: what opening says.
TEST_F(GpuFailureTest, OneThatDoesNotOpenIsTriedAgain) {
  for (const std::string point : {"exec.gpu.open", "exec.gpu.compiler", "device.stream"}) {
    SCOPED_TRACE(point);
    warnings_.clear();
    Arm(point + "=nth:1:error");
    Start(milliseconds(1));
    EXPECT_FALSE(RanThere(schedule::Mode::kCpu));
    while (engine_->gpu_keeper().state().failures == 0)
      std::this_thread::sleep_for(milliseconds(1));
    AwaitGpu();
    const GpuKeeper::State state = engine_->gpu_keeper().state();
    EXPECT_EQ(state.down, "");
    EXPECT_EQ(state.failures, 1);
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_NE(warnings()[0].find(point), std::string::npos) << warnings()[0];
  }
}

TEST_F(GpuFailureTest, OneWithoutACompilerIsSetAside) {
  Arm("exec.gpu.compiler=always:error");
  Start(std::chrono::hours(1));
  EXPECT_FALSE(RanThere());
  EXPECT_FALSE(RanThere(schedule::Mode::kMixed));
  const auto devices = DevicesOf(schedule::Mode::kMixed);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].rows[schedule::Side::kCpu], kRows);
  EXPECT_NE(devices[0].reason.find("exec.gpu.compiler"), std::string::npos) << devices[0].reason;
  const GpuKeeper::State state = engine_->gpu_keeper().state();
  EXPECT_NE(state.down.find("exec.gpu.compiler"), std::string::npos) << state.down;
  EXPECT_GT(state.retry_ms, 0);
  EXPECT_EQ(warnings().size(), 1u);
}

TEST_F(GpuFailureTest, OneThatNeverOpensIsWarnedOfOnce) {
  Arm("exec.gpu.open=always:error");
  Start(milliseconds(1));
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(RanThere());
    std::this_thread::sleep_for(milliseconds(3));
  }
  const GpuKeeper::State state = engine_->gpu_keeper().state();
  EXPECT_GE(state.failures, 1);
  EXPECT_NE(state.down.find("exec.gpu.open"), std::string::npos) << state.down;
  EXPECT_EQ(warnings().size(), 1u);
  EXPECT_NE(warnings()[0].find("run on the CPU"), std::string::npos) << warnings()[0];
}

TEST_F(GpuFailureTest, AnEngineThatRequiresOneDoesNotStartWithout) {
  Arm("exec.gpu.open=always:error");
  EngineOptions options;
  options.gpu.kind = GpuKind::kEmulated;
  options.kernels.use_disk = false;
  // An error is enough: nothing runs on the CPU.
  options.gpu.warn = [](const std::string& text) { ADD_FAILURE() << text; };
  const auto engine = Engine::Make(std::move(options));
  ASSERT_FALSE(engine.ok());
  const std::string message = engine.status().message();
  EXPECT_NE(message.find("exec.gpu.open"), std::string::npos) << message;
  EXPECT_EQ(message.rfind("SVM-"), 0u) << message;
}

TEST(GpuOptionsTest, AKernelMayNotTakeForEver) {
  EXPECT_EQ(GpuOptions().launch_limit, std::chrono::minutes(1));
}

// The calls in which a card's loss could be noticed.
const std::vector<std::string>& LossPoints() {
  static const auto* const points =
      new std::vector<std::string>{"device.launch", "device.wait", "device.allocate"};
  return *points;
}

TEST_F(GpuFailureTest, ALostCardIsSetAside) {
  for (const std::string& point : LossPoints()) {
    SCOPED_TRACE(point);
    warnings_.clear();
    Start(std::chrono::hours(1));
    ASSERT_TRUE(RanThere());
    engine_->gpu_keeper().Close();  // so that it allocates again
    Arm(point + "=nth:1:error");
    EXPECT_FALSE(RanThere());
    EXPECT_FALSE(RanThere());  // it is not tried before its time
    const GpuKeeper::State state = engine_->gpu_keeper().state();
    EXPECT_NE(state.down.find(point), std::string::npos) << state.down;
    EXPECT_GT(state.retry_ms, 0);
    EXPECT_EQ(warnings().size(), 1u);
  }
}

TEST_F(GpuFailureTest, ALostCardIsOpenedAgain) {
  for (const std::string& point : LossPoints()) {
    SCOPED_TRACE(point);
    warnings_.clear();
    Start(milliseconds(1));
    ASSERT_TRUE(RanThere());
    engine_->gpu_keeper().Close();
    Arm(point + "=nth:1:error");
    EXPECT_FALSE(RanThere());
    AwaitGpu();
    EXPECT_EQ(engine_->gpu_keeper().state().down, "");
    EXPECT_EQ(engine_->gpu_keeper().state().failures, 1);
    EXPECT_EQ(warnings().size(), 1u);
  }
}

// Where segments are copied in chunks for each launch, or read in place, there are other calls.
class GpuPrefetchFailureTest : public GpuFailureTest,
                               public ::testing::WithParamInterface<GpuPrefetch> {
 protected:
  void SetUp() override {
    prefetch_ = GetParam();
    Start(milliseconds(1));
    AddTwoSegments();
    AwaitGpuAndPages();
  }
  // So large that they have pages of their own, which can be pinned.
  void AddTwoSegments() {
    constexpr int64_t kSegment = 100'000;
    std::vector<columns::MemoryTable::Column> both(2);
    const auto rows = Rows(kSegment);
    for (int segment = 0; segment < 2; ++segment) {
      const auto one = columns::FromArrow("facts", *rows, &engine_->budget()).ValueOrDie();
      for (int column = 0; column < 2; ++column) {
        both[column].layout = one->column(column).layout;
        both[column].segments.push_back(one->column(column).segments[0]);
      }
    }
    const columns::Schema schema = columns::FromArrow(*rows->schema()).ValueOrDie();
    ASSERT_TRUE(engine_
                    ->AddTable("facts", std::make_shared<columns::MemoryTable>("facts", schema,
                                                                               std::move(both)))
                    .ok());
    num_rows_ = 2 * kSegment;
    sum_ = 2 * SumOf(kSegment);
  }
  void AwaitGpuAndPages() {
    base::DisarmFaults();
    AwaitGpu();
    const std::shared_ptr<Gpu> gpu = engine_->gpu();
    gpu->pinned().Await();
    if (GetParam() == GpuPrefetch::kPassive) {
      EXPECT_GT(gpu->pinned().bytes(), 0);
    }
  }
  // A card allocates when it is new.
  bool RunsThereWith(const std::string& point, int64_t failing_call) {
    if (point == "device.allocate") engine_->gpu_keeper().Close();
    Arm(point + "=nth:" + std::to_string(failing_call) + ":error");
    return RanThere();
  }
};

TEST_P(GpuPrefetchFailureTest, ACardThatIsLostCostsNoRow) {
  constexpr int64_t kNone = 1'000'000;
  for (const std::string& point : LossPoints()) {
    ASSERT_TRUE(RunsThereWith(point, kNone));
    const int64_t calls = base::FaultHits(point);
    EXPECT_GE(calls, point == "device.launch" && GetParam() == GpuPrefetch::kActive ? 2 : 1);
    for (const int64_t call : std::set<int64_t>{1, calls}) {
      SCOPED_TRACE(point + ", call " + std::to_string(call));
      AwaitGpuAndPages();
      const int64_t failures = engine_->gpu_keeper().state().failures;
      EXPECT_FALSE(RunsThereWith(point, call));
      EXPECT_EQ(engine_->gpu_keeper().state().failures, failures + 1);
    }
    AwaitGpuAndPages();
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, GpuPrefetchFailureTest,
                         ::testing::Values(GpuPrefetch::kActive, GpuPrefetch::kPassive));

// Reopened again and again: it is said once, until a query has run there in between.
TEST_F(GpuFailureTest, LaunchesThatAlwaysFailAreWarnedOfOnce) {
  Start(milliseconds(1));
  Arm("device.launch=always:error");
  while (engine_->gpu_keeper().state().failures < 3) {
    EXPECT_FALSE(RanThere());
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(warnings().size(), 1u);
  base::DisarmFaults();
  AwaitGpu();
  Arm("device.launch=nth:1:error");
  EXPECT_FALSE(RanThere());
  EXPECT_EQ(warnings().size(), 2u);
}

// Two of them would both hear of the host's pages, or the later one of none.
TEST_F(GpuFailureTest, NoneIsOpenedBeforeTheLastOneHasEnded) {
  Start(milliseconds(1));
  ASSERT_TRUE(RanThere());
  GpuKeeper& keeper = engine_->gpu_keeper();
  std::shared_ptr<Gpu> last = engine_->gpu();
  const std::weak_ptr<Gpu> watched = last;
  // It ends when who pins its pages does, who is held up when it lets go of a buffer.
  std::promise<void> go_on;
  const auto pages = memory::Buffer::Make(&engine_->budget(), 1 << 20, "test").ValueOrDie();
  last->pinned().Want(std::shared_ptr<const memory::Buffer>(
      pages.get(), [&](const memory::Buffer*) { go_on.get_future().wait(); }));
  Arm("device.launch=nth:1:error");
  EXPECT_FALSE(RanThere());
  while (last.use_count() > 1) {
    EXPECT_EQ(keeper.Take(/*wait=*/true), nullptr);
    std::this_thread::sleep_for(milliseconds(1));
  }
  std::thread ends([&] { last.reset(); });
  while (!watched.expired()) std::this_thread::yield();
  for (int again = 0; again < 5; ++again) {
    std::this_thread::sleep_for(milliseconds(25));
    EXPECT_EQ(keeper.Take(/*wait=*/true), nullptr);
  }
  go_on.set_value();
  ends.join();
  AwaitGpu();
}

// While it is down as well: where pipelines run is told, and why.
// Where a pipeline has run that no GPU was there for.
TEST_F(GpuFailureTest, WhatIsChosenWhileItIsDownIsTold) {
  Start(std::chrono::hours(1));
  ASSERT_TRUE(RanThere());
  Arm("device.launch=nth:1:error");
  EXPECT_FALSE(RanThere());
  for (const schedule::Mode mode : {schedule::Mode::kGpu, schedule::Mode::kAuto}) {
    const auto devices = DevicesOf(mode);
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_EQ(devices[0].mode, schedule::Mode::kCpu);
    EXPECT_NE(devices[0].reason.find("device.launch"), std::string::npos) << devices[0].reason;
    EXPECT_GT(devices[0].real_ms, 0);
    EXPECT_EQ(devices[0].rows[schedule::Side::kCpu], kRows);
  }
  // One that never was there is no news, unless somebody asks for it.
  Arm("exec.gpu.open=always:error");
  Start(std::chrono::hours(1));
  EXPECT_EQ(DevicesOf(schedule::Mode::kGpu).size(), 1u);
  EXPECT_TRUE(DevicesOf(schedule::Mode::kAuto).empty());
}

TEST_F(GpuFailureTest, OneThatIsOpenedAnewHasItsNewOptions) {
  Start(milliseconds(60'000));
  ASSERT_TRUE(RanThere());
  GpuOptions options = engine_->gpu()->options();
  options.prefetch = GpuPrefetch::kPassive;
  options.memory_bytes = 12 << 20;
  engine_->gpu_keeper().Reopen(options);
  EXPECT_TRUE(RanThere());
  EXPECT_EQ(engine_->gpu()->options().prefetch, GpuPrefetch::kPassive);
  EXPECT_EQ(engine_->gpu()->arena().cap(), 12 << 20);
  options.kind = GpuKind::kNone;
  engine_->gpu_keeper().Reopen(options);
  EXPECT_FALSE(RanThere());
  EXPECT_EQ(engine_->gpu_keeper().state().down, "it is switched off");
  EXPECT_TRUE(warnings().empty());
}

// Want of memory is no failure of the card.
TEST_F(GpuFailureTest, NoRoomThereLeavesTheCardInUse) {
  Start(milliseconds(60'000));
  ASSERT_TRUE(RanThere());
  Arm("device.allocate=always:oom;exec.gpu.run=always:oom");
  EXPECT_FALSE(RanThere());
  EXPECT_FALSE(RanThere(schedule::Mode::kMixed));
  base::DisarmFaults();
  EXPECT_TRUE(RanThere());
  // One query may want more than another: that is still the same want.
  Arm("exec.gpu.run=nth:1:oom");
  EXPECT_FALSE(RanThere());
  EXPECT_EQ(engine_->gpu_keeper().state().failures, 0);
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_NE(warnings()[0].find("for want of memory"), std::string::npos) << warnings()[0];
}

TEST_F(GpuFailureTest, NoRoomIsWarnedOfEachTimeItBegins) {
  Start(milliseconds(1));
  ASSERT_TRUE(RanThere());
  for (size_t times = 1; times <= 2; ++times) {
    Arm("exec.gpu.run=nth:1:oom");
    EXPECT_FALSE(RanThere());
    EXPECT_EQ(warnings().size(), times);
    std::this_thread::sleep_for(milliseconds(3));
  }
}

TEST_F(GpuFailureTest, AKernelThatDoesNotCompileOrLoadCostsItselfOnly) {
  for (const std::string fault : {"compile.program=always:error", "device.load=always:error"}) {
    SCOPED_TRACE(fault);
    warnings_.clear();
    Start(milliseconds(60'000));
    Arm(fault);
    EXPECT_FALSE(RanThere());
    EXPECT_FALSE(RanThere());
    base::DisarmFaults();
    EXPECT_TRUE(RanThere());
    EXPECT_EQ(engine_->gpu_keeper().state().failures, 0);
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_NE(warnings()[0].find("a kernel is not used"), std::string::npos) << warnings()[0];
  }
}

TEST_F(GpuFailureTest, AHungKernelIsGivenUp) {
  Start(milliseconds(50), milliseconds(500));
  Arm("device.hang=nth:1:error");
  EXPECT_FALSE(RanThere());
  EXPECT_NE(engine_->gpu_keeper().state().down.find("500 ms (--limit sets"), std::string::npos)
      << engine_->gpu_keeper().state().down;
  EXPECT_EQ(warnings().size(), 1u);
  AwaitGpu();
}

// It may still write where a query that has given up had its memory.
TEST_F(GpuFailureTest, PagesThatAHungOneKnowsServeNobodyElse) {
  Start(std::chrono::hours(1), milliseconds(500));
  const std::shared_ptr<Gpu> gpu = engine_->gpu();
  auto pages = memory::Buffer::Make(&engine_->budget(), 1 << 20, "test").ValueOrDie();
  gpu->pinned().Want(pages);
  gpu->pinned().Await();
  ASSERT_GT(gpu->pinned().bytes(), 0);
  Arm("device.hang=nth:1:error");
  EXPECT_FALSE(RanThere());
  pages.reset();
  EXPECT_EQ(gpu->pinned().bytes(), 0);
}

TEST_F(GpuFailureTest, AHungKernelWithoutALimitNamesNone) {
  Start(std::chrono::hours(1));
  Arm("device.hang=nth:1:error");
  EXPECT_FALSE(RanThere());
  const std::string down = engine_->gpu_keeper().state().down;
  EXPECT_NE(down.find("a kernel does not end"), std::string::npos) << down;
}

// The CPU does not wait for the GPU's compiler unless it was told to use the GPU.
TEST_F(GpuFailureTest, AutoDoesNotWaitForAKernel) {
  Start(milliseconds(60'000));
  ASSERT_TRUE(engine_->gpu_keeper().Require().ok());
  Arm("compile.program=always:hang:5000");
  EXPECT_FALSE(RanThere(schedule::Mode::kAuto));
  EXPECT_TRUE(RanThere(schedule::Mode::kGpu));
}

TEST_F(GpuFailureTest, ManyQueriesWhileTheCardComesAndGoes) {
  Start(milliseconds(1));
  Arm("device.launch=prob:0.3:7:error");
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      for (int query = 0; query < 10; ++query) RanThere();
    });
  }
  for (std::thread& client : clients) client.join();
}

}  // namespace
}  // namespace shadowvm::exec
