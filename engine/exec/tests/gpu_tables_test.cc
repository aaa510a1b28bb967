// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "engine/base/fault.h"
#include "engine/base/tests/test_folder.h"
#include "engine/cli/bench/answer_json.h"
#include "engine/exec/tests/kernel_tables.h"
#include "engine/storage/parquet_sink.h"

// Join tables that a GPU makes of dimensions, on the emulated device: the same answers as with
// tables that the CPU makes, and the CPU's wherever the GPU's will not do.
namespace shadowvm::exec {
namespace {

using client::Col;
using client::Count;
using client::Frame;
using client::On;
using client::Sum;
using schedule::Mode;

constexpr int64_t kRows = 20000;
constexpr char kRepeats[] = "a key of the build side comes twice";

struct Answered {
  nlohmann::json rows;  // sorted
  QueryStats stats;
};

bool MakesTable(const GpuPipeline& pipeline) {
  return pipeline.why_not.empty() && pipeline.title.find("; table by ") != std::string::npos;
}

class GpuTablesTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(TestEngineOptions("", GpuKind::kEmulated)); }
  void TearDown() override { base::DisarmFaults(); }

  void Start(EngineOptions options) {
    engine_ = Engine::Make(std::move(options)).ValueOrDie();
    // Keys of either sign; some are null, some meet nothing.
    AddTable("facts", {{"k", Int32s(kRows,
                                    [](int64_t i) -> std::optional<int32_t> {
                                      return i % 25 == 7 ? std::nullopt
                                                         : std::optional<int32_t>(i * 7919 % 500);
                                    })},
                       {"key", Int32s(kRows, [](int64_t i) { return i * 7919 % 500 - 250; })},
                       {"value", Int32s(kRows, [](int64_t i) { return i * 104729 % 2003; })}});
    const auto city = [](int64_t i) { return "city " + std::to_string(i % 37); };
    AddTable("dims", {{"d", Int32s(400, [](int64_t i) { return 399 - i; })},
                      {"e", Int32s(400, [](int64_t i) { return i - 200; })},
                      {"year", Int32s(400, [](int64_t i) { return 1992 + i % 7; })},
                      {"size", Int32s(400, [](int64_t i) { return i % 100; })},
                      {"city", Texts(400, city)},
                      {"town", Texts(400, [&](int64_t i) {
                         return i % 6 == 0 ? std::nullopt : std::optional(city(i));
                       })}});
  }
  void AddTable(const std::string& name, const std::vector<NamedArray>& columns) {
    ASSERT_TRUE(engine_->AddTable(name, *MakeTable(columns)).ok());
  }

  std::unique_ptr<Answered> Ask(const Frame& frame, Mode mode) {
    auto answered = std::make_unique<Answered>();
    const auto answer = engine_->Run(frame.ToCommand(), {.stats = &answered->stats, .mode = mode});
    EXPECT_TRUE(answer.ok()) << answer.status();
    if (!answer.ok()) return answered;
    answered->rows = cli::RowsToJson(**answer).ValueOrDie();
    std::sort(answered->rows.begin(), answered->rows.end());
    return answered;
  }
  // Runs it in mode gpu, with the answer of mode cpu.
  std::unique_ptr<Answered> AskSame(const Frame& frame) {
    const auto here = Ask(frame, Mode::kCpu);
    auto there = Ask(frame, Mode::kGpu);
    EXPECT_FALSE(here->rows.empty());
    EXPECT_EQ(here->rows, there->rows);
    return there;
  }
  // All of its build sides become tables there.
  void ExpectTables(const Frame& frame) {
    const auto there = AskSame(frame);
    const std::vector<GpuPipeline>& gpu = there->stats.gpu;
    ASSERT_GE(gpu.size(), 2u);
    EXPECT_TRUE(std::all_of(gpu.begin(), gpu.end() - 1, MakesTable));
    EXPECT_EQ(gpu.back().why_not, "");
    EXPECT_EQ(gpu.size(), there->stats.kernels.size());
    EXPECT_EQ(gpu.size(), there->stats.devices.size());
  }
  // None of them does.
  std::unique_ptr<Answered> ExpectRows(const Frame& frame) {
    auto there = AskSame(frame);
    EXPECT_TRUE(std::none_of(there->stats.gpu.begin(), there->stats.gpu.end(), MakesTable));
    return there;
  }

  static Frame GroupedBy(const Frame& joined, const std::vector<client::Named>& keys) {
    return joined.GroupBy(keys).Aggregate({Count().As("rows"), Sum(Col("value")).As("sum")});
  }
  static Frame Dims() { return client::Table("dims").Filter(Col("size") < 60); }

  std::unique_ptr<Engine> engine_;
};

// A dictionary has the first file's strings when a query is planned, and all of them when it runs.
TEST_F(GpuTablesTest, StringsThatComeWithLaterFiles) {
  const base::TestFolder folder;
  std::vector<std::string> paths;
  for (int64_t part = 0; part < 3; ++part) {
    const auto dims =
        MakeTable({{"d", Int32s(100, [&](int64_t i) { return 100 * part + i; })},
                   {"name", Texts(100, [&](int64_t i) {
                      return "part " + std::to_string(part) + ", " + std::to_string(i % 3);
                    })}});
    paths.push_back(folder / ("dims" + std::to_string(part) + ".parquet"));
    auto sink = storage::ParquetSink::Open(paths.back(), dims->schema(), {}).ValueOrDie();
    ASSERT_TRUE(sink->Write(*dims).ok() && sink->Finish().ok());
  }
  const Frame named = client::Scan(paths).Filter(Col("name") == "part 2, 1");
  const Frame joined = client::Table("facts").SemiJoin(named, {On("k", "d")});
  const Frame query = joined.Aggregate({Count().As("rows"), Sum(Col("value")).As("sum")});
  const auto expected = Ask(query, Mode::kCpu);
  EXPECT_GT(expected->rows[0][0], 0) << expected->rows;
  EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
  options.keep_builds = false;
  Start(std::move(options));
  const auto there = Ask(query, Mode::kGpu);
  EXPECT_EQ(there->rows, expected->rows);
  EXPECT_TRUE(std::any_of(there->stats.gpu.begin(), there->stats.gpu.end(), MakesTable));
}

TEST_F(GpuTablesTest, ExistenceOfKeys) {
  const Frame facts = client::Table("facts");
  ExpectTables(facts.SemiJoin(Dims(), {On("k", "d")}).Aggregate({Sum(Col("value")).As("sum")}));
  ExpectTables(facts.AntiJoin(Dims(), {On("key", "e")}).Aggregate({Sum(Col("value")).As("sum")}));
  ExpectTables(facts.Join(Dims(), {On("k", "d")})
                   .SemiJoin(client::Table("dims").Filter(Col("year") == 1995), {On("key", "e")})
                   .Aggregate({Count().As("rows"), Sum(Col("value")).As("sum")}));
}

// Codes of a dictionary, values of a small range, nulls among them, and several columns at once.
TEST_F(GpuTablesTest, GroupsByColumnsOfADimension) {
  const Frame joined = client::Table("facts").Join(Dims(), {On("key", "e")});
  ExpectTables(GroupedBy(joined, {"city"}));
  ExpectTables(GroupedBy(joined, {"town", "year"}));
  // Every key that facts can have is there, so that nobody looks for existence.
  AddTable("all", {{"a", Int32s(500, [](int64_t i) { return i - 250; })},
                   {"third", Int32s(500, [](int64_t i) { return i % 3; })}});
  ExpectTables(GroupedBy(joined.Join(client::Table("all"), {On("key", "a")}), {"third", "city"}));
}

TEST_F(GpuTablesTest, NoRows) {
  const Frame none = client::Table("dims").Filter(Col("size") > 1000);
  const Frame joined = client::Table("facts").Join(none, {On("key", "e")});
  ExpectTables(joined.Aggregate({Count().As("rows")}));
  const auto grouped = Ask(GroupedBy(joined, {"city"}), Mode::kGpu);
  EXPECT_TRUE(grouped->rows.empty());
  // A table without any row has no range of keys.
  AddTable("empty", {{"x", Int32s(0, [](int64_t i) { return i; })}});
  AskSame(client::Table("facts")
              .AntiJoin(client::Table("empty"), {On("key", "x")})
              .Aggregate({Count().As("rows")}));
}

TEST_F(GpuTablesTest, KeysThatAreNull) {
  AddTable("holes", {{"h", Int32s(300,
                                  [](int64_t i) -> std::optional<int32_t> {
                                    return i % 3 == 0 ? std::nullopt : std::optional<int32_t>(i);
                                  })},
                     {"g", Int32s(300, [](int64_t i) { return i % 4; })}});
  const Frame joined = client::Table("facts").Join(client::Table("holes"), {On("k", "h")});
  ExpectTables(GroupedBy(joined, {"g"}));
  ExpectTables(client::Table("facts")
                   .AntiJoin(client::Table("holes"), {On("k", "h")})
                   .Aggregate({Count().As("rows")}));
}

// A key that is computed, of which no range is known: the table spans what can be asked for.
TEST_F(GpuTablesTest, KeysThatAreComputed) {
  const Frame twice = Dims().Select(
      {client::Named("t", Col("d") + Col("d") - 300), client::Named("year", Col("year"))});
  ExpectTables(GroupedBy(client::Table("facts").Join(twice, {On("key", "t")}), {"year"}));
}

TEST_F(GpuTablesTest, KeysThatRepeat) {
  AddTable("several", {{"s", Int32s(600, [](int64_t i) { return i % 300; })},
                       {"g", Int32s(600, [](int64_t i) { return i % 4; })}});
  const Frame facts = client::Table("facts"), several = client::Table("several");
  const auto there = ExpectRows(GroupedBy(facts.Join(several, {On("key", "s")}), {"g"}));
  EXPECT_EQ(there->stats.gpu.front().why_not, kRepeats);
  EXPECT_EQ(there->stats.gpu.back().why_not, "");
  // Whether a key is there is the same, however often it comes.
  for (const Frame& joined :
       {facts.SemiJoin(several, {On("key", "s")}), facts.AntiJoin(several, {On("key", "s")})}) {
    ExpectTables(joined.Aggregate({Count().As("rows"), Sum(Col("value")).As("sum")}));
  }
  // Repeated keys that nobody can ask for do not count.
  AddTable("outside", {{"o", Int32s(600, [](int64_t i) { return i < 300 ? i : 5000; })}});
  ExpectTables(client::Table("facts")
                   .Join(client::Table("outside"), {On("key", "o")})
                   .Aggregate({Count().As("rows")}));
}

// Rows of the build side are read, or its keys lie too far apart to be addresses.
TEST_F(GpuTablesTest, WhatNeedsRows) {
  const Frame facts = client::Table("facts");
  ExpectRows(facts.Join(Dims(), {On("key", "e")})
                 .Aggregate({Sum(Col("value") * Col("size")).As("weighted")}));
  ExpectRows(facts.Join(Dims(), {On("key", "e")}).Filter(Col("value") < 20));
  AddTable("far", {{"f", Int64s(300,
                                [](int64_t i) {
                                  return i == 0 ? std::numeric_limits<int64_t>::min() / 2
                                                : i * 1'000'000'007;
                                })},
                   {"v", Int32s(300, [](int64_t i) { return i; })}});
  ExpectRows(client::Table("far")
                 .SemiJoin(client::Table("far").Filter(Col("v") % 2 == 0), {On("f", "f")})
                 .Aggregate({Count().As("rows"), Sum(Col("v")).As("sum")}));
  // Groups by hash, and so no launch in vain for columns that are read.
  ExpectRows(GroupedBy(facts.Join(Dims(), {On("key", "e")}),
                       {client::Named("thousands", Col("value") * 1000), "city"}));
  // More values than groups have codes.
  AddTable("many", {{"m", Int32s(100000, [](int64_t i) { return i - 250; })}});
  const auto there =
      ExpectRows(GroupedBy(facts.Join(client::Table("many"), {On("key", "m")}), {"m"}));
  EXPECT_EQ(there->stats.gpu.front().why_not, "groups by columns of a build side with many values");
}

TEST_F(GpuTablesTest, WhatFailsThereIsMadeHere) {
  const Frame frame = GroupedBy(client::Table("facts").Join(Dims(), {On("key", "e")}), {"city"});
  const auto here = Ask(frame, Mode::kCpu);
  // The build, the pipeline that probes, and whatever comes.
  for (const std::string fault :
       {"compile.program=always:error", "exec.gpu.run=nth:1:error", "exec.gpu.run=nth:1:oom",
        "exec.gpu.run=nth:2:error", "exec.gpu.run=always:error"}) {
    SCOPED_TRACE(fault);
    ASSERT_TRUE(base::ArmFaults(fault).ok());
    const auto there = Ask(frame, Mode::kGpu);
    base::DisarmFaults();
    EXPECT_EQ(here->rows, there->rows);
    EXPECT_TRUE(std::any_of(there->stats.gpu.begin(), there->stats.gpu.end(),
                            [](const GpuPipeline& pipeline) { return !pipeline.why_not.empty(); }));
  }
  ExpectTables(frame);
}

// At any of its calls: while tables are made, with tables on it, or later.
TEST_F(GpuTablesTest, ACardThatIsLost) {
  const base::TestFolder folder;
  EngineOptions options = TestEngineOptions(folder.path(), GpuKind::kEmulated);
  options.gpu.programs.use_disk = true;
  options.gpu.programs.directory = folder.path();
  options.gpu.retry_after = std::chrono::hours(1);
  const Frame frame = GroupedBy(client::Table("facts")
                                    .Join(Dims(), {On("key", "e")})
                                    .SemiJoin(client::Table("dims"), {On("k", "d")}),
                                {"city"});
  const auto here = Ask(frame, Mode::kCpu);
  for (const std::string point : {"device.launch", "device.wait", "device.allocate"}) {
    int times = 0, times_told = 0;
    for (bool lost = true; lost;) {
      const std::string fault = point + "=nth:" + std::to_string(++times) + ":error";
      SCOPED_TRACE(fault);
      Start(options);
      ASSERT_TRUE(base::ArmFaults(fault).ok());
      const auto there = Ask(frame, Mode::kGpu);
      lost = engine_->gpu_keeper().state().failures > 0;
      base::DisarmFaults();
      EXPECT_EQ(here->rows, there->rows);
      const auto& gpu = there->stats.gpu;
      const bool told = std::any_of(gpu.begin(), gpu.end(), [&](const GpuPipeline& pipeline) {
        return pipeline.why_not.find(point) != std::string::npos;
      });
      times_told += told;
      // Who loses it after all rows are there has nothing to tell.
      EXPECT_EQ(told, std::any_of(gpu.begin(), gpu.end(), [](const GpuPipeline& pipeline) {
                  return !pipeline.why_not.empty();
                }));
      EXPECT_TRUE(lost || !told);
    }
    // One launch makes both tables, another one probes them.
    if (point == "device.launch") {
      EXPECT_EQ(times_told, 2);
    }
    EXPECT_GT(times_told, 0);
  }
}

// An error of the query is an error wherever it is found.
TEST_F(GpuTablesTest, ErrorsOfABuildSide) {
  const Frame frame =
      client::Table("facts")
          .SemiJoin(client::Table("dims").Filter(Col("year") * 2000000 > 5), {On("k", "d")})
          .Aggregate({Count().As("rows")});
  v1::Command command = frame.ToCommand();
  command.mutable_settings()->set_ansi(true);
  const auto here = engine_->Run(command, {.mode = Mode::kCpu});
  const auto there = engine_->Run(command, {.mode = Mode::kGpu});
  ASSERT_FALSE(here.ok());
  EXPECT_EQ(base::CodeOf(here.status()), base::ErrorCode::kOverflow);
  EXPECT_EQ(here.status().message(), there.status().message());
}

// Parts of one launch with several blocks each, and more parts than a launch has.
TEST_F(GpuTablesTest, ManyTablesAtOnce) {
  const auto add_large = [&](const std::string& name, int64_t rows, int64_t step) {
    AddTable(name, {{name, Int32s(rows, [&](int64_t i) { return i * step % rows - 250; })},
                    {name + "_part", Int32s(rows, [](int64_t i) { return i % 11; })}});
  };
  add_large("first", 30011, 7919);
  add_large("second", 9001, 17);
  add_large("third", 50021, 31);
  Frame joined = client::Table("facts").Join(Dims(), {On("key", "e")});
  for (const std::string name : {"first", "second", "third"}) {
    const Frame some = client::Table(name).Filter(Col(name + "_part") != 3);
    joined = joined.Join(some, {On(Col("key"), Col(name))});
  }
  const Frame grouped = GroupedBy(joined, {"city", "second_part"});
  ExpectTables(grouped);
  for (int year = 1992; year < 1998; ++year) {
    joined = joined.AntiJoin(client::Table("dims").Filter(Col("year") == year && Col("size") > 70),
                             {On("k", "d")});
  }
  ExpectTables(GroupedBy(joined, {"city", "second_part"}));
}

// Build sides that are not the GPU's beside those that are.
TEST_F(GpuTablesTest, BesideOtherJoins) {
  const Frame renamed = client::Table("dims").Select(
      {client::Named("o", Col("e")), client::Named("outer_size", Col("size"))});
  const Frame outer = client::Table("facts")
                          .SemiJoin(Dims(), {On("k", "d")})
                          .LeftJoin(renamed.Filter(Col("outer_size") < 30), {On("key", "o")});
  const auto there =
      AskSame(outer.Aggregate({Count().As("rows"), Sum(Col("outer_size")).As("sizes")}));
  EXPECT_EQ(std::count_if(there->stats.gpu.begin(), there->stats.gpu.end(), MakesTable), 1);
  // A build side that probes another: its rows are collected where its table is.
  const Frame nested = Dims().SemiJoin(renamed.Filter(Col("outer_size") < 30), {On("e", "o")});
  AskSame(GroupedBy(client::Table("facts").Join(nested, {On("key", "e")}), {"city"}));
}

// A table is gone with its query.
TEST_F(GpuTablesTest, MemoryIsGivenBack) {
  const Frame frame = GroupedBy(client::Table("facts").Join(Dims(), {On("key", "e")}), {"city"});
  Ask(frame, Mode::kGpu);
  const int64_t used = engine_->gpu()->arena().used();
  for (int i = 0; i < 3; ++i) Ask(frame, Mode::kGpu);
  EXPECT_EQ(engine_->gpu()->arena().used(), used);
}

// Copies of segments give way to a table; where there is no room even so, it is the CPU's.
TEST_F(GpuTablesTest, LittleMemory) {
  constexpr int64_t kKiB = int64_t{1} << 10;
  const Frame frame = GroupedBy(client::Table("facts").Join(Dims(), {On("key", "e")}), {"city"});
  const auto here = Ask(frame, Mode::kCpu);
  bool has_been_cpu = false, has_been_gpu = false;
  for (const int64_t room : {kKiB, 16 * kKiB, 256 * kKiB, 4096 * kKiB}) {
    SCOPED_TRACE(room);
    EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
    options.gpu.memory_bytes = room;
    Start(std::move(options));
    for (int again = 0; again < 2; ++again) {
      const auto there = Ask(frame, Mode::kGpu);
      EXPECT_EQ(here->rows, there->rows);
      const auto& gpu = there->stats.gpu;
      const bool made = std::any_of(gpu.begin(), gpu.end(), MakesTable);
      (made ? has_been_gpu : has_been_cpu) = true;
      EXPECT_LE(engine_->gpu()->arena().used(), room);
      EXPECT_TRUE(engine_->gpu()->CheckUsable().ok());
    }
  }
  EXPECT_TRUE(has_been_cpu);
  EXPECT_TRUE(has_been_gpu);
}

TEST_F(GpuTablesTest, SeveralQueriesAtATime) {
  for (const int concurrent : {1, 3}) {
    EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
    options.gpu.concurrent = concurrent;
    Start(std::move(options));
    std::vector<Frame> frames;
    std::vector<nlohmann::json> rows;
    for (const int size : {10, 40, 80}) {
      const Frame dims = client::Table("dims").Filter(Col("size") < size);
      frames.push_back(GroupedBy(client::Table("facts").Join(dims, {On("key", "e")}), {"city"}));
      rows.push_back(Ask(frames.back(), Mode::kCpu)->rows);
    }
    std::vector<std::thread> clients;
    for (size_t client = 0; client < 6; ++client) {
      clients.emplace_back([&, client] {
        for (size_t i = client; i < client + 6; ++i) {
          const auto there = Ask(frames[i % frames.size()], Mode::kGpu);
          EXPECT_EQ(there->rows, rows[i % rows.size()]);
          EXPECT_EQ(std::count_if(there->stats.gpu.begin(), there->stats.gpu.end(), MakesTable), 1);
        }
      });
    }
    for (std::thread& client : clients) client.join();
  }
}

// A plan that is run again makes its tables again, of what is there by then; with build sides that
// are kept it has none to make.
TEST_F(GpuTablesTest, APlanThatIsRunAgain) {
  const Frame frame = GroupedBy(client::Table("facts").Join(Dims(), {On("key", "e")}), {"city"});
  const std::string command = frame.ToCommand().SerializeAsString();
  const auto ask = [&](Mode mode) {
    Answered answered;
    const auto plan = engine_->Plan(command, &answered.stats.spans).ValueOrDie();
    const auto answer = engine_->Run(plan.get(), {.stats = &answered.stats, .mode = mode});
    EXPECT_TRUE(answer.ok()) << answer.status();
    answered.rows = cli::RowsToJson(**answer).ValueOrDie();
    std::sort(answered.rows.begin(), answered.rows.end());
    return std::pair(answered.rows,
                     static_cast<int>(std::count_if(answered.stats.gpu.begin(),
                                                    answered.stats.gpu.end(), MakesTable)));
  };
  const nlohmann::json before = ask(Mode::kCpu).first;
  for (int again = 0; again < 3; ++again) EXPECT_EQ(ask(Mode::kGpu), std::pair(before, 1));
  engine_->KeepAddedBuilds(true);
  for (int again = 0; again < 3; ++again) EXPECT_EQ(ask(Mode::kGpu), std::pair(before, 0));
  engine_->KeepAddedBuilds(false);
  AddTable("dims",
           {{"e", Int32s(400, [](int64_t i) { return i - 200; })},
            {"size", Int32s(400, [](int64_t i) { return i % 90; })},
            {"city", Texts(400, [](int64_t i) { return "place " + std::to_string(i % 5); })}});
  const auto after = ask(Mode::kGpu);
  EXPECT_EQ(after.second, 1);
  EXPECT_NE(after.first, before);
  EXPECT_EQ(ask(Mode::kCpu).first, after.first);
  EXPECT_EQ(ask(Mode::kGpu), after);
}

// Rows that are kept serve other queries too.
TEST_F(GpuTablesTest, BuildSidesThatAreKeptHaveRows) {
  EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
  options.keep_added_builds = true;
  Start(std::move(options));
  const Frame frame = GroupedBy(client::Table("facts").Join(Dims(), {On("key", "e")}), {"city"});
  ExpectRows(frame);
}

TEST_F(GpuTablesTest, BarriersComeInOrder) {
  const Frame frame = GroupedBy(client::Table("facts")
                                    .Join(Dims(), {On("key", "e")})
                                    .SemiJoin(client::Table("dims"), {On("k", "d")}),
                                {"city"});
  std::vector<PipelineStats> passed;
  const auto answer = engine_->Run(
      frame.ToCommand(), {.mode = Mode::kGpu, .on_barrier = [&](const PipelineStats& pipeline) {
                            passed.push_back(pipeline);
                          }});
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_GE(passed.size(), 3u);
  for (size_t i = 0; i < passed.size(); ++i) EXPECT_EQ(passed[i].index, static_cast<int>(i));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(passed[i].why_not_gpu, "");
    EXPECT_EQ(passed[i].rows_on_gpu, i < 2 ? 400 : kRows);
  }
  EXPECT_EQ(std::min(passed[0].rows_out, passed[1].rows_out), 240);
}

// Mode auto goes by predicted time, and where the pipeline that probes runs.
TEST_F(GpuTablesTest, ModeAuto) {
  EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
  options.machine.core_bytes_per_ms = 100;
  options.machine.gpu_start_ms = 1;
  const auto start = [&] {
    Start(options);
    AddTable("large", {{"l", Int32s(5000, [](int64_t i) { return i - 250; })},
                       {"g", Int32s(5000, [](int64_t i) { return i % 5; })}});
  };
  start();
  const Frame frame = GroupedBy(client::Table("facts")
                                    .Join(client::Table("large"), {On("key", "l")})
                                    .SemiJoin(client::Table("dims"), {On("k", "d")}),
                                {"g"});
  const auto first = Ask(frame, Mode::kAuto);
  EXPECT_TRUE(std::none_of(first->stats.gpu.begin(), first->stats.gpu.end(), MakesTable));
  start();                                    // what cores have taken is forgotten
  const auto there = Ask(frame, Mode::kGpu);  // brings all of it there
  EXPECT_EQ(there->rows, first->rows);
  const auto then = Ask(frame, Mode::kAuto);
  EXPECT_EQ(then->rows, there->rows);
  const auto& gpu = then->stats.gpu;
  EXPECT_EQ(std::count_if(gpu.begin(), gpu.end(), MakesTable), 2);
  // Where a launch costs more than the CPU takes for all rows, it is the CPU's.
  options = TestEngineOptions("", GpuKind::kEmulated);
  options.machine.gpu_start_ms = 1000;
  start();
  AskSame(frame);
  const auto never = Ask(frame, Mode::kAuto);
  EXPECT_EQ(never->rows, there->rows);
  EXPECT_TRUE(std::none_of(never->stats.gpu.begin(), never->stats.gpu.end(), MakesTable));
}

}  // namespace
}  // namespace shadowvm::exec
