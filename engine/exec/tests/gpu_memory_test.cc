// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "engine/base/fault.h"
#include "engine/cli/bench/answer_json.h"
#include "engine/columns/arrow_import.h"
#include "engine/exec/tests/kernel_tables.h"

// Where a GPU's kernels find their segments: in the device's memory, in the host's, or copied for
// the launch; whatever there is room for, and with many queries at once.
namespace shadowvm::exec {
namespace {

using client::Col;
using client::Count;
using client::Max;
using client::Sum;

constexpr int64_t kMiB = int64_t{1} << 20;
// A segment's columns of two and four bytes have pages of their own, those of one byte have not.
// The last group of rows is not full.
constexpr int64_t kSegmentRows = 140003;
constexpr int kSegments = 3;

std::shared_ptr<arrow::Table> Facts(int64_t first) {
  return MakeTable(
      {{"key", Int32s(kSegmentRows, [&](int64_t i) { return (first + i) * 7919 % 5000; })},
       {"small", Int32s(kSegmentRows, [&](int64_t i) { return (first + i) % 7; })},
       {"value", Int32s(kSegmentRows, [&](int64_t i) -> std::optional<int32_t> {
          if (i % 11 == 3) return std::nullopt;
          return (first + i) * 104729 % 200003 - 100000;
        })}});
}

// One table of several segments that are smaller than usual.
void AddFacts(Engine* engine) {
  std::vector<columns::MemoryTable::Column> columns;
  std::optional<columns::Schema> schema;
  for (int64_t part = 0; part < kSegments; ++part) {
    const auto table =
        columns::FromArrow("facts", *Facts(part * kSegmentRows), &engine->budget()).ValueOrDie();
    schema = table->schema();
    columns.resize(3);
    for (int i = 0; i < 3; ++i) {
      columns[i].layout = table->column(i).layout;
      columns[i].segments.push_back(table->column(i).segments.at(0));
    }
  }
  ASSERT_TRUE(engine
                  ->AddTable("facts", std::make_shared<columns::MemoryTable>("facts", *schema,
                                                                             std::move(columns)))
                  .ok());
}

// Few rows survive the first column, so most of the others is not needed.
client::Frame FewRows(int most) {
  return client::Table("facts")
      .Filter(Col("key") < most)
      .GroupBy({"small"})
      .Aggregate({Count().As("rows"), Sum(Col("value")).As("sum"), Max(Col("value")).As("most")});
}

struct Answered {
  nlohmann::json rows;  // sorted
  GpuPipeline gpu;
};

Answered Ask(Engine* engine, const client::Frame& frame) {
  QueryStats stats;
  const auto answer =
      engine->Run(frame.ToCommand(), {.stats = &stats, .mode = schedule::Mode::kGpu});
  EXPECT_TRUE(answer.ok()) << answer.status();
  if (!answer.ok()) return {};
  Answered answered{cli::RowsToJson(**answer).ValueOrDie(), {}};
  std::sort(answered.rows.begin(), answered.rows.end());
  if (!stats.gpu.empty()) answered.gpu = stats.gpu.back();
  return answered;
}

GpuOptions Way(GpuPrefetch prefetch) {
  GpuOptions options;
  options.prefetch = prefetch;
  return options;
}

GpuOptions Active(int streams) {
  GpuOptions options = Way(GpuPrefetch::kActive);
  options.active_streams = streams;
  options.chunk_rows = kSegmentRows;
  return options;
}

GpuOptions Capped(int64_t bytes, int concurrent) {
  GpuOptions options;
  options.memory_bytes = bytes;
  options.concurrent = concurrent;
  return options;
}

class GpuMemoryTest : public ::testing::Test {
 protected:
  void TearDown() override { base::DisarmFaults(); }

  // With the tables in it, and pinned.
  std::unique_ptr<Engine> MakeEngine(GpuOptions gpu) {
    gpu.kind = GpuKind::kEmulated;
    gpu.programs.use_disk = false;
    EngineOptions options = TestEngineOptions();
    options.gpu = gpu;
    auto engine = Engine::Make(std::move(options)).ValueOrDie();
    AddFacts(engine.get());
    return engine;
  }
  static void Pin(Engine* engine, const std::string& name = "facts") {
    const auto table = engine->Open({{}, name}).ValueOrDie();
    std::vector<int> ordinals(static_cast<size_t>(table->schema().num_fields()));
    std::iota(ordinals.begin(), ordinals.end(), 0);
    for (int segment = 0; segment < table->num_segments(); ++segment) {
      const auto data = table->Read(segment, ordinals, {}, nullptr).ValueOrDie();
      for (const auto& column : data->columns) {
        engine->gpu()->pinned().Want(column->data);
        if (column->validity != nullptr) engine->gpu()->pinned().Want(column->validity);
      }
    }
    engine->gpu()->pinned().Await();
  }
  const nlohmann::json& Expected(int most) {
    if (cpu_ == nullptr) {
      cpu_ = MakeTestEngine();
      AddFacts(cpu_.get());
    }
    auto& rows = expected_[most];
    if (rows.is_null()) rows = Ask(cpu_.get(), FewRows(most)).rows;
    return rows;
  }
  Answered ExpectOnGpu(Engine* engine, int most) {
    Answered answered = Ask(engine, FewRows(most));
    EXPECT_EQ(answered.rows, Expected(most));
    EXPECT_EQ(answered.gpu.why_not, "");
    return answered;
  }

  std::unique_ptr<Engine> cpu_;
  std::map<int, nlohmann::json> expected_;
};

TEST_F(GpuMemoryTest, CopiesAreKept) {
  const auto engine = MakeEngine({});
  const Answered first = ExpectOnGpu(engine.get(), 100);
  const Answered second = ExpectOnGpu(engine.get(), 100);
  EXPECT_GT(first.gpu.times.link_bytes, 2 * kMiB);
  EXPECT_EQ(second.gpu.times.link_bytes, 0);
  EXPECT_GT(second.gpu.times.device_bytes, 0);
  EXPECT_GT(engine->gpu()->copies().bytes(), 2 * kMiB);
}

// A scan that lies there as a whole is told of once; its table's end is its own.
TEST_F(GpuMemoryTest, ScansAreKept) {
  const auto engine = MakeEngine({});
  PlacedScans& scans = engine->gpu()->scans();
  ExpectOnGpu(engine.get(), 100);
  EXPECT_EQ(scans.size(), 1);
  const Answered again = ExpectOnGpu(engine.get(), 100);
  EXPECT_EQ(again.gpu.times.link_bytes, 0);
  EXPECT_EQ(scans.size(), 1);
  ExpectOnGpu(engine.get(), 200);  // another range may skip other segments
  EXPECT_EQ(scans.size(), 2);
  AddFacts(engine.get());
  ExpectOnGpu(engine.get(), 100);
  EXPECT_EQ(scans.size(), 1);
}

// Copies that a scan holds would otherwise never give way.
TEST_F(GpuMemoryTest, ScansGiveWay) {
  const auto engine = MakeEngine({});
  Gpu& gpu = *engine->gpu();
  ExpectOnGpu(engine.get(), 100);
  ASSERT_EQ(gpu.scans().size(), 1);
  gpu.copies().Drop(gpu.arena().cap());
  EXPECT_EQ(gpu.scans().size(), 0);
  EXPECT_EQ(gpu.copies().bytes(), 0);
  ExpectOnGpu(engine.get(), 100);
  EXPECT_EQ(gpu.scans().size(), 1);
}

// A build side that is kept for later queries has its join table kept on the device too: a direct
// one, and one by hash with rows of which several have one key.
TEST_F(GpuMemoryTest, JoinTablesAreKept) {
  EngineOptions options = TestEngineOptions();
  options.gpu.kind = GpuKind::kEmulated;
  options.keep_added_builds = true;
  const auto engine = Engine::Make(std::move(options)).ValueOrDie();
  cpu_ = MakeTestEngine();
  const auto prices = MakeTable({{"id", Int32s(150000, [](int64_t i) { return i - 75000; })},
                                 {"half", Int32s(150000, [](int64_t i) { return i / 2; })},
                                 {"kind", Int32s(150000, [](int64_t i) { return i / 2 % 3; })},
                                 {"price", Int32s(150000, [](int64_t i) { return i % 977; })}});
  for (Engine* const each : {cpu_.get(), engine.get()}) {
    AddFacts(each);
    ASSERT_TRUE(each->AddTable("prices", *prices).ok());
  }
  Ask(engine.get(), FewRows(5000));  // brings all columns of facts there
  using Keys = std::vector<client::On>;
  for (const Keys& keys : {Keys{client::On("value", "id")},
                           Keys{client::On("value", "half"), client::On("small", "kind")}}) {
    SCOPED_TRACE(keys.size());
    const auto joined = client::Table("facts")
                            .Join(client::Table("prices"), keys)
                            .GroupBy({"small"})
                            .Aggregate({Sum(Col("price")).As("sum")});
    const Answered expected = Ask(cpu_.get(), joined);
    EXPECT_FALSE(expected.rows.empty());
    // The first query makes the build side, the second finds it and makes a table that is kept.
    std::vector<int64_t> link_bytes;
    for (int again = 0; again < 3; ++again) {
      const Answered answered = Ask(engine.get(), joined);
      EXPECT_EQ(answered.gpu.why_not, "");
      EXPECT_EQ(answered.rows, expected.rows);
      link_bytes.push_back(answered.gpu.times.link_bytes);
    }
    EXPECT_GT(link_bytes[0], 100000 * int64_t{sizeof(int32_t)});
    EXPECT_EQ(link_bytes[2], 0);
  }
}

// What a launch was told is told again, unless what it names has moved meanwhile.
TEST_F(GpuMemoryTest, ALaunchIsToldWhereThingsAreNow) {
  EngineOptions options = TestEngineOptions();
  options.gpu.kind = GpuKind::kEmulated;
  options.keep_added_builds = true;
  const auto engine = Engine::Make(std::move(options)).ValueOrDie();
  const auto prices = MakeTable({{"id", Int32s(5000, [](int64_t i) { return i; })},
                                 {"price", Int32s(5000, [](int64_t i) { return i % 97; })}});
  AddFacts(engine.get());
  ASSERT_TRUE(engine->AddTable("prices", *prices).ok());
  const std::string command =
      client::Table("facts")
          .Join(client::Table("prices").Filter(Col("price") < 9), {client::On("key", "id")})
          .GroupBy({"price"})
          .Aggregate({Count().As("rows"), Sum(Col("value")).As("sum")})
          .OrderBy({client::Asc("price")})
          .ToCommand()
          .SerializeAsString();
  const auto ask = [&](schedule::Mode mode) -> nlohmann::json {
    QueryStats stats;
    const auto plan = engine->Plan(command, &stats.spans).ValueOrDie();
    const auto answer = engine->Run(plan.get(), {.stats = &stats, .mode = mode});
    EXPECT_TRUE(answer.ok()) << answer.status();
    for (const GpuPipeline& pipeline : stats.gpu) EXPECT_EQ(pipeline.why_not, "");
    return answer.ok() ? cli::RowsToJson(**answer).ValueOrDie() : nlohmann::json();
  };
  const nlohmann::json expected = ask(schedule::Mode::kCpu);
  ASSERT_EQ(expected.size(), 9u);
  Gpu& gpu = *engine->gpu();
  std::vector<DeviceBlock> in_the_way;
  for (int round = 0; round < 3; ++round) {
    for (int again = 0; again < 3; ++again) EXPECT_EQ(ask(schedule::Mode::kGpu), expected);
    Ask(engine.get(), FewRows(100));  // writes where the launch was
    EXPECT_EQ(ask(schedule::Mode::kGpu), expected);
    gpu.copies().Drop(gpu.arena().cap());
    in_the_way.push_back(gpu.arena().Take(kMiB).ValueOrDie());
  }
}

TEST_F(GpuMemoryTest, PassiveReadsInPlace) {
  const auto engine = MakeEngine(Way(GpuPrefetch::kPassive));
  Pin(engine.get());
  EXPECT_GT(engine->gpu()->pinned().bytes(), 2 * kMiB);
  ExpectOnGpu(engine.get(), 100);
  // Only what has no pages of its own is copied.
  EXPECT_LT(engine->gpu()->copies().bytes(), kMiB);
  const Answered all = ExpectOnGpu(engine.get(), 5000);
  const Answered few = ExpectOnGpu(engine.get(), 2);
  EXPECT_GT(few.gpu.times.link_bytes, 0);
  EXPECT_LT(few.gpu.times.link_bytes, all.gpu.times.link_bytes / 2);
}

// Rows of a column that wide tiles have read are read where those left it, or where it always was
// if there is no room; room that nobody has written holds a pattern.
TEST_F(GpuMemoryTest, PassiveReadsAColumnOnce) {
  const auto keys = client::Table("facts")
                        .Filter(Col("key") < 300)
                        .Filter(Col("value") < 1000)
                        .GroupBy({"small"})
                        .Aggregate({Sum(Col("key")).As("keys"), Sum(Col("value")).As("values"),
                                    Max(Col("key")).As("most")});
  Expected(100);
  const Answered expected = Ask(cpu_.get(), keys);
  for (const int64_t bytes : {64 * kMiB, kMiB}) {
    GpuOptions options = Way(GpuPrefetch::kPassive);
    options.memory_bytes = bytes;
    const auto engine = MakeEngine(options);
    Pin(engine.get());
    const Answered answered = Ask(engine.get(), keys);
    EXPECT_EQ(answered.gpu.why_not, "");
    EXPECT_EQ(answered.rows, expected.rows);
    EXPECT_EQ(answered.gpu.times.room_bytes > 0, bytes > kMiB);
    // It was there for the launch alone.
    EXPECT_LT(engine->gpu()->arena().used(), kMiB);
  }
}

// The same of columns of one, two, four and eight bytes, of codes, and of a key that gives groups.
TEST_F(GpuMemoryTest, PassiveReadsEveryWidthOnce) {
  constexpr int64_t kRows = 300'007;  // of one byte, they have pages of their own
  const auto wide =
      MakeTable({{"one", Int32s(kRows, [](int64_t i) { return i * 31 % 200; })},
                 {"two", Int32s(kRows, [](int64_t i) { return i * 7919 % 50000; })},
                 {"four", Int32s(kRows, [](int64_t i) { return i * 104729 % 3'000'017; })},
                 {"eight", Int64s(kRows, [](int64_t i) { return (i * 31 % 1009) << 33; })},
                 {"name", Texts(kRows, [](int64_t i) { return "n" + std::to_string(i % 90); })}});
  const auto dims = MakeTable({{"id", Int32s(100, [](int64_t i) { return 2 * i; })},
                               {"g", Int32s(100, [](int64_t i) { return i % 9; })}});
  const client::Frame all = client::Table("wide");
  const auto totals = [](const client::Frame& rows, const char* column) {
    return rows.Aggregate({Sum(Col(column)).As("sum"), Max(Col(column)).As("most")});
  };
  const std::vector<std::pair<client::Frame, int64_t>> queries = {
      {totals(all.Filter(Col("one") < 100), "one"), 1},
      {totals(all.Filter(Col("two") < 25000), "two"), 2},
      {totals(all.Filter(Col("four") < 1'500'000), "four"), 4},
      {totals(all.Filter(Col("eight") < (int64_t{500} << 33)), "eight"), 8},
      {all.Filter(Col("name") < "n5").GroupBy({"name"}).Aggregate({Count().As("rows")}), 4},
      {all.Join(client::Table("dims"), {client::On("one", "id")})
           .GroupBy({"g"})
           .Aggregate({Count().As("rows")}),
       1},
  };
  GpuOptions options = Way(GpuPrefetch::kPassive);
  options.memory_bytes = 64 * kMiB;
  const auto engine = MakeEngine(options);
  const auto cpu = MakeTestEngine();
  for (Engine* const each : {engine.get(), cpu.get()}) {
    ASSERT_TRUE(each->AddTable("wide", *wide).ok());
    ASSERT_TRUE(each->AddTable("dims", *dims).ok());
  }
  Pin(engine.get(), "wide");
  for (const auto& [query, width] : queries) {
    const Answered answered = Ask(engine.get(), query);
    EXPECT_EQ(answered.gpu.why_not, "") << width;
    EXPECT_EQ(answered.rows, Ask(cpu.get(), query).rows) << width;
    EXPECT_GE(answered.gpu.times.room_bytes, kRows * width) << answered.gpu.title;
    EXPECT_LT(answered.gpu.times.room_bytes, kRows * width + kMiB) << answered.gpu.title;
  }
}

// Pages come back with what others wrote there, also behind the last row. On wide tiles a kernel
// asks a join's bitmap for every row of a group.
TEST_F(GpuMemoryTest, PassiveReadsPagesThatWereUsedBefore) {
  const auto engine = MakeEngine(Way(GpuPrefetch::kPassive));
  {
    std::vector<std::shared_ptr<memory::Buffer>> used;
    for (int i = 0; i < 2 * kSegments; ++i) {
      used.push_back(
          memory::Buffer::Make(&engine->budget(), (2 + i % 2 * 2) * kSegmentRows, "").ValueOrDie());
      const memory::Mapping pages = memory::PagesOf(*used.back());
      std::memset(pages.data, 0xee, static_cast<size_t>(pages.size));
    }
  }
  const auto half = MakeTable({{"id", Int32s(2500, [](int64_t i) { return 2 * i; })}});
  cpu_ = MakeTestEngine();
  const auto joined = client::Table("facts")
                          .SemiJoin(client::Table("half"), {client::On("key", "id")})
                          .GroupBy({"small"})
                          .Aggregate({Count().As("rows")});
  std::vector<Answered> answers;
  for (Engine* const each : {cpu_.get(), engine.get()}) {
    AddFacts(each);
    ASSERT_TRUE(each->AddTable("half", *half).ok());
    if (each == engine.get()) Pin(each);
    answers.push_back(Ask(each, joined));
  }
  EXPECT_EQ(answers[1].gpu.why_not, "");
  EXPECT_EQ(answers[1].rows, answers[0].rows);
}

TEST_F(GpuMemoryTest, PassiveCopiesWhatIsNotPinned) {
  ASSERT_TRUE(base::ArmFaults("device.emulated.map=always:error").ok());
  const auto engine = MakeEngine(Way(GpuPrefetch::kPassive));
  Pin(engine.get());
  EXPECT_EQ(engine->gpu()->pinned().bytes(), 0);
  for (int again = 0; again < 2; ++again) {
    const Answered answered = ExpectOnGpu(engine.get(), 100);
    EXPECT_GT(answered.gpu.times.link_bytes, 2 * kMiB);
    EXPECT_LT(engine->gpu()->copies().bytes(), kMiB);
  }
}

TEST_F(GpuMemoryTest, ActiveCopiesChunkByChunk) {
  for (const int streams : {1, 2, 4}) {
    SCOPED_TRACE(streams);
    const auto engine = MakeEngine(Active(streams));
    for (int again = 0; again < 2; ++again) {
      const Answered answered = ExpectOnGpu(engine.get(), 100);
      const GpuTimes& times = answered.gpu.times;
      EXPECT_GT(times.link_bytes, 2 * kMiB);
      // Kernels read of a chunk what they would read of a copy that stays.
      EXPECT_GT(times.device_bytes, 0);
      EXPECT_LT(times.device_bytes, times.link_bytes);
      EXPECT_LT(times.copy_ms, times.run_ms);
      // Of several streams kernels may hide all of it.
      EXPECT_TRUE(times.copy_ms > 0 || streams > 1);
      EXPECT_EQ(engine->gpu()->copies().bytes(), 0);
    }
  }
}

// Less memory than the table takes: some segments are copies, others are read in place, in one
// launch.
TEST_F(GpuMemoryTest, MoreDataThanMemory) {
  const auto engine = MakeEngine(Capped(2 * kMiB, 1));
  Pin(engine.get());
  for (const int most : {100, 5000, 2, 100, 100}) ExpectOnGpu(engine.get(), most);
  EXPECT_GT(engine->gpu()->copies().bytes(), 0);
  EXPECT_LE(engine->gpu()->arena().used(), 2 * kMiB);
  const Answered answered = ExpectOnGpu(engine.get(), 100);
  EXPECT_GT(answered.gpu.times.link_bytes, 0);
  EXPECT_GT(answered.gpu.times.device_bytes, 0);
}

// Neither room nor pinned pages, or no room for what a launch is told: the CPU answers.
TEST_F(GpuMemoryTest, WithoutRoomTheCpuAnswers) {
  ASSERT_TRUE(base::ArmFaults("device.emulated.map=always:error").ok());
  for (const int64_t bytes : {int64_t{4} << 10, kMiB}) {
    const auto engine = MakeEngine(Capped(bytes, 1));
    const Answered answered = Ask(engine.get(), FewRows(100));
    EXPECT_EQ(answered.rows, Expected(100));
    EXPECT_NE(answered.gpu.why_not, "");
  }
}

TEST_F(GpuMemoryTest, AnAllocationThatFailsCostsTimeOnly) {
  const auto engine = MakeEngine({});
  ASSERT_TRUE(base::ArmFaults("device.emulated.allocate=always:oom").ok());
  const Answered failed = Ask(engine.get(), FewRows(100));
  EXPECT_EQ(failed.rows, Expected(100));
  EXPECT_NE(failed.gpu.why_not, "");
  base::DisarmFaults();
  ExpectOnGpu(engine.get(), 100);
}

// Nothing is taken from the device any more once queries have run.
TEST_F(GpuMemoryTest, NoAllocationOnceWarm) {
  for (const GpuPrefetch prefetch :
       {GpuPrefetch::kKept, GpuPrefetch::kPassive, GpuPrefetch::kActive}) {
    const auto engine = MakeEngine(Way(prefetch));
    Pin(engine.get());
    ExpectOnGpu(engine.get(), 100);
    ASSERT_TRUE(base::ArmFaults("device.emulated.allocate=always:oom").ok());
    ExpectOnGpu(engine.get(), 2);
    ExpectOnGpu(engine.get(), 5000);
    base::DisarmFaults();
  }
}

// Tables that go take their pins and copies with them, and their pages come back as others.
TEST_F(GpuMemoryTest, TablesComeAndGo) {
  const auto engine = MakeEngine(Way(GpuPrefetch::kPassive));
  for (int again = 0; again < 3; ++again) {
    Pin(engine.get());
    ExpectOnGpu(engine.get(), 100);
    AddFacts(engine.get());
    engine->budget().pool()->Trim(0);
  }
  EXPECT_LT(engine->gpu()->pinned().bytes(), 4 * kMiB);
}

TEST_F(GpuMemoryTest, EightClientsShareALittleMemory) {
  for (const int concurrent : {1, 3}) {
    const auto engine = MakeEngine(Capped(3 * kMiB, concurrent));
    Pin(engine.get());
    // Two orders, so that they do not all ask for the same at once.
    const std::vector<int> questions[] = {{2, 50, 100}, {100, 52, 2}};
    for (const auto& order : questions) {
      for (const int most : order) Expected(most);
    }
    std::vector<std::thread> clients;
    for (int client = 0; client < 8; ++client) {
      clients.emplace_back([&, client] {
        for (const int most : questions[client % 2]) {
          EXPECT_EQ(Ask(engine.get(), FewRows(most)).rows, expected_.at(most));
        }
      });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_LE(engine->gpu()->arena().used(), 3 * kMiB);
  }
}

}  // namespace
}  // namespace shadowvm::exec
