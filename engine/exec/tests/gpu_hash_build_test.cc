// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>

#include "engine/cli/bench/answer_json.h"
#include "engine/exec/gpu/hash_build.h"
#include "engine/exec/hash_fill.h"
#include "engine/exec/state/join_table.h"
#include "engine/exec/state/tests/state_test.h"
#include "engine/exec/tests/goldens.h"
#include "engine/exec/tests/kernel_fixture.h"
#include "engine/exec/tests/kernel_tables.h"
#include "engine/kernels/common/hash.h"

// Tables by hash that the emulated device fills: who looks into them finds what is in those of
// cores, and cores fill them wherever the device will not do.
namespace shadowvm::exec {
namespace {

using schedule::Mode;

constexpr char kFewRows[] = "too few rows to be worth a launch";

class GpuHashBuildTest : public StateTest {
 protected:
  void Start(const std::function<void(GpuOptions*)>& change = [](GpuOptions*) {}) {
    GpuOptions options = TestEngineOptions("", GpuKind::kEmulated).gpu;
    options.warn = [this](const std::string& text) { warnings_.push_back(text); };
    change(&options);
    gpu_ = Gpu::Open(options, &budget_).ValueOrDie();
  }

  struct Built {
    std::shared_ptr<JoinTable> table;
    FillDevices report;
  };
  static JoinTableOptions Hashed(std::vector<int> keys, bool with_rows = true) {
    return {{JoinShape::Kind::kHash, true}, std::move(keys), with_rows, std::nullopt};
  }
  base::Result<Built> TryBuild(const std::shared_ptr<RowSet>& rows, const JoinTableOptions& options,
                               Mode mode = Mode::kGpu) {
    QueryStats stats;
    QueryContext context;
    context.budget = &budget_;
    context.workers = workers_;
    context.gpu = gpu_.get();
    context.history = &history_;
    context.mode = mode;
    context.wait_for_gpu = true;
    context.stats = &stats;
    HashFillRun filler(context, {*rows, options.keys, "parts", 3});
    Built built;
    SVM_ASSIGN_OR_RETURN(built.table, JoinTable::Build(rows, options, &budget_, workers_, &filler));
    EXPECT_EQ(stats.fills.size(), 1u);
    built.report = stats.fills[0];
    EXPECT_EQ(built.report.build, "parts");
    EXPECT_EQ(built.report.pipeline, 3);
    EXPECT_EQ(built.report.rows, rows->num_rows);
    return built;
  }

  // Rows of a key, in the order of their chain.
  static std::vector<uint32_t> Probe(const kernels::HashView& view, const uint64_t* key,
                                     uint32_t words) {
    const uint64_t hash = kernels::hash_words(key, words);
    for (uint64_t at = hash & view.mask; view.slots[at] != 0; at = (at + 1) & view.mask) {
      auto row = static_cast<uint32_t>((view.slots[at] & kernels::kSlotPayload) - 1);
      if (!kernels::same_tag(view.slots[at], hash)) continue;
      if (!std::equal(key, key + words, view.keys + uint64_t{row} * words)) continue;
      std::vector<uint32_t> rows = {row};
      while (view.next != nullptr && (row = view.next[row]) != kernels::kNoRow) rows.push_back(row);
      return rows;
    }
    return {};
  }
  // The same keys, and the same rows of each in the same order.
  void ExpectSame(const JoinTable& made, const RowSet& rows, const JoinTableOptions& options,
                  uint32_t words) {
    const auto expected =
        JoinTable::Build(std::make_shared<RowSet>(rows), options, &budget_, workers_).ValueOrDie();
    EXPECT_EQ(made.num_keys(), expected->num_keys());
    EXPECT_EQ(made.unique(), expected->unique());
    const kernels::HashView there = made.hash(), here = expected->hash();
    EXPECT_EQ(there.next == nullptr, here.next == nullptr);
    EXPECT_EQ(there.mask, here.mask);
    for (int64_t row = 0; row < rows.num_rows; ++row) {
      const uint64_t* const key = here.keys + row * words;
      const auto found = Probe(there, key, words), wanted = Probe(here, key, words);
      if (options.rows) {
        ASSERT_EQ(found, wanted) << row;
      } else {
        ASSERT_EQ(found.empty(), wanted.empty()) << row;
      }
    }
    const std::vector<uint64_t> absent(words, 0x5555'0000'1234'4321);
    EXPECT_EQ(Probe(there, absent.data(), words), std::vector<uint32_t>());
  }
  void ExpectFilledThere(const std::shared_ptr<RowSet>& rows, const JoinTableOptions& options,
                         uint32_t words) {
    const Built built = TryBuild(rows, options).ValueOrDie();
    EXPECT_EQ(built.report.mode, Mode::kGpu);
    EXPECT_EQ(built.report.reason, "");
    EXPECT_GT(built.report.predicted_ms, 0);
    EXPECT_GT(built.report.real_ms, 0);
    EXPECT_GT(built.report.times.link_bytes, 0);
    ExpectSame(*built.table, *rows, options, words);
    for (const auto& buffer : built.table->buffers()) {
      EXPECT_NE(gpu_->copies().Find(buffer), nullptr) << "is to be copied there again";
    }
  }
  // Gives why.
  std::string WhyNot(const std::shared_ptr<RowSet>& rows, const JoinTableOptions& options,
                     uint32_t words, Mode mode = Mode::kGpu) {
    const Built built = TryBuild(rows, options, mode).ValueOrDie();
    EXPECT_EQ(built.report.mode, Mode::kCpu);
    EXPECT_EQ(built.report.times.kernel_ms, 0);
    ExpectSame(*built.table, *rows, options, words);
    return built.report.reason;
  }

  // Keys that lie far apart; of so many values.
  Nullable<int64_t> Keys(int64_t count, int64_t values) {
    Nullable<int64_t> keys(static_cast<size_t>(count));
    for (auto& key : keys) key = static_cast<int64_t>(random_() % values) * 1'000'000'007;
    return keys;
  }
  std::shared_ptr<RowSet> Integers(const Nullable<int64_t>& keys) {
    return Rows({Values<int64_t>(kInt64, keys)}, static_cast<int64_t>(keys.size()));
  }

  schedule::KernelHistory history_;
  std::vector<std::string> warnings_;
  std::unique_ptr<Gpu> gpu_;
};

// None, less than a warp, and more than all lanes have at once.
TEST_F(GpuHashBuildTest, UniqueKeys) {
  Start();
  EXPECT_EQ(WhyNot(Integers({}), Hashed({0}), 1), kFewRows);
  for (const int64_t rows : {1, 2, 31, 33, 255, 257, 30'000}) {
    SCOPED_TRACE(rows);
    Nullable<int64_t> keys;
    for (int64_t i = 0; i < rows; ++i) keys.push_back((i * 7919 - 500) * 1'000'003);
    ExpectFilledThere(Integers(keys), Hashed({0}), 1);
  }
}

TEST_F(GpuHashBuildTest, KeysThatRepeat) {
  Start();
  ExpectFilledThere(Integers(Keys(2, 1)), Hashed({0}), 1);
  for (const int64_t values : {50, 3000, 20'000}) {
    SCOPED_TRACE(values);
    ExpectFilledThere(Integers(Keys(20'000, values)), Hashed({0}), 1);
  }
  // One whose rows are neighbours, and one whose rows are far from one another.
  Nullable<int64_t> keys = Keys(20'000, 5000);
  for (size_t i = 300; i < 600; ++i) keys[i] = -1;
  for (size_t i = 0; i < keys.size(); i += 100) keys[i] = -2;
  ExpectFilledThere(Integers(keys), Hashed({0}), 1);
}

TEST_F(GpuHashBuildTest, NullKeysAreInNoTable) {
  Start();
  Nullable<int64_t> keys = Keys(9000, 3000);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i % 7 == 3) keys[i].reset();
  }
  ExpectFilledThere(Integers(keys), Hashed({0}), 1);
  ExpectFilledThere(Integers(Nullable<int64_t>(100)), Hashed({0}), 1);
  const auto both =
      Rows({Values<int64_t>(kInt64, keys), Values<int64_t>(kInt64, Keys(9000, 2))}, 9000);
  ExpectFilledThere(both, Hashed({1, 0}), 2);
}

TEST_F(GpuHashBuildTest, KeysOfSeveralWordsAndKinds) {
  Start();
  constexpr columns::Type kDecimal{columns::TypeKind::kDecimal, 38, 4};
  Nullable<__int128> decimals;
  Nullable<std::string> texts;
  Nullable<double> doubles;
  for (int64_t i = 0; i < 4000; ++i) {
    decimals.push_back(static_cast<__int128>(i * 7919 % 1500) << 64 | i % 3);
    texts.push_back(i % 50 == 0 ? std::nullopt
                                : std::optional("a word that is long " + std::to_string(i % 900)));
    doubles.push_back(i % 100 == 0 ? -0.0 : static_cast<double>(i % 200) * 0.25);
  }
  const auto rows =
      Rows({Values<__int128>(kDecimal, decimals), Texts(texts), Values<double>(kDouble, doubles),
            Values<int64_t>(kInt64, Keys(4000, 10))},
           4000);
  ExpectFilledThere(rows, Hashed({0}), 2);
  ExpectFilledThere(rows, Hashed({1}), 1);
  ExpectFilledThere(rows, Hashed({2}), 1);
  ExpectFilledThere(rows, Hashed({3, 1}), 2);
  ExpectFilledThere(rows, Hashed({1, 0, 2, 3}), 5);
}

TEST_F(GpuHashBuildTest, ExistenceAlone) {
  Start();
  ExpectFilledThere(Integers(Keys(10'000, 700)), Hashed({0}, false), 1);
  // However often a key comes.
  ExpectFilledThere(Integers(Nullable<int64_t>(50'000, 42)), Hashed({0}, false), 1);
}

TEST_F(GpuHashBuildTest, AKeyOfVeryManyRowsIsCoresWork) {
  Start();
  const std::string why_not = WhyNot(Integers(Nullable<int64_t>(12'000, 42)), Hashed({0}), 1);
  EXPECT_NE(why_not.find("a key repeats too often for the GPU"), std::string::npos) << why_not;
  EXPECT_EQ(warnings_.size(), 0u);
  ExpectFilledThere(Integers(Keys(5000, 2000)), Hashed({0}), 1);
}

TEST_F(GpuHashBuildTest, WhatFailsThereIsDoneHere) {
  Start();
  const auto rows = Integers(Keys(3000, 1000));
  for (const std::string fault : {"compile.program=always:error", "exec.gpu.build=always:error",
                                  "exec.gpu.build=always:oom"}) {
    SCOPED_TRACE(fault);
    ASSERT_TRUE(base::ArmFaults(fault).ok());
    EXPECT_NE(WhyNot(rows, Hashed({0}), 1), "");
    base::DisarmFaults();
    ExpectFilledThere(rows, Hashed({0}), 1);
  }
}

// At every call in which it could be noticed.
TEST_F(GpuHashBuildTest, ALostCardCostsNoTable) {
  for (const std::string fault :
       {"device.launch=nth:1", "device.wait=nth:1", "device.wait=nth:2", "device.wait=nth:3"}) {
    SCOPED_TRACE(fault);
    Start();
    const auto rows = Integers(Keys(3000, 1000));
    ExpectFilledThere(rows, Hashed({0}), 1);
    ASSERT_TRUE(base::ArmFaults(fault + ":error").ok());
    EXPECT_NE(WhyNot(rows, Hashed({0}), 1), "");
    base::DisarmFaults();
    EXPECT_FALSE(gpu_->CheckUsable().ok());
  }
}

TEST_F(GpuHashBuildTest, NoRoomThere) {
  Start([](GpuOptions* options) { options->memory_bytes = 256 << 10; });
  EXPECT_EQ(WhyNot(Integers(Keys(30'000, 1000)), Hashed({0}), 1), "more than the GPU has room for");
  EXPECT_TRUE(warnings_.empty());
  const auto few = Integers(Keys(1500, 1000));
  ASSERT_TRUE(base::ArmFaults("exec.gpu.build=nth:1:oom").ok());
  EXPECT_NE(WhyNot(few, Hashed({0}), 1), "");
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("for want of memory"), std::string::npos) << warnings_[0];
  ExpectFilledThere(few, Hashed({0}), 1);
}

TEST_F(GpuHashBuildTest, FewRowsStay) {
  Start([](GpuOptions* options) { options->least_fill_rows = 1000; });
  EXPECT_EQ(WhyNot(Integers(Keys(999, 500)), Hashed({0}), 1), kFewRows);
  ExpectFilledThere(Integers(Keys(1000, 500)), Hashed({0}), 1);
}

// By what is remembered of both sides.
TEST_F(GpuHashBuildTest, AutoChoosesByWhatItPredicts) {
  Start();
  EXPECT_EQ(WhyNot(Integers(Keys(100, 50)), Hashed({0}), 1, Mode::kAuto),
            "the CPU is predicted to enter them faster");
  const uint64_t shape =
      schedule::KernelHistory::ShapeOf("hash build, words: 1", gpu_->facts().name);
  history_.Record(shape, schedule::Side::kGpu, 1e9);
  history_.Record(shape, schedule::Side::kCpu, 1);
  for (const Mode mode : {Mode::kAuto, Mode::kMixed}) {
    const Built built = TryBuild(Integers(Keys(5000, 3000)), Hashed({0}), mode).ValueOrDie();
    EXPECT_EQ(built.report.mode, Mode::kGpu);
    EXPECT_EQ(built.report.reason, "the GPU is predicted to enter them faster");
  }
}

TEST_F(GpuHashBuildTest, ACancelledQueryStops) {
  Start();
  cancel_.Cancel();
  const auto built = TryBuild(Integers(Keys(3000, 1000)), Hashed({0}));
  EXPECT_EQ(base::CodeOf(built.status()), base::ErrorCode::kCancelled);
}

TEST_F(GpuHashBuildTest, NothingIsLeftWhereTheHostRunsOutOfMemory) {
  Start();
  Nullable<int64_t> keys = Keys(3000, 1000);
  keys[7].reset();
  const auto rows = Integers(keys);
  ExpectFilledThere(rows, Hashed({0}), 1);
  ExpectCleanAtEveryAllocation([&] { return TryBuild(rows, Hashed({0})).status(); });
}

// Keys too far apart for a table that is addressed by them.
class GpuHashJoinTest : public ::testing::Test {
 protected:
  GpuHashJoinTest() {
    EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
    options.keep_builds = false;
    engine_ = Engine::Make(std::move(options)).ValueOrDie();
    const auto key = [](int64_t i) { return i * 7919 % 700 * 1'000'000'000'000; };
    const auto facts =
        MakeTable({{"k", Int64s(6000, key)}, {"value", Int32s(6000, [](int64_t i) { return i; })}});
    const auto dims = MakeTable(
        {{"d", Int64s(900, key)}, {"size", Int32s(900, [](int64_t i) { return i % 100; })}});
    EXPECT_TRUE(engine_->AddTable("facts", *facts).ok());
    EXPECT_TRUE(engine_->AddTable("dims", *dims).ok());
  }
  nlohmann::json Ask(const client::Frame& frame, Mode mode, QueryStats* stats) {
    const auto answer =
        engine_->Run(frame.ToCommand(), {.stats = stats,
                                         .mode = mode,
                                         .wait_for_gpu = true,
                                         .on_barrier = [this](const PipelineStats& pipeline) {
                                           num_fills_ += pipeline.fills.size();
                                         }});
    EXPECT_TRUE(answer.ok()) << answer.status();
    nlohmann::json rows = cli::RowsToJson(**answer).ValueOrDie();
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  std::unique_ptr<Engine> engine_;
  size_t num_fills_ = 0;
};

TEST_F(GpuHashJoinTest, AQueryTellsWhoFilledItsTable) {
  using client::Col;
  const client::Frame query =
      client::Table("facts")
          .Join(client::Table("dims").Filter(Col("size") < 60), {client::On("k", "d")})
          .GroupBy({"size"})
          .Aggregate({client::Count().As("rows"), client::Sum(Col("value")).As("sum")});
  QueryStats here, there;
  const nlohmann::json expected = Ask(query, Mode::kCpu, &here);
  EXPECT_EQ(here.fills.size(), 0u);
  EXPECT_EQ(num_fills_, 0u);
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(Ask(query, Mode::kGpu, &there), expected);
  ASSERT_EQ(there.fills.size(), 1u);
  EXPECT_EQ(num_fills_, 1u);
  EXPECT_EQ(there.fills[0].mode, Mode::kGpu);
  EXPECT_EQ(there.fills[0].build, "dims");
  EXPECT_EQ(there.fills[0].reason, "");
}

// Which nvrtc_golden_test.cc compiles for cards.
TEST(GpuHashBuildText, IsGolden) { ExpectGolden("cuda/hash_build", {kHashBuildText}); }

}  // namespace
}  // namespace shadowvm::exec
