// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "engine/base/fault.h"
#include "engine/base/tests/test_folder.h"
#include "engine/exec/tests/kernel_tables.h"
#include "engine/storage/parquet_sink.h"

// What is remembered of kernels, and what mode auto makes of it, on the emulated device. Machines
// of these tests are believed to be so slow or so fast that a choice by what is believed and one by
// what was measured are not the same.
namespace shadowvm::exec {
namespace {

using client::Col;
using client::Count;
using client::Frame;
using client::Named;
using client::On;
using client::Sum;
using schedule::Mode;
using schedule::Side;

constexpr int64_t kRows = 20000;
constexpr int64_t kDims = 400;
constexpr char kResident[] = "its rows are in the GPU's memory";
constexpr char kGpuIsFaster[] = "the GPU is predicted to be faster";
constexpr char kTooFew[] = "too few rows to be worth a launch";

// Cores take years, unless they were seen to take less than a launch.
schedule::MachineModel SlowCores() {
  schedule::MachineModel machine;
  machine.core_bytes_per_ms = 1e-6;
  machine.gpu_start_ms = 1e7;
  machine.mixed_start_ms = 1e8;
  return machine;
}

class DeviceHistoryTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(SlowCores()); }
  void TearDown() override { base::DisarmFaults(); }

  void Start(const schedule::MachineModel& machine, const std::string& folder = "") {
    machine_ = machine;
    EngineOptions options = TestEngineOptions(folder, GpuKind::kEmulated);
    options.machine = machine;
    engine_.reset();
    engine_ = Engine::Make(std::move(options)).ValueOrDie();
    AddTables();
  }
  // Or puts others in their place, of which the GPU has no copies.
  void AddTables() {
    ASSERT_TRUE(engine_->AddTable("facts", *Facts()).ok());
    const auto dims = MakeTable({{"d", Int32s(kDims, [](int64_t i) { return i; })},
                                 {"year", Int32s(kDims, [](int64_t i) { return 1992 + i % 7; })}});
    ASSERT_TRUE(engine_->AddTable("dims", *dims).ok());
  }
  static std::shared_ptr<arrow::Table> Facts() {
    return MakeTable({{"k", Int32s(kRows, [](int64_t i) { return i * 7919 % 500; })},
                      {"value", Int32s(kRows, [](int64_t i) { return i * 104729 % 2003; })}});
  }
  static Frame Grouped(const Frame& facts) {
    return facts.Filter(Col("value") < 1500)
        .GroupBy({"k"})
        .Aggregate({Count().As("rows"), Sum(Col("value")).As("sum")});
  }
  static Frame Grouped() { return Grouped(client::Table("facts")); }
  static Frame Joined() {
    return client::Table("facts")
        .Join(client::Table("dims"), {On("k", "d")})
        .GroupBy({"year"})
        .Aggregate({Sum(Col("value")).As("sum")});
  }
  static bool MakesTable(const PipelineDevices& pipeline) {
    return pipeline.title.find("; table by ") != std::string::npos;
  }

  std::unique_ptr<QueryStats> Ask(const Frame& frame, Mode mode) {
    auto stats = std::make_unique<QueryStats>();
    RunOptions options{.stats = stats.get(), .partitions = 4, .mode = mode, .wait_for_gpu = true};
    options.policy = schedule::ParsePolicy("static:50").value();  // else cores may be first
    const auto answer = engine_->Run(frame.ToCommand(), options);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return stats;
  }
  // Of its last pipeline.
  PipelineDevices AskWhere(const Frame& frame, Mode mode) {
    const auto stats = Ask(frame, mode);
    EXPECT_FALSE(stats->devices.empty());
    return stats->devices.empty() ? PipelineDevices() : stats->devices.back();
  }
  // What a run is thought to take that is like one that took so long.
  double Expected(const GpuTimes& times) const {
    return times.kernel_ms + times.copy_ms + machine_.gpu_start_ms;
  }

  schedule::MachineModel machine_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(DeviceHistoryTest, WhatReadingFilesTookSaysNothingOfMemory) {
  const base::TestFolder folder;
  const std::string path = folder / "facts.parquet";
  auto sink = storage::ParquetSink::Open(path, Facts()->schema(), {}).ValueOrDie();
  ASSERT_TRUE(sink->Write(*Facts()).ok() && sink->Finish().ok());
  const Frame frame = Grouped(client::Scan({path}));
  const PipelineDevices from_files = AskWhere(frame, Mode::kAuto);
  EXPECT_EQ(from_files.mode, Mode::kCpu);
  EXPECT_EQ(from_files.reason, "its rows are read from files");
  const PipelineDevices from_memory = AskWhere(frame, Mode::kAuto);
  EXPECT_EQ(from_memory.reason, kGpuIsFaster);
  // Of other files they are what was to be expected.
  engine_->DropTables();
  const PipelineDevices again = AskWhere(frame, Mode::kAuto);
  EXPECT_EQ(again.mode, Mode::kCpu);
  EXPECT_NEAR(again.predicted_ms, from_files.real_ms, 1e-3 * from_files.real_ms);
}

// By whoever asked for it.
TEST_F(DeviceHistoryTest, CoresAreRememberedInEveryMode) {
  EXPECT_EQ(AskWhere(Grouped(), Mode::kAuto).reason, kGpuIsFaster);
  Start(machine_);
  Ask(Grouped(), Mode::kCpu);
  const PipelineDevices after_cpu = AskWhere(Grouped(), Mode::kAuto);
  EXPECT_EQ(after_cpu.mode, Mode::kCpu);
  EXPECT_EQ(after_cpu.reason, kTooFew);
  Start(machine_);
  ASSERT_TRUE(base::ArmFaults("exec.gpu.run=always:error").ok());
  const PipelineDevices failed = AskWhere(Grouped(), Mode::kGpu);
  EXPECT_EQ(failed.mode, Mode::kCpu);
  EXPECT_GT(failed.predicted_ms, 0);
  base::DisarmFaults();
  EXPECT_EQ(AskWhere(Grouped(), Mode::kAuto).reason, kTooFew);
}

// A card that failed has taken time, which is none of the CPU's.
TEST_F(DeviceHistoryTest, WhatACardTookToFailIsNotTheCpus) {
  ASSERT_TRUE(base::ArmFaults("exec.gpu.run=always:hang:3000;"
                              "device.emulated.allocate=always:oom")
                  .ok());
  const PipelineDevices failed = AskWhere(Grouped(), Mode::kGpu);
  EXPECT_EQ(failed.mode, Mode::kCpu);
  EXPECT_GE(failed.real_ms, 3000);
  base::DisarmFaults();
  const PipelineDevices next = AskWhere(Grouped(), Mode::kAuto);
  EXPECT_EQ(next.reason, kTooFew);
  EXPECT_LT(next.predicted_ms, 3000);
}

// Rows that came over the link are not rows that were there, and the way there counts.
TEST_F(DeviceHistoryTest, AGpusTimesAreKnownByWhereRowsWere) {
  const auto first = Ask(Grouped(), Mode::kGpu);
  const GpuTimes& brought = first->gpu.back().times;
  EXPECT_GT(brought.copy_ms, 0);
  const auto second = Ask(Grouped(), Mode::kGpu);
  const GpuTimes& resident = second->gpu.back().times;
  EXPECT_EQ(resident.copy_ms, 0);
  // As it is believed.
  EXPECT_NEAR(second->devices.back().predicted_ms, machine_.gpu_start_ms, 1);
  const double again = AskWhere(Grouped(), Mode::kGpu).predicted_ms;
  EXPECT_NEAR(again, Expected(resident), 1e-4 * resident.kernel_ms);
  AddTables();
  const double elsewhere = AskWhere(Grouped(), Mode::kGpu).predicted_ms;
  EXPECT_NEAR(elsewhere, Expected(brought), 1e-4 * brought.kernel_ms);
}

// Nor are rows that are read in place those that come over and stay.
TEST_F(DeviceHistoryTest, RowsReadInPlaceSayNothingOfThoseBrought) {
  GpuOptions options = engine_->gpu()->options();
  options.prefetch = GpuPrefetch::kPassive;
  engine_->gpu_keeper().Reopen(options);
  const auto in_place = Ask(Grouped(), Mode::kGpu);
  const GpuTimes& times = in_place->gpu.back().times;
  AddTables();
  const double again = AskWhere(Grouped(), Mode::kGpu).predicted_ms;
  EXPECT_NEAR(again, Expected(times), 1e-4 * times.kernel_ms);
  options.prefetch = GpuPrefetch::kKept;
  engine_->gpu_keeper().Reopen(options);
  EXPECT_NEAR(AskWhere(Grouped(), Mode::kGpu).predicted_ms, machine_.gpu_start_ms,
              times.kernel_ms / 2);
}

TEST_F(DeviceHistoryTest, TablesThatAGpuMakesAreRemembered) {
  const auto first = Ask(Joined(), Mode::kGpu);
  ASSERT_EQ(first->gpu.size(), 2u);
  EXPECT_TRUE(MakesTable(first->devices[0]));
  EXPECT_GT(first->devices[0].predicted_ms, 0);
  AddTables();
  const auto second = Ask(Joined(), Mode::kGpu);
  const GpuTimes& brought = first->gpu[0].times;
  EXPECT_NEAR(second->devices[0].predicted_ms, Expected(brought), 1e-4 * brought.kernel_ms);
}

// Likewise in mode auto, which makes them where who looks into them runs.
TEST_F(DeviceHistoryTest, AutoMakesTablesByWhatIsRemembered) {
  schedule::MachineModel machine;
  machine.core_bytes_per_ms = 1e-6;
  machine.gpu_start_ms = 1e-6;
  Start(machine);
  Ask(Joined(), Mode::kGpu);  // brings rows, and has never seen them there
  const auto first = Ask(Joined(), Mode::kAuto);
  ASSERT_TRUE(MakesTable(first->devices[0]));
  EXPECT_EQ(first->devices[0].reason, kResident);
  EXPECT_LT(first->devices[0].predicted_ms, 1e-4);
  const auto second = Ask(Joined(), Mode::kAuto);
  ASSERT_TRUE(MakesTable(second->devices[0]));
  const GpuTimes& resident = first->gpu[0].times;
  EXPECT_NEAR(second->devices[0].predicted_ms, Expected(resident), 1e-4 * resident.kernel_ms);
}

TEST_F(DeviceHistoryTest, SavedWhileTheEngineLives) {
  const base::TestFolder folder;
  Start(machine_, folder.path());
  Ask(Grouped(), Mode::kCpu);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!std::ifstream(folder / "kernel_speeds") && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(std::ifstream(folder / "kernel_speeds"));
}

// --- what mode auto chooses ---

TEST_F(DeviceHistoryTest, RowsInTheGpusMemoryAreTheGpus) {
  schedule::MachineModel machine;
  machine.core_bytes_per_ms = 1;
  Start(machine);
  Ask(Grouped(), Mode::kGpu);
  const PipelineDevices there = AskWhere(Grouped(), Mode::kAuto);
  EXPECT_EQ(there.mode, Mode::kGpu);
  EXPECT_EQ(there.reason, kResident);
  EXPECT_EQ(there.rows[Side::kGpu], kRows);
}

TEST_F(DeviceHistoryTest, BothWorkWhereTheyAreAlike) {
  schedule::MachineModel machine;
  machine.core_bytes_per_ms = 1;
  machine.link_bytes_per_ms = 2;  // as two cores
  Start(machine);
  const PipelineDevices both = AskWhere(Grouped(), Mode::kAuto);
  EXPECT_EQ(both.mode, Mode::kMixed);
  EXPECT_EQ(both.reason, "both at once are predicted to be fastest");
  EXPECT_EQ(both.rows[Side::kCpu] + both.rows[Side::kGpu], kRows);
  EXPECT_GT(both.rows[Side::kGpu], 0);
}

// Wherever its rows are, and however slow cores are.
TEST_F(DeviceHistoryTest, AScanAloneStaysOnTheCpu) {
  const Frame scan = client::Table("facts").Filter(Col("value") < 3).Select({"k", "value"});
  for (const Mode before : {Mode::kCpu, Mode::kGpu}) {
    Ask(scan, before);
    const PipelineDevices alone = AskWhere(scan, Mode::kAuto);
    EXPECT_EQ(alone.mode, Mode::kCpu);
    EXPECT_EQ(alone.reason, "a scan alone has nothing to win on the GPU");
  }
  // With somebody who adds up, it is no longer alone.
  EXPECT_EQ(AskWhere(Grouped(client::Table("facts").Filter(Col("k") < 300)), Mode::kAuto).mode,
            Mode::kGpu);
}

// Filters, maps and the aggregation are one launch: nothing leaves the device between them.
TEST_F(DeviceHistoryTest, ConsecutiveActionsAreOneLaunch) {
  const Frame frame = client::Table("facts")
                          .Filter(Col("value") < 1500)
                          .Select({"k", Named("product", Col("value") * Col("k"))})
                          .Filter(Col("product") > 1000)
                          .Select({"k", Named("more", Col("product") + Col("k"))})
                          .GroupBy({"k"})
                          .Aggregate({Sum(Col("more")).As("sum")});
  Ask(frame, Mode::kGpu);
  const int64_t launches = base::FaultHits("device.launch");
  const auto stats = Ask(frame, Mode::kGpu);
  EXPECT_EQ(base::FaultHits("device.launch") - launches, 1);
  ASSERT_EQ(stats->gpu.size(), 1u);
  EXPECT_EQ(stats->gpu[0].why_not, "");
  EXPECT_EQ(stats->gpu[0].times.link_bytes, 0);
  EXPECT_GT(stats->gpu[0].times.device_bytes, 0);
}

}  // namespace
}  // namespace shadowvm::exec
