// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <random>

#include "engine/base/fault.h"
#include "engine/cli/bench/answer_json.h"
#include "engine/exec/gpu/radix_sort.h"
#include "engine/exec/tests/goldens.h"
#include "engine/exec/tests/kernel_fixture.h"
#include "engine/exec/tests/kernel_tables.h"

// Sorts on the emulated device: by keys alone, and as a query's, whose order is the CPU's.
namespace shadowvm::exec {
namespace {

using client::Asc;
using client::Col;
using client::Desc;

class GpuSortTest : public ::testing::Test {
 protected:
  void TearDown() override { base::DisarmFaults(); }

  void Start(const std::function<void(EngineOptions*)>& change = [](EngineOptions*) {}) {
    EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
    options.gpu.required = false;
    options.gpu.retry_after = std::chrono::hours(1);
    options.gpu.warn = [this](const std::string& text) {
      std::lock_guard lock(mutex_);
      warnings_.push_back(text);
    };
    change(&options);
    engine_ = Engine::Make(std::move(options)).ValueOrDie();
  }

  // The order of keys as the device finds it is that of a stable sort.
  void ExpectSorted(const std::vector<uint64_t>& keys) {
    const auto gpu = engine_->gpu();
    const auto program = gpu->programs().Get(kSortTitle, kSortText).ValueOrDie();
    uint64_t different = 0;
    for (const uint64_t key : keys) different |= key ^ keys[0];
    std::vector<uint32_t> numbers(keys.size(), ~0u), expected(keys.size());
    const auto times = SortByDigits(gpu.get(), *program, keys, different, numbers.data());
    ASSERT_TRUE(times.ok()) << times.status();
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    EXPECT_TRUE(numbers == expected) << keys.size() << " keys that differ in " << different;
  }
  std::vector<uint64_t> RandomKeys(int64_t rows, uint64_t mask) {
    std::vector<uint64_t> keys(static_cast<size_t>(rows));
    for (uint64_t& key : keys) key = random_() & mask;
    return keys;
  }

  struct Answered {
    nlohmann::json rows;
    SortDevices sort;
  };
  Answered Ask(const client::Frame& frame, schedule::Mode mode = schedule::Mode::kGpu) {
    QueryStats stats;
    const auto answer =
        engine_->Run(frame.ToCommand(), {.stats = &stats, .mode = mode, .wait_for_gpu = true});
    EXPECT_TRUE(answer.ok()) << answer.status();
    if (!answer.ok()) return {};
    EXPECT_EQ(stats.sorts.size(), mode == schedule::Mode::kCpu ? 0u : 1u);
    return {cli::RowsToJson(**answer).ValueOrDie(),
            stats.sorts.empty() ? SortDevices() : stats.sorts[0]};
  }
  struct RowsAndSorts {
    nlohmann::json rows;
    size_t sorts;   // that a GPU was thought of for
    bool rendered;  // planned anew
  };
  RowsAndSorts RowsOf(const client::Frame& frame, schedule::Mode mode) {
    QueryStats stats;
    const std::string command = frame.ToCommand().SerializeAsString();
    const auto plan = engine_->Plan(command, nullptr).ValueOrDie();
    const auto answer =
        engine_->Run(plan.get(), {.stats = &stats, .mode = mode, .wait_for_gpu = true});
    EXPECT_TRUE(answer.ok()) << answer.status();
    return {answer.ok() ? cli::RowsToJson(**answer).ValueOrDie() : nlohmann::json(),
            stats.sorts.size(), stats.spans.Milliseconds(base::Stage::kRender) > 0};
  }
  // The same rows in the same order, found there.
  void ExpectSortedThere(const client::Frame& frame) {
    const Answered here = Ask(frame, schedule::Mode::kCpu);
    const Answered there = Ask(frame);
    EXPECT_TRUE(here.rows == there.rows);
    EXPECT_EQ(there.sort.mode, schedule::Mode::kGpu);
    EXPECT_EQ(there.sort.reason, "");
    EXPECT_GT(there.sort.predicted_ms, 0);
    EXPECT_GT(there.sort.real_ms, 0);
  }
  // The same rows, sorted by the CPU; gives why.
  std::string WhyNot(const client::Frame& frame, schedule::Mode mode = schedule::Mode::kGpu) {
    const Answered here = Ask(frame, schedule::Mode::kCpu);
    const Answered there = Ask(frame, mode);
    EXPECT_TRUE(here.rows == there.rows);
    EXPECT_EQ(there.sort.mode, schedule::Mode::kCpu);
    EXPECT_EQ(there.sort.times.kernel_ms, 0);
    return there.sort.reason;
  }

  // Columns of every kind, with nulls and with many rows alike; 'id' tells them apart.
  void AddRows(int64_t rows) {
    const auto often_null = [](int64_t i, auto value) {
      return i % 9 == 4 ? std::nullopt : std::optional(value);
    };
    const double odd[] = {0.0,
                          -0.0,
                          std::nan(""),
                          1.5,
                          -2.5,
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          1e-300};
    const auto table = MakeTable(
        {{"id", Int32s(rows, [](int64_t i) { return i; })},
         {"few", Int32s(rows, [&](int64_t i) { return often_null(i, int32_t(i * 7919 % 5) - 2); })},
         {"many", Int32s(rows, [](int64_t i) { return int32_t(i * 104729 % 1000003); })},
         {"wide", Int64s(rows,
                         [&](int64_t i) {
                           return often_null(i, int64_t(uint64_t(i) * 0x9e3779b97f4a7c15u));
                         })},
         {"real", MakeArray(arrow::DoubleBuilder(), rows,
                            [&](int64_t i) {
                              return often_null(
                                  i, i % 16 == 1 ? odd[i / 16 % 8] : i * 31 % 1999 - 0.5);
                            })},
         {"total", Decimals(rows, 25, 4)},
         {"word", Texts(rows, [](int64_t i) { return "word " + std::to_string(i * 31 % 40); })},
         {"note", Texts(rows, [&](int64_t i) {
            return often_null(i, std::to_string(i * 7919 % 2000) + " and a long rest " +
                                     std::to_string(i * 31 % 97));
          })}});
    ASSERT_TRUE(engine_->AddTable("rows", *table).ok());
  }
  static client::Frame Sorted(const std::vector<client::Order>& keys) {
    return client::Table("rows").OrderBy(keys).Select({"id"});
  }

  // Of strings without a dictionary, which cores group.
  static client::Frame SortedGroups() {
    return client::Table("rows")
        .GroupBy({"note"})
        .Aggregate({client::Max(Col("many")).As("most")})
        .OrderBy({Asc(Col("note").Substring(1, 30))})
        .Select({"most"});
  }

  std::unique_ptr<Engine> engine_;
  std::mt19937_64 random_{7};
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

TEST(DigitsOf, HoldsWhatDiffersAndLittleElse) {
  EXPECT_EQ(DigitsOf(0), std::vector<int>());
  EXPECT_EQ(DigitsOf(1), std::vector<int>{0});
  EXPECT_EQ(DigitsOf(0xff), std::vector<int>{0});
  EXPECT_EQ(DigitsOf(0x1fe), std::vector<int>{1});
  EXPECT_EQ(DigitsOf(0x1ff), (std::vector<int>{0, 8}));
  EXPECT_EQ(DigitsOf(uint64_t{1} << 63), std::vector<int>{56});
  EXPECT_EQ(DigitsOf(uint64_t{1} << 63 | 4), (std::vector<int>{2, 56}));
  EXPECT_EQ(DigitsOf(~uint64_t{0}), (std::vector<int>{0, 8, 16, 24, 32, 40, 48, 56}));
}

// Less than a warp, a tile and its neighbours, many tiles of every block; rows that are all alike,
// in order already and the other way round.
TEST_F(GpuSortTest, KeysOfEverySize) {
  Start();
  for (const int64_t rows : {0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 5000}) {
    SCOPED_TRACE(rows);
    ExpectSorted(RandomKeys(rows, ~uint64_t{0}));
    ExpectSorted(RandomKeys(rows, 3));
    ExpectSorted(std::vector<uint64_t>(static_cast<size_t>(rows), 42));
    std::vector<uint64_t> keys(static_cast<size_t>(rows));
    std::iota(keys.begin(), keys.end(), uint64_t{1} << 40);
    ExpectSorted(keys);
    std::reverse(keys.begin(), keys.end());
    ExpectSorted(keys);
  }
  ExpectSorted(RandomKeys(100'000, 0xffff));
}

TEST_F(GpuSortTest, KeysOfEveryWidth) {
  Start();
  for (const int bits : {1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64}) {
    SCOPED_TRACE(bits);
    ExpectSorted(RandomKeys(600, ~uint64_t{0} >> (64 - bits)));
    ExpectSorted(RandomKeys(600, ~uint64_t{0} << (64 - bits)));
  }
}

// Digits that are the same in all keys are no work.
TEST_F(GpuSortTest, DigitsThatDoNotDiffer) {
  Start();
  for (const uint64_t mask : {uint64_t{0xff00}, uint64_t{0x100000001}, uint64_t{0xf} << 60,
                              uint64_t{0x00ff00ff00ff00ff}}) {
    std::vector<uint64_t> keys = RandomKeys(3000, mask);
    for (uint64_t& key : keys) key |= 0x5555555555555555 & ~mask;
    ExpectSorted(keys);
  }
}

TEST_F(GpuSortTest, EveryKindDirectionAndNullOrder) {
  Start();
  AddRows(2500);
  for (const char* column : {"few", "many", "wide", "real", "word", "note"}) {
    for (const bool descending : {false, true}) {
      for (const bool nulls_first : {false, true}) {
        SCOPED_TRACE(column);
        const client::Order order(Col(column), descending);
        ExpectSortedThere(Sorted({nulls_first ? order.NullsFirst() : order.NullsLast()}));
      }
    }
  }
}

// What fits into the prefix, what is cut off and what is beyond it; a computed key; rows of another
// pipeline; and a sort that is cut.
TEST_F(GpuSortTest, SeveralKeys) {
  Start();
  AddRows(4000);
  ExpectSortedThere(Sorted({Asc("few"), Desc("word")}));
  ExpectSortedThere(Sorted({Desc("few"), Asc("note"), Desc("many")}));
  ExpectSortedThere(Sorted({Asc("word"), Desc("wide"), Asc("real")}));
  ExpectSortedThere(Sorted({Desc("note"), Asc("total"), Asc("few")}));
  ExpectSortedThere(Sorted({Asc(Col("many") % 17), Desc("real")}));
  ExpectSortedThere(client::Table("rows")
                        .GroupBy({"note"})
                        .Aggregate({client::Max(Col("id")).As("id")})
                        .OrderBy({Asc("note"), Desc("id")}));
  ExpectSortedThere(client::Table("rows").TopN(3000, {Asc("few"), Desc("note")}).Select({"id"}));
  ExpectSortedThere(
      client::Table("rows").OrderBy({Asc("few"), Desc("note")}).Limit(1000, 700).Select({"id"}));
}

// Many tiles of each block, few of their rows alike, and many.
TEST_F(GpuSortTest, ManyRows) {
  Start();
  AddRows(60'000);
  ExpectSortedThere(Sorted({Asc("many")}));
  ExpectSortedThere(Sorted({Desc("few")}));
}

TEST_F(GpuSortTest, WhatIsNotWorthIt) {
  Start([](EngineOptions* options) { options->gpu.least_sort_rows = 1000; });
  AddRows(999);
  EXPECT_EQ(WhyNot(Sorted({Asc("many")})), "too few rows to be worth a launch");
  AddRows(2000);
  ExpectSortedThere(Sorted({Asc("many")}));
  EXPECT_EQ(WhyNot(client::Table("rows").TopN(10, {Asc("many")}).Select({"id"})),
            "a few of many rows are found without sorting all of them");
  // The high words of small decimals.
  EXPECT_EQ(WhyNot(Sorted({Asc("total")})),
            "most rows differ only beyond the first 64 bits of their keys");
  const auto alike = MakeTable({{"text", Texts(5000, [](int64_t i) {
                                   return "the same beginning " + std::to_string(i * 7919 % 5000);
                                 })}});
  ASSERT_TRUE(engine_->AddTable("alike", *alike).ok());
  EXPECT_EQ(WhyNot(client::Table("alike").OrderBy({Asc(Col("text").Substring(1, 40))})),
            "most rows differ only beyond the first 64 bits of their keys");
}

// By what it predicts, which it tells.
TEST_F(GpuSortTest, AutoMovesWhatIsPredictedToBeFaster) {
  Start();
  AddRows(300);
  EXPECT_EQ(WhyNot(Sorted({Asc("many")}), schedule::Mode::kAuto),
            "the CPU is predicted to sort them faster");
  for (const auto mode : {schedule::Mode::kAuto, schedule::Mode::kMixed}) {
    Start();
    AddRows(60'000);
    const client::Frame frame = Sorted({Desc("few")});
    const Answered there = Ask(frame, mode);
    EXPECT_TRUE(there.rows == Ask(frame, schedule::Mode::kCpu).rows);
    EXPECT_EQ(there.sort.mode, schedule::Mode::kGpu);
    EXPECT_EQ(there.sort.reason, "the GPU is predicted to sort them faster");
    EXPECT_EQ(there.sort.rows, 60'000);
    EXPECT_GT(there.sort.predicted_ms, 0);
    EXPECT_GT(there.sort.times.kernel_ms, 0);
    EXPECT_EQ(there.sort.times.link_bytes, 12 * 60'000);
  }
}

// Whatever the card does, its memory and its compiler: the CPU sorts, and the reason is kept.
TEST_F(GpuSortTest, WhatFailsThereIsSortedHere) {
  for (const std::string fault :
       {"compile.program=always:error", "exec.gpu.sort=always:error", "exec.gpu.sort=always:oom"}) {
    SCOPED_TRACE(fault);
    Start();
    AddRows(1500);
    ASSERT_TRUE(base::ArmFaults(fault).ok());
    EXPECT_NE(WhyNot(Sorted({Asc("note")})), "");
    base::DisarmFaults();
    ExpectSortedThere(Sorted({Asc("note")}));
  }
}

// Lost while it sorts, at every call it could be noticed in. The pipeline before runs on cores.
TEST_F(GpuSortTest, ALostCardCostsOneWarning) {
  for (const std::string point : {"device.launch", "device.wait"}) {
    SCOPED_TRACE(point);
    warnings_.clear();
    Start();
    AddRows(1500);
    const client::Frame frame = SortedGroups();
    ExpectSortedThere(frame);
    ASSERT_TRUE(base::ArmFaults(point + "=nth:1:error").ok());
    EXPECT_NE(WhyNot(frame).find(point), std::string::npos);
    EXPECT_EQ(warnings_.size(), 1u);
    EXPECT_FALSE(engine_->gpu_keeper().state().down.empty());
  }
}

TEST_F(GpuSortTest, AHungSortIsGivenUp) {
  Start([](EngineOptions* options) { options->gpu.launch_limit = std::chrono::milliseconds(50); });
  AddRows(1500);
  ASSERT_TRUE(base::ArmFaults("device.hang=always:error").ok());
  const std::string why_not = WhyNot(SortedGroups());
  EXPECT_NE(why_not.find("has not ended within 50 ms"), std::string::npos) << why_not;
  EXPECT_EQ(warnings_.size(), 1u) << testing::PrintToString(warnings_);
}

// The pipeline meets the loss; neither its kernel nor the sort's is warned of beside it.
TEST_F(GpuSortTest, ACardThatIsLostBeforeItCostsOneWarning) {
  Start();
  AddRows(1500);
  const client::Frame frame = Sorted({Asc(Col("note").Substring(1, 30))});
  ASSERT_TRUE(base::ArmFaults("device.launch=nth:1:error").ok());
  EXPECT_NE(WhyNot(frame).find("device.launch"), std::string::npos);
  EXPECT_EQ(warnings_.size(), 1u) << testing::PrintToString(warnings_);
}

TEST_F(GpuSortTest, NoRoomThereLeavesTheCardInUse) {
  Start([](EngineOptions* options) { options->gpu.memory_bytes = 256 << 10; });
  AddRows(20'000);
  const client::Frame frame = Sorted({Asc(Col("note").Substring(1, 30))});
  EXPECT_NE(WhyNot(frame), "");
  EXPECT_TRUE(engine_->gpu_keeper().state().down.empty());
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("for want of memory"), std::string::npos) << warnings_[0];
  AddRows(4000);
  ExpectSortedThere(frame);
}

// Groups in arrays: the order of their keys is known before any row is, so nothing is sorted. With
// an aggregate behind them, which decides nothing, the same order takes a sort.
TEST_F(GpuSortTest, GroupsInTheOrderOfTheirKeysAreNotSorted) {
  Start();
  AddRows(900);
  const auto groups = [&](const std::vector<client::Order>& keys, bool picks) {
    const client::Frame all =
        client::Table("rows")
            .Filter(Col("id") > 700)  // some groups have no rows
            .GroupBy({"few", "word"})
            .Aggregate({client::Count().As("rows"), client::Max(Col("many")).As("most")});
    const client::Frame picked =
        all.Select({"most", "word", "rows", client::Named("again", Col("word")), "few"});
    return (picks ? picked : all).OrderBy(keys);
  };
  for (const schedule::Mode mode : {schedule::Mode::kCpu, schedule::Mode::kGpu}) {
    for (const auto& [first, second, picks] :
         {std::tuple(Desc("word"), Asc("few"), false), std::tuple(Asc("few"), Desc("word"), false),
          std::tuple(Desc("few"), Asc("word"), true)}) {
      const client::Frame given = groups({first, second}, picks);
      const client::Frame sorted = groups({first, second, Asc("rows")}, picks);
      for (const auto& shape : std::vector<std::function<client::Frame(client::Frame)>>{
               [](const client::Frame& all) { return all; },
               [](const client::Frame& all) { return all.Limit(7, 5); },
               [](const client::Frame& all) { return all.Select({"most", "few"}); }}) {
        const RowsAndSorts expected = RowsOf(shape(sorted), mode);
        EXPECT_EQ(expected.sorts, mode == schedule::Mode::kCpu ? 0u : 1u);
        for (int run = 0; run < 3; ++run) {  // again, of a plan that rests
          const RowsAndSorts found = RowsOf(shape(given), mode);
          EXPECT_TRUE(found.rows == expected.rows) << found.rows.dump() << expected.rows.dump();
          EXPECT_EQ(found.sorts, 0u);
          EXPECT_EQ(found.rendered, run == 0);
        }
      }
    }
  }
}

TEST_F(GpuSortTest, ACancelledQueryStops) {
  Start();
  AddRows(1500);
  schedule::CancelToken cancel;
  cancel.Cancel();
  const auto answer = engine_->Run(Sorted({Asc("note")}).ToCommand(),
                                   {.cancel = &cancel, .mode = schedule::Mode::kGpu});
  EXPECT_EQ(base::CodeOf(answer.status()), base::ErrorCode::kCancelled);
}

// Which nvrtc_golden_test.cc compiles for cards.
TEST(GpuSortText, IsGolden) { ExpectGolden("cuda/sort", {kSortText}); }

}  // namespace
}  // namespace shadowvm::exec
