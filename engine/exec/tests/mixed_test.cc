// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/elapsed.h"
#include "engine/base/fault.h"
#include "engine/base/tests/test_folder.h"
#include "engine/cli/bench/answer_json.h"
#include "engine/exec/tests/kernel_cases.h"
#include "engine/exec/tests/kernel_tables.h"

// Mode mixed on the emulated device: every policy gives the CPU's answers.
namespace shadowvm::exec {
namespace {

using client::Avg;
using client::Col;
using client::Count;
using client::Max;
using client::Min;
using client::On;
using client::Sum;
using schedule::Side;

constexpr int64_t kRows = 50000;
constexpr int64_t kDims = 200;
constexpr int64_t kUnit = 2048;
constexpr int64_t kUnits = (kRows + kUnit - 1) / kUnit;

struct Answered {
  nlohmann::json rows;  // sorted
  std::vector<PipelineDevices> devices;
  int64_t rows_read = 0;
};

Answered Ask(Engine* engine, const client::Frame& frame, const RunOptions& options) {
  QueryStats stats;
  RunOptions with_stats = options;
  with_stats.stats = &stats;
  const auto answer = engine->Run(frame.ToCommand(), with_stats);
  EXPECT_TRUE(answer.ok()) << answer.status();
  if (!answer.ok()) return {};
  Answered answered{cli::RowsToJson(**answer).ValueOrDie(), std::move(stats.devices),
                    stats.rows_read};
  std::sort(answered.rows.begin(), answered.rows.end());
  return answered;
}

RunOptions Mixed(const std::string& policy) {
  RunOptions options;
  options.mode = schedule::Mode::kMixed;
  options.policy = schedule::ParsePolicy(policy).value();
  options.partitions = kUnits;
  options.trace = true;
  return options;
}

RunOptions InMode(schedule::Mode mode) {
  RunOptions options;
  options.mode = mode;
  return options;
}

const std::vector<std::string>& Policies() {
  static const auto* const policies =
      new std::vector<std::string>{"guided", "elastic", "apriori", "static:40", "static:100"};
  return *policies;
}

class MixedTest : public ::testing::Test {
 protected:
  void SetUp() override { engine_ = MakeTestEngine("", GpuKind::kEmulated); }
  void TearDown() override { base::DisarmFaults(); }

  void AddFacts() {
    const auto add = [&](const std::string& name, const std::vector<NamedArray>& columns) {
      ASSERT_TRUE(engine_->AddTable(name, *MakeTable(columns)).ok());
    };
    add("facts", {{"k", Int32s(kRows,
                               [](int64_t i) -> std::optional<int32_t> {
                                 return i % 25 == 7 ? std::nullopt
                                                    : std::optional<int32_t>(i * 7919 % 300);
                               })},
                  {"small", Int32s(kRows, [](int64_t i) { return i % 7; })},
                  {"value", Int32s(kRows, [](int64_t i) -> std::optional<int32_t> {
                     return i % 11 == 3 ? std::nullopt
                                        : std::optional<int32_t>(i * 104729 % 200003 - 100000);
                   })}});
    add("dims", {{"d", Int32s(kDims, [](int64_t i) { return i; })},
                 {"g", Int32s(kDims, [](int64_t i) { return i / 50; })}});
  }
  static client::Frame Grouped() {
    return client::Table("facts")
        .Join(client::Table("dims"), {On("k", "d")})
        .GroupBy({"g"})
        .Aggregate({Count().As("rows"), Sum(Col("value")).As("sum"), Min(Col("value")).As("least"),
                    Max(Col("value")).As("most"), Avg(Col("value")).As("average")});
  }
  // The last pipeline, which both worked on, or should have.
  static const PipelineDevices& Both(const Answered& answered) {
    EXPECT_EQ(answered.devices.back().mode, schedule::Mode::kMixed);
    return answered.devices.back();
  }

  std::unique_ptr<Engine> engine_;
};

TEST_F(MixedTest, StarSchemaBenchmark) {
  AddSsbTables(engine_.get());
  for (const std::string name : {"q1.1", "q2.1", "q3.1", "q4.1"}) {
    SCOPED_TRACE(name);
    const client::Frame frame = SsbQuery(name);
    const Answered expected = Ask(engine_.get(), frame, InMode(schedule::Mode::kCpu));
    for (const std::string& policy : Policies()) {
      SCOPED_TRACE(policy);
      EXPECT_EQ(Ask(engine_.get(), frame, Mixed(policy)).rows, expected.rows);
    }
  }
}

TEST_F(MixedTest, EveryRowIsOfOneSide) {
  AddFacts();
  const Answered expected = Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kCpu));
  // The first run may end before the card's kernel is there.
  Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kGpu));
  for (const std::string& policy : Policies()) {
    SCOPED_TRACE(policy);
    const Answered answered = Ask(engine_.get(), Grouped(), Mixed(policy));
    EXPECT_EQ(answered.rows, expected.rows);
    const PipelineDevices& both = Both(answered);
    EXPECT_EQ(both.rows[Side::kCpu] + both.rows[Side::kGpu], kRows);
    EXPECT_EQ(answered.rows_read, kRows + kDims);
    EXPECT_EQ(both.partitions, kUnits);
    EXPECT_EQ(both.trace.num_units, both.partitions);
    EXPECT_FALSE(both.trace.events.empty());
    EXPECT_LE(both.partitions_again,
              std::max<int64_t>(schedule::kBatchesHeld, both.partitions / 10));
    // The others may be done before the card has begun.
    if (policy == "static:40") {
      EXPECT_EQ(both.rows[Side::kGpu], 10 * kUnit);
    }
    if (policy == "static:100") {
      EXPECT_EQ(both.rows[Side::kGpu], kRows);
    }
  }
}

// Whenever the card fails, cores do what it has not done, and the answer is the same.
TEST_F(MixedTest, ACardThatFailsCostsNoRow) {
  AddFacts();
  const Answered expected = Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kCpu));
  Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kGpu));
  for (const std::string fault :
       {"exec.gpu.run=always:error", "exec.gpu.launch=nth:1:error", "exec.gpu.launch=nth:3:oom",
        "exec.gpu.collect=nth:1:error", "exec.gpu.collect=nth:2:error"}) {
    for (const std::string policy : {"guided", "elastic", "static:100"}) {
      SCOPED_TRACE(fault + " " + policy);
      ASSERT_TRUE(base::ArmFaults(fault).ok());
      const Answered answered = Ask(engine_.get(), Grouped(), Mixed(policy));
      EXPECT_EQ(answered.rows, expected.rows);
      if (policy == "static:100") {
        const auto& devices = answered.devices;
        EXPECT_TRUE(std::any_of(devices.begin(), devices.end(),
                                [](const PipelineDevices& one) { return !one.reason.empty(); }));
      }
    }
  }
}

// Cores do what a card is at that does not end, and nobody waits for it. Those who ask meanwhile go
// on without it, and in the end it is known to hang.
TEST_F(MixedTest, ACardThatHangsIsLeftBehind) {
  EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
  options.gpu.launch_limit = std::chrono::seconds(5);
  engine_ = Engine::Make(std::move(options)).ValueOrDie();
  AddFacts();
  const Answered expected = Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kGpu));
  // Cores are slow, so that it has begun before they are done.
  ASSERT_TRUE(base::ArmFaults("device.hang=always:error;exec.mixed.unit=always:hang:10").ok());
  const auto start = std::chrono::steady_clock::now();
  bool began = false;
  while (engine_->gpu_keeper().state().failures == 0) {
    ASSERT_LT(base::MillisecondsSince(start), 60'000);
    const Answered answered = Ask(engine_.get(), Grouped(), Mixed("guided"));
    EXPECT_EQ(answered.rows, expected.rows);
    EXPECT_EQ(answered.rows_read, kRows + kDims);
    EXPECT_EQ(Both(answered).rows[Side::kCpu], kRows);
    EXPECT_FALSE(Both(answered).reason.empty());
    began |= Both(answered).partitions_again > 0 && base::MillisecondsSince(start) < 5'000;
  }
  EXPECT_TRUE(began);
}

// Over the link warps take what nobody has; here that is the emulated one.
TEST_F(MixedTest, BatchesAreReadInPlace) {
  GpuOptions options = engine_->gpu()->options();
  options.prefetch = GpuPrefetch::kPassive;
  engine_->gpu_keeper().Reopen(options);
  AddFacts();
  const Answered expected = Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kCpu));
  for (const std::string& policy : Policies()) {
    SCOPED_TRACE(policy);
    // So that its pages are pinned, and its kernel is there.
    Ask(engine_.get(), Grouped(), Mixed(policy));
    engine_->gpu()->pinned().Await();
    const Answered answered = Ask(engine_.get(), Grouped(), Mixed(policy));
    EXPECT_EQ(answered.rows, expected.rows);
    if (policy == "static:100") {
      EXPECT_EQ(Both(answered).rows[Side::kGpu], kRows);
    }
  }
}

// More groups than a device copies out without waiting: they are asked for when a batch is done.
TEST_F(MixedTest, ManyGroups) {
  AddFacts();
  const client::Frame frame = client::Table("facts")
                                  .GroupBy({"k", "small"})
                                  .Aggregate({Count().As("rows"), Sum(Col("value")).As("sum"),
                                              Max(Col("value")).As("most")});
  const Answered expected = Ask(engine_.get(), frame, InMode(schedule::Mode::kCpu));
  EXPECT_GT(expected.rows.size(), 2000U);
  Ask(engine_.get(), frame, InMode(schedule::Mode::kGpu));
  for (const std::string& policy : Policies()) {
    SCOPED_TRACE(policy);
    const Answered answered = Ask(engine_.get(), frame, Mixed(policy));
    EXPECT_EQ(answered.rows, expected.rows);
    if (policy == "static:100") {
      EXPECT_EQ(Both(answered).rows[Side::kGpu], kRows);
    }
  }
}

// Sinks other than arrays of groups: by hash, with strings, and rows in their order.
class MixedSinkTest : public MixedTest {
 protected:
  void SetUp() override {
    MixedTest::SetUp();
    AddFacts();
    AddTexts();
  }
  void AddTexts() {
    const auto note = [](int64_t i) -> std::optional<std::string> {
      return i % 17 == 4 ? std::nullopt : std::optional("note " + std::to_string(i * 7919 % 20011));
    };
    ASSERT_TRUE(
        engine_
            ->AddTable("notes",
                       *MakeTable({{"id", Int32s(kRows, [](int64_t i) { return i; })},
                                   {"small", Int32s(kRows, [](int64_t i) { return i % 7; })},
                                   {"note", Texts(kRows, note)}}))
            .ok());
    ASSERT_TRUE(
        engine_
            ->AddTable("many", *MakeTable({{"m", Int32s(900, [](int64_t i) { return i % 300; })},
                                           {"n", Int32s(900, [](int64_t i) { return i; })}}))
            .ok());
  }
  static std::vector<client::Frame> Frames() {
    const client::Frame facts = client::Table("facts"), notes = client::Table("notes");
    return {facts.GroupBy({"value"}).Aggregate({Count().As("rows"), Sum(Col("k")).As("sum")}),
            notes.GroupBy({"note"}).Aggregate({Count().As("rows"), Max(Col("id")).As("last")}),
            notes.GroupBy({"id"}).Aggregate({Min(Col("note")).As("least")}),
            notes.GroupBy({"small"}).Aggregate(
                {Min(Col("note")).As("least"), Max(Col("note").Substring(3, 4)).As("most")}),
            facts.Filter(Col("small") < 3),
            notes.Filter(Col("id") % 3 == 0).Select({"note", "id"}),
            facts.Join(client::Table("many"), {On("k", "m")}).Select({"value", "n"}),
            facts.Join(client::Table("many"), {On("k", "m")})
                .GroupBy({"value", "n"})
                .Aggregate({Count().As("rows")})};
  }
  // In the order in which they come; where nobody asks for one, sorted.
  nlohmann::json Rows(const client::Frame& frame, const RunOptions& options, bool in_order) {
    const auto answer = engine_->Run(frame.ToCommand(), options);
    EXPECT_TRUE(answer.ok()) << answer.status();
    if (!answer.ok()) return {};
    nlohmann::json rows = cli::RowsToJson(**answer).ValueOrDie();
    if (!in_order) std::sort(rows.begin(), rows.end());
    return rows;
  }
};

TEST_F(MixedSinkTest, EveryPolicyGivesTheAnswersOfCores) {
  int number = 0;
  for (const client::Frame& frame : Frames()) {
    SCOPED_TRACE(number++);
    const Answered expected = Ask(engine_.get(), frame, InMode(schedule::Mode::kCpu));
    EXPECT_EQ(Ask(engine_.get(), frame, InMode(schedule::Mode::kGpu)).rows, expected.rows);
    for (const std::string& policy : Policies()) {
      SCOPED_TRACE(policy);
      const Answered answered = Ask(engine_.get(), frame, Mixed(policy));
      EXPECT_EQ(answered.rows, expected.rows);
      const PipelineDevices& both = Both(answered);
      EXPECT_EQ(both.rows[Side::kCpu] + both.rows[Side::kGpu], kRows);
      if (policy == "static:40") {
        EXPECT_GT(both.rows[Side::kGpu], 0) << both.reason;
      }
    }
  }
}

// More groups in a batch than there is room for at first: cores do those that the card has begun,
// and it begins anew, with more room, at the rest.
TEST_F(MixedSinkTest, ABatchWithoutRoom) {
  constexpr int64_t kMany = 5 << 20;
  const auto key = [](int64_t i) { return static_cast<int32_t>(i * 7919 % 700'001); };
  ASSERT_TRUE(engine_->AddTable("keys", *MakeTable({{"key", Int32s(kMany, key)}})).ok());
  const client::Frame frame = client::Table("keys")
                                  .GroupBy({"key"})
                                  .Aggregate({Count().As("rows")})
                                  .GroupBy({"rows"})
                                  .Aggregate({Count().As("groups"), Sum(Col("key")).As("keys")});
  const Answered expected = Ask(engine_.get(), frame, InMode(schedule::Mode::kCpu));
  const auto grouped = client::Table("keys").GroupBy({"key"}).Aggregate({Count().As("rows")});
  Ask(engine_.get(), grouped.Filter(Col("key") < 0), InMode(schedule::Mode::kGpu));
  RunOptions options = Mixed("static:100");
  options.partitions = 5;  // a batch each
  const Answered answered = Ask(engine_.get(), frame, options);
  EXPECT_EQ(answered.rows, expected.rows);
  const PipelineDevices& groups = answered.devices.front();
  EXPECT_EQ(groups.rows[Side::kCpu] + groups.rows[Side::kGpu], kMany);
  EXPECT_GT(groups.rows[Side::kCpu], 0);
  EXPECT_GT(groups.rows[Side::kGpu], 0) << groups.reason;
}

TEST_F(MixedSinkTest, RowsLeaveInTheOrderOfTheSource) {
  const client::Frame frame = client::Table("facts").Filter(Col("small") < 3);
  const nlohmann::json expected = Rows(frame, InMode(schedule::Mode::kCpu), true);
  EXPECT_TRUE(Rows(frame, InMode(schedule::Mode::kGpu), true) == expected);
  for (const std::string& policy : Policies()) {
    SCOPED_TRACE(policy);
    EXPECT_TRUE(Rows(frame, Mixed(policy), true) == expected);
  }
}

TEST_F(MixedSinkTest, ACardThatFailsCostsNoRow) {
  for (const client::Frame& frame : Frames()) {
    const nlohmann::json expected = Rows(frame, InMode(schedule::Mode::kCpu), false);
    Rows(frame, InMode(schedule::Mode::kGpu), false);
    for (const std::string fault : {"exec.gpu.launch=nth:2:error", "exec.gpu.collect=nth:1:error",
                                    "exec.gpu.collect=nth:2:error"}) {
      SCOPED_TRACE(fault);
      ASSERT_TRUE(base::ArmFaults(fault).ok());
      EXPECT_EQ(Rows(frame, Mixed("static:40"), false), expected);
      base::DisarmFaults();
    }
  }
}

TEST_F(MixedSinkTest, AnErrorOfARow) {
  const client::Expr square = Col("value") * Col("value") * Col("value") * 1'000;
  const client::Frame facts = client::Table("facts");
  for (const client::Frame& frame : {facts.GroupBy({"value"}).Aggregate({Sum(square).As("sum")}),
                                     facts.Select({client::Named("square", square)})}) {
    v1::Command command = frame.ToCommand();
    command.mutable_settings()->set_ansi(true);
    const base::Status expected = engine_->Run(command, InMode(schedule::Mode::kCpu)).status();
    ASSERT_FALSE(expected.ok());
    EXPECT_FALSE(engine_->Run(command, InMode(schedule::Mode::kGpu)).ok());
    for (const std::string& policy : Policies()) {
      SCOPED_TRACE(policy);
      const base::Status status = engine_->Run(command, Mixed(policy)).status();
      EXPECT_EQ(base::CodeOf(status), base::CodeOf(expected)) << status;
    }
  }
}

// What is wrong with a row is the query's error, whoever comes upon it.
TEST_F(MixedTest, AnErrorOfARow) {
  AddFacts();
  v1::Command command = client::Table("facts")
                            .GroupBy({"small"})
                            .Aggregate({Sum(Col("value") * Col("value")).As("sum")})
                            .ToCommand();
  command.mutable_settings()->set_ansi(true);
  const base::Status expected = engine_->Run(command, InMode(schedule::Mode::kCpu)).status();
  ASSERT_FALSE(expected.ok());
  // So that the card's kernel is there.
  EXPECT_FALSE(engine_->Run(command, InMode(schedule::Mode::kGpu)).ok());
  for (const std::string& policy : Policies()) {
    SCOPED_TRACE(policy);
    const int64_t before = base::FaultHits("exec.gpu.collect");
    const base::Status status = engine_->Run(command, Mixed(policy)).status();
    EXPECT_EQ(base::CodeOf(status), base::CodeOf(expected)) << status;
    if (policy == "static:100") {
      EXPECT_GT(base::FaultHits("exec.gpu.collect"), before);  // the card did its part
    }
  }
}

// A card that is lost in the middle, at every call it could be noticed in, and one that hangs.
TEST_F(MixedTest, ALostCardCostsNoRow) {
  base::TestFolder folder;
  for (const std::string fault :
       {"device.launch=nth:1:error", "device.launch=nth:3:error", "device.wait=nth:1:error",
        "device.wait=nth:2:error", "device.wait=nth:3:error", "device.wait=nth:4:error",
        "device.wait=nth:5:error", "device.hang=nth:1:error", "device.hang=nth:2:error"}) {
    for (const std::string policy : {"guided", "static:40", "static:100"}) {
      SCOPED_TRACE(fault + " " + policy);
      EngineOptions options = TestEngineOptions(folder.path(), GpuKind::kEmulated);
      options.gpu.programs.use_disk = true;
      options.gpu.programs.directory = folder.path();
      // So long that no kernel but a hung one takes it, on a busy machine either.
      const bool hangs = fault.starts_with("device.hang");
      options.gpu.launch_limit = std::chrono::seconds(hangs ? 2 : 600);
      options.gpu.retry_after = std::chrono::milliseconds(1);
      engine_ = Engine::Make(std::move(options)).ValueOrDie();
      AddFacts();
      const Answered expected = Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kGpu));
      ASSERT_TRUE(base::ArmFaults(fault).ok());
      const Answered answered = Ask(engine_.get(), Grouped(), Mixed(policy));
      EXPECT_EQ(answered.rows, expected.rows);
      EXPECT_EQ(answered.rows_read, kRows + kDims);
      if (policy != "guided") {
        EXPECT_FALSE(Both(answered).reason.empty());
        EXPECT_GE(engine_->gpu_keeper().state().failures, 1);
      }
      base::DisarmFaults();
      EXPECT_EQ(Ask(engine_.get(), Grouped(), Mixed(policy)).rows, expected.rows);
    }
  }
}

// Nobody waits for a kernel of the card in mode mixed.
TEST_F(MixedTest, CoresGoAheadOfTheCompiler) {
  AddFacts();
  const Answered expected = Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kCpu));
  ASSERT_TRUE(base::ArmFaults("compile.program=always:hang:3000").ok());
  const Answered answered = Ask(engine_.get(), Grouped(), Mixed("guided"));
  EXPECT_EQ(answered.rows, expected.rows);
  EXPECT_EQ(Both(answered).rows[Side::kGpu], 0);
  // On a busy machine the other worker may have done all before this one asked for the kernel.
  EXPECT_NE(Both(answered).reason, "");
}

// Cores do it all where the card's program is not to be had, and it is told why.
TEST_F(MixedTest, AProgramThatIsNotMadeCostsNoRow) {
  base::TestFolder folder;
  for (const std::string point : {"compile.program", "device.load"}) {
    EngineOptions options = TestEngineOptions(folder.path(), GpuKind::kEmulated);
    options.gpu.programs.retry_after = std::chrono::hours(1);
    engine_ = Engine::Make(std::move(options)).ValueOrDie();
    AddFacts();
    const Answered expected = Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kCpu));
    ASSERT_TRUE(base::ArmFaults(point + "=always:error").ok());
    for (const std::string& policy : Policies()) {
      SCOPED_TRACE(point + " " + policy);
      engine_->gpu()->programs().Clear();
      // Cores may be done before the program has failed: the next query hears of it.
      bool is_told = false;
      for (int asked = 0; !is_told; ++asked) {
        ASSERT_LT(asked, 10'000) << "nobody was told";
        const Answered answered = Ask(engine_.get(), Grouped(), Mixed(policy));
        ASSERT_EQ(answered.rows, expected.rows);
        ASSERT_EQ(answered.rows_read, kRows + kDims);
        ASSERT_EQ(Both(answered).rows[Side::kCpu], kRows);
        ASSERT_EQ(Both(answered).rows[Side::kGpu], 0);
        ASSERT_NE(Both(answered).reason, "");
        is_told = Both(answered).reason.find(point) != std::string::npos;
      }
    }
    base::DisarmFaults();
    EXPECT_EQ(engine_->gpu_keeper().state().failures, 0);
  }
}

// What one engine has learned the next one knows.
TEST_F(MixedTest, SpeedsAreRemembered) {
  base::TestFolder folder;
  double first = 0;
  for (int run = 0; run < 2; ++run) {
    engine_.reset();
    engine_ = MakeTestEngine(folder.path(), GpuKind::kEmulated);
    AddFacts();
    const double predicted = Both(Ask(engine_.get(), Grouped(), Mixed("guided"))).predicted_ms;
    EXPECT_GT(predicted, 0);
    if (run == 0) first = predicted;
    // Before, it was a guess from bytes; nothing measured comes out the same.
    if (run == 1) {
      EXPECT_NE(predicted, first);
    }
  }
}

TEST_F(MixedTest, OneWorkerServesBoth) {
  EngineOptions one = TestEngineOptions("", GpuKind::kEmulated);
  one.threads = 1;
  engine_ = Engine::Make(std::move(one)).ValueOrDie();
  AddFacts();
  const Answered expected = Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kCpu));
  Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kGpu));
  EXPECT_EQ(Ask(engine_.get(), Grouped(), Mixed("guided")).rows, expected.rows);
  // Who balances may be done before the card has begun.
  const Answered answered = Ask(engine_.get(), Grouped(), Mixed("static:40"));
  EXPECT_EQ(answered.rows, expected.rows);
  EXPECT_EQ(Both(answered).rows[Side::kGpu], 10 * kUnit);
}

TEST_F(MixedTest, ACancelledQueryStops) {
  AddFacts();
  schedule::CancelToken cancel;
  cancel.Cancel();
  RunOptions options = Mixed("guided");
  options.cancel = &cancel;
  EXPECT_EQ(base::CodeOf(engine_->Run(Grouped().ToCommand(), options).status()),
            base::ErrorCode::kCancelled);
}

TEST_F(MixedTest, AutoSaysWhatItPredictedAndWhatCameOfIt) {
  AddFacts();
  for (int i = 0; i < 2; ++i) {
    const Answered answered = Ask(engine_.get(), Grouped(), InMode(schedule::Mode::kAuto));
    ASSERT_FALSE(answered.devices.empty());
    const PipelineDevices& last = answered.devices.back();
    EXPECT_FALSE(last.reason.empty());
    EXPECT_GT(last.predicted_ms, 0);
    EXPECT_GT(last.real_ms, 0);
    EXPECT_EQ(last.rows[Side::kCpu] + last.rows[Side::kGpu], kRows);
    // So few rows are thought not to be worth a launch, until it is known how long they take.
    if (i == 0) {
      EXPECT_EQ(last.mode, schedule::Mode::kCpu);
    }
  }
}

}  // namespace
}  // namespace shadowvm::exec
