// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/base/fault.h"
#include "engine/cli/bench/answer_json.h"
#include "engine/exec/tests/kernel_cases.h"
#include "engine/exec/tests/kernel_tables.h"
#include "engine/vkernel/compile/nvrtc_compiler.h"

// Mode gpu on the emulated device: the same answers as on the CPU, and text that NVRTC takes.
namespace shadowvm::exec {
namespace {

using client::Asc;
using client::Avg;
using client::Col;
using client::Count;
using client::Max;
using client::Min;
using client::On;
using client::Sum;

struct Answered {
  nlohmann::json rows;  // sorted
  std::vector<GpuPipeline> gpu;
};

Answered Ask(Engine* engine, const client::Frame& frame, const v1::Settings& settings = {}) {
  v1::Command command = frame.ToCommand();
  *command.mutable_settings() = settings;
  QueryStats stats;
  const auto answer = engine->Run(command, {.stats = &stats, .mode = schedule::Mode::kGpu});
  EXPECT_TRUE(answer.ok()) << answer.status();
  if (!answer.ok()) return {};
  Answered answered{cli::RowsToJson(**answer).ValueOrDie(), std::move(stats.gpu)};
  std::sort(answered.rows.begin(), answered.rows.end());
  return answered;
}

bool RanThere(const Answered& answered) {
  return std::any_of(answered.gpu.begin(), answered.gpu.end(),
                     [](const GpuPipeline& pipeline) { return pipeline.why_not.empty(); });
}

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cpu_ = MakeTestEngine();
    gpu_ = MakeTestEngine("", GpuKind::kEmulated);
  }
  void TearDown() override { base::DisarmFaults(); }

  void AddTable(const std::string& name, const std::vector<NamedArray>& columns) {
    ASSERT_TRUE(cpu_->AddTable(name, *MakeTable(columns)).ok());
    ASSERT_TRUE(gpu_->AddTable(name, *MakeTable(columns)).ok());
  }
  // Runs a query on both; it must have run on the GPU, with the CPU's answer.
  void ExpectSame(const client::Frame& frame) {
    const Answered here = Ask(cpu_.get(), frame);
    const Answered there = Ask(gpu_.get(), frame);
    EXPECT_EQ(here.rows, there.rows);
    EXPECT_TRUE(RanThere(there)) << (there.gpu.empty() ? "" : there.gpu[0].why_not);
    for (const GpuPipeline& pipeline : there.gpu) texts_.insert(pipeline.text);
  }

  std::unique_ptr<Engine> cpu_, gpu_;
  std::set<std::string> texts_;
};

TEST_F(GpuTest, StarSchemaBenchmark) {
  AddSsbTables(cpu_.get());
  AddSsbTables(gpu_.get());
  for (const std::string& name : cli::SsbQueryNames()) {
    SCOPED_TRACE(name);
    ExpectSame(SsbQuery(name));
  }
}

// Every form of blueprint: what has no text for a GPU says why and runs here.
TEST_F(GpuTest, FormsOfBlueprints) {
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  for (const KernelCase& one : SmallCases(1)) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(Ask(cpu_.get(), one.frame, one.settings).rows,
              Ask(gpu_.get(), one.frame, one.settings).rows);
  }
}

constexpr int64_t kRows = 30000;

// More than one warp's tile, with nulls, values of every sign, and keys that miss.
void AddFacts(const std::function<void(const std::string&, const std::vector<NamedArray>&)>& add) {
  add("facts",
      {{"k", Int32s(kRows,
                    [](int64_t i) -> std::optional<int32_t> {
                      return i % 25 == 7 ? std::nullopt : std::optional<int32_t>(i * 7919 % 300);
                    })},
       {"small", Int32s(kRows, [](int64_t i) { return i % 7; })},
       {"value", Int32s(kRows, [](int64_t i) -> std::optional<int32_t> {
          return i % 11 == 3 ? std::nullopt : std::optional<int32_t>(i * 104729 % 200003 - 100000);
        })}});
  add("dims", {{"d", Int32s(200, [](int64_t i) { return i; })},
               {"g", Int32s(200, [](int64_t i) { return i / 50; })},
               {"weight", Int32s(200, [](int64_t i) { return 1000 - i; })}});
}

TEST_F(GpuTest, SumsMinimaAndMaximaWithNulls) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  ExpectSame(client::Table("facts").GroupBy({"small"}).Aggregate(
      {Count().As("rows"), Count(Col("value")).As("values"), Sum(Col("value")).As("sum"),
       Min(Col("value")).As("least"), Max(Col("value")).As("most"),
       Avg(Col("value")).As("average")}));
  ExpectSame(client::Table("facts")
                 .Filter(Col("k") > 20 && Col("value") < 5000)
                 .Aggregate({Count().As("rows"), Sum(Col("value")).As("sum"),
                             Min(Col("value")).As("least"), Max(Col("value")).As("most")}));
}

TEST_F(GpuTest, JoinsReadTheirBuildRows) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  ExpectSame(
      client::Table("facts")
          .Join(client::Table("dims"), {On("k", "d")})
          .GroupBy({"g"})
          .Aggregate({Count().As("rows"), Sum(Col("value") * Col("weight")).As("weighted")}));
  ExpectSame(client::Table("facts")
                 .AntiJoin(client::Table("dims"), {On("k", "d")})
                 .GroupBy({"small"})
                 .Aggregate({Count().As("rows")}));
  ExpectSame(client::Table("facts")
                 .Join(client::Table("dims"), {On("k", "d"), On("small", "g")})
                 .Filter(Col("weight") % 3 == 1)
                 .Aggregate({Count().As("rows"), Sum(Col("weight")).As("weight")}));
}

TEST_F(GpuTest, TheModeOfARun) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  const auto command = client::Table("facts").Aggregate({Sum(Col("value")).As("sum")}).ToCommand();
  QueryStats stats;
  ASSERT_TRUE(gpu_->Run(command, {.stats = &stats, .mode = schedule::Mode::kCpu}).ok());
  EXPECT_TRUE(stats.gpu.empty());
  ASSERT_TRUE(gpu_->Run(command, {.stats = &stats, .mode = schedule::Mode::kGpu}).ok());
  EXPECT_EQ(stats.gpu.size(), 1u);
}

// What the GPU has no verbs for.
TEST_F(GpuTest, WhatHasNoVerbThereRunsHere) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  const auto facts = client::Table("facts");
  const auto sales = client::Table("sales");
  const std::vector<std::pair<std::string, client::Frame>> cases = {
      {"an outer join", facts.LeftJoin(client::Table("dims"), {On("k", "d")})
                            .Aggregate({Count().As("rows"), Sum(Col("weight")).As("sum")})},
      {"a sum that must not overflow",
       facts.Aggregate({Sum(Col("value").Cast(client::DecimalType(38, 2))).As("sum")})},
      {"a sum that must not overflow",
       facts.Aggregate({Avg(Col("value").Cast(client::DecimalType(29, 2))).As("average")})},
      {"a filter that computes with strings",
       sales.Filter(Col("village").Substring(Col("shelf"), 2) == "ty")
           .Aggregate({Count().As("rows")})},
      {"an aggregate that computes with strings",
       sales.Aggregate({Count(Col("village").Substring(Col("shelf"), 2)).As("parts")})},
      {"the least or greatest string",
       sales.Aggregate({Max(Col("village").Substring(1, 4)).As("most")})}};
  for (const auto& [reason, frame] : cases) {
    SCOPED_TRACE(reason);
    const Answered there = Ask(gpu_.get(), frame);
    EXPECT_EQ(Ask(cpu_.get(), frame).rows, there.rows);
    ASSERT_FALSE(there.gpu.empty());
    EXPECT_EQ(there.gpu.back().why_not, reason);
    EXPECT_EQ(there.gpu.back().text, "");
  }
}

// No room, a card that fails, a compiler that fails: the CPU answers, and the reason is kept.
TEST_F(GpuTest, WhatFailsThereRunsHere) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  const client::Frame frame =
      client::Table("facts").GroupBy({"small"}).Aggregate({Count().As("rows")});
  const Answered here = Ask(cpu_.get(), frame);
  for (const std::string fault :
       {"compile.program=always:error", "exec.gpu.run=always:oom", "exec.gpu.run=always:error"}) {
    SCOPED_TRACE(fault);
    ASSERT_TRUE(base::ArmFaults(fault).ok());
    const Answered there = Ask(gpu_.get(), frame);
    EXPECT_EQ(here.rows, there.rows);
    ASSERT_EQ(there.gpu.size(), 1u);
    EXPECT_FALSE(there.gpu[0].why_not.empty());
  }
  base::DisarmFaults();
  EXPECT_TRUE(RanThere(Ask(gpu_.get(), frame)));
}

// Compiled for cards that are not here: the text that the emulated device ran.
TEST_F(GpuTest, NvrtcTakesTheText) {
  AddSsbTables(cpu_.get());
  AddSsbTables(gpu_.get());
  for (const std::string name : {"q1.1", "q2.1", "q3.2", "q4.3"}) ExpectSame(SsbQuery(name));
  AddSmallTables(gpu_.get());
  for (const KernelCase& one : SmallCases(1)) {
    for (const GpuPipeline& pipeline : Ask(gpu_.get(), one.frame, one.settings).gpu) {
      if (!pipeline.text.empty()) texts_.insert(pipeline.text);
    }
  }
  EXPECT_GE(texts_.size(), 5u);
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    vkernel::NvrtcOptions options;
    options.architecture = architecture;
    options.library = SHADOWVM_TEST_NVRTC;
    auto compiler = vkernel::NvrtcCompiler::Create(options).ValueOrDie();
    for (const std::string& text : texts_) {
      const auto object = compiler->Compile({architecture, text});
      EXPECT_TRUE(object.ok()) << object.status() << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace shadowvm::exec
