// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/cli/bench/session.h"

namespace shadowvm::cli {
namespace {

std::shared_ptr<arrow::Table> OneNumber(int64_t number) {
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.Append(number).ok());
  const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
  return arrow::Table::Make(schema, {*builder.Finish()});
}

// Answers from a script: times and numbers in turn.
class ScriptedRunner : public QueryRunner {
 public:
  std::vector<std::string> queries() const override { return {"q1.1"}; }
  base::Result<QueryRun> Run(const std::string& query, const nlohmann::json& constants) override {
    if (query != "q1.1") return base::MakeError(base::ErrorCode::kBadCommand, query);
    std::lock_guard lock(mutex);
    last_constants = constants;
    QueryRun run;
    run.total_ms = times[next % times.size()];
    run.compile_ms = next == 0 ? 7 : 0;
    run.compiles = next == 0 ? 1 : 0;
    run.cpu_kernel_ms = 1.5;
    run.is_split = is_split;
    run.gpu_why_not = why_not[next % why_not.size()];
    run.bytes = 1000;
    run.answer = OneNumber(numbers[next % numbers.size()]);
    ++next;
    return run;
  }
  base::Result<Footprint> FootprintOf(const std::string&,
                                      const std::vector<std::string>& columns) override {
    return Footprint{static_cast<int64_t>(columns.size()), 4};
  }
  base::Status Change(const BenchSettings& settings) override {
    changed = settings;
    return base::Status::OK();
  }
  base::Result<SectorCount> SectorsOf(const std::string& query) override {
    return SectorCount{{{query, 100, 64}, {"b", 50, 32}}, 7};
  }
  void AwaitCode() override { awaited_at.push_back(next); }
  base::Result<GpuKernelCounts> CountGpuKernels() override {
    return GpuKernelCounts{3, 150, 90, 1, 400, 2, 0.5, 0.25};
  }

  std::vector<double> times = {9, 2, 4, 3};
  std::vector<int64_t> numbers = {42};
  std::vector<std::string> why_not = {""};
  bool is_split = true;
  nlohmann::json last_constants;
  BenchSettings changed;
  size_t next = 0;
  std::vector<size_t> awaited_at;  // runs
  std::mutex mutex;
};

BenchSettings Runs(int runs) {
  BenchSettings settings;
  settings.runs = runs;
  return settings;
}

TEST(BenchSessionTest, KeepsWhereTheFastestRunsTimeWent) {
  ScriptedRunner runner;
  BenchReport report;
  report.settings = Runs(4);
  report.queries = RunQueries(&runner, report.settings).ValueOrDie();
  EXPECT_EQ(report.queries[0].fastest.total_ms, 2);
  const auto json = ToJson(report);
  EXPECT_EQ(json["queries"][0]["fastest"]["total_ms"], 2);
  EXPECT_EQ(json["queries"][0]["fastest"]["cpu_kernel_ms"], 1.5);
  EXPECT_FALSE(json.contains("clients"));
}

// A node's client knows how long it waited, and no more.
TEST(BenchSessionTest, WhatIsNotKnownIsNotTold) {
  ScriptedRunner runner;
  runner.is_split = false;
  BenchReport report;
  report.settings = Runs(2);
  report.queries = RunQueries(&runner, report.settings).ValueOrDie();
  const auto query = ToJson(report)["queries"][0];
  EXPECT_EQ(query["fastest"].dump(), R"({"total_ms":2.0})");
  for (const char* unknown : {"compile_ms", "bytes", "floor_fraction"}) {
    EXPECT_FALSE(query.contains(unknown)) << unknown;
  }
}

// Whichever runs they were: their times are among those that are reported.
TEST(BenchSessionTest, RunsWithoutTheGpuAreCounted) {
  ScriptedRunner runner;
  runner.why_not = {"", "", "scan: it is lost\nand a log", "there was no GPU"};
  BenchReport report;
  report.settings = Runs(4);
  report.settings.mode = Mode::kGpu;
  report.queries = RunQueries(&runner, report.settings).ValueOrDie();
  EXPECT_EQ(report.queries[0].gpu_misses.ToText(), "in 2 of 4 runs: there was no GPU");
  report.clients = RunClients(&runner, 2, report.queries).ValueOrDie();
  const auto json = ToJson(report);
  EXPECT_EQ(json["queries"][0]["gpu_why_not"], "there was no GPU");
  EXPECT_EQ(json["queries"][0]["runs_not_on_gpu"], 2);
  EXPECT_EQ(json["clients"]["runs_not_on_gpu"], 2);  // of four
  runner.why_not = {""};
  report.queries = RunQueries(&runner, report.settings).ValueOrDie();
  EXPECT_FALSE(ToJson(report)["queries"][0].contains("gpu_why_not"));
}

TEST(BenchSessionTest, ClientsAskAllQueriesTogether) {
  ScriptedRunner runner;
  BenchReport report;
  report.settings = Runs(1);
  report.settings.clients = 5;
  report.queries = RunQueries(&runner, report.settings).ValueOrDie();
  report.clients = RunClients(&runner, 5, report.queries).ValueOrDie();
  EXPECT_EQ(runner.next, 1U + 2 * 5);
  EXPECT_EQ(ToJson(report)["clients"]["clients"], 5);
  runner.numbers = {42, 43};
  EXPECT_FALSE(RunClients(&runner, 5, report.queries).ok());
}

TEST(BenchSessionTest, SumsUpRuns) {
  ScriptedRunner runner;
  const auto reports = RunQueries(&runner, Runs(4)).ValueOrDie();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].first_ms, 9);
  EXPECT_EQ(reports[0].min_ms, 2);
  EXPECT_EQ(reports[0].median_ms, 3.5);
  EXPECT_EQ(reports[0].compile_ms, 7);
  EXPECT_EQ(reports[0].rows.dump(), "[[42]]");
  // Kernels have their last code from the third run on.
  EXPECT_EQ(runner.awaited_at, std::vector<size_t>{2});
}

TEST(BenchSessionTest, AChangingAnswerIsAnError) {
  ScriptedRunner runner;
  runner.numbers = {42, 43};
  EXPECT_EQ(base::CodeOf(RunQueries(&runner, Runs(2)).status()), base::ErrorCode::kInternal);
}

TEST(BenchSessionTest, ReportHoldsWhatItPromises) {
  BenchReport report;
  report.bandwidth.all = 1e6;
  report.queries.push_back({"q1.1", 9, 2, 3, 7, 1000, nlohmann::json::parse("[[42]]")});
  const auto json = ToJson(report);
  EXPECT_TRUE(json.contains("machine"));
  EXPECT_EQ(json["settings"]["residency"], "host");
  const auto& query = json["queries"][0];
  EXPECT_EQ(query["name"], "q1.1");
  EXPECT_EQ(query["first_ms"], 9);
  EXPECT_EQ(query["min_ms"], 2);
  EXPECT_EQ(query["median_ms"], 3);
  EXPECT_EQ(query["compile_ms"], 7);
  EXPECT_EQ(query["bytes"], 1000);
  EXPECT_EQ(query["floor_fraction"], 0.5);  // 1000 bytes at 1 MB/s are 1 ms of 2
}

// What is said to lines, one after the other.
std::vector<nlohmann::json> Serve(QueryRunner* runner, const std::string& text) {
  BenchSettings settings = Runs(1);
  settings.scale_factor = 1;
  settings.threads = 3;
  std::istringstream input(text);
  std::ostringstream output;
  EXPECT_TRUE(ServeQueries(runner, settings, input, output).ok());
  std::istringstream lines(output.str());
  std::vector<nlohmann::json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(nlohmann::json::parse(line));
  return answers;
}

TEST(BenchSessionTest, ServesALineAtATime) {
  ScriptedRunner runner;
  const auto answers =
      Serve(&runner, "q1.1\nq1.1 {\"year\": 1995}\nfootprint lineorder a b\nq9.9\nq1.1 [oops\n");
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0]["ms"], 9);
  EXPECT_EQ(answers[0]["rows"].dump(), "[[42]]");
  EXPECT_EQ(runner.last_constants["year"], 1995);
  EXPECT_EQ(answers[2]["bytes"], 2);
  EXPECT_TRUE(answers[3].contains("error"));
  EXPECT_TRUE(answers[4].contains("error"));
}

TEST(BenchSessionTest, SettingsAreOptionsOfTheCommandLine) {
  ScriptedRunner runner;
  const auto answers =
      Serve(&runner,
            "settings --mode mixed --residency host --policy static:40 --gpu-memory "
            "4G\nsettings --mode gpu --prefetch active4\nsettings --mode "
            "warp\nsettings --mode cpu --emulate-gpu\nsettings --mode mixed --prefetch active2\n"
            "settings --mode gpu --policy guided\nsettings --mode cpu --gpu-tasks 2\n");
  ASSERT_EQ(answers.size(), 7U);
  EXPECT_EQ(answers[0]["mode"], "mixed");
  EXPECT_EQ(answers[0]["threads"], 3);
  EXPECT_EQ(runner.changed.policy.gpu_percent, 40);
  EXPECT_EQ(runner.changed.gpu_memory_bytes, int64_t{4'000'000'000});
  EXPECT_EQ(runner.changed.scale_factor, 1);
  for (size_t i = 1; i < answers.size(); ++i) EXPECT_TRUE(answers[i].contains("error")) << i;
  // What others were named before does not last.
  EXPECT_EQ(Serve(&runner, "settings --mode gpu\n")[0]["residency"], "device");
  EXPECT_EQ(runner.changed.gpu_memory_bytes, 0);
}

TEST(BenchSessionTest, MeasuresWhenItIsAskedTo) {
  ScriptedRunner runner;
  const auto answers =
      Serve(&runner, "measure q1.1 4\nmeasure q1.1\nclients 3\nclients\nsectors q1.1\nkernels\n");
  ASSERT_EQ(answers.size(), 6U);
  EXPECT_EQ(answers[0]["min_ms"], 2);
  EXPECT_EQ(answers[0]["median_ms"], 3.5);
  EXPECT_TRUE(answers[1].contains("error"));
  EXPECT_EQ(answers[2]["clients"], 3);
  EXPECT_EQ(runner.next, 4U + 2 + 2 * 3);
  EXPECT_TRUE(answers[3].contains("error"));
  EXPECT_EQ(answers[4]["bytes"], 150);
  EXPECT_EQ(answers[4]["touched_bytes"], 96);
  EXPECT_EQ(answers[5]["compiled"], 3);
  EXPECT_EQ(answers[5]["compile_most_ms"], 90);
  EXPECT_EQ(answers[5]["compiled_full"], 1);
}

}  // namespace
}  // namespace shadowvm::cli
