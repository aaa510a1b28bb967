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
    run.bytes = 1000;
    run.answer = OneNumber(numbers[next % numbers.size()]);
    ++next;
    return run;
  }
  base::Result<Footprint> FootprintOf(const std::string&,
                                      const std::vector<std::string>& columns) override {
    return Footprint{static_cast<int64_t>(columns.size()), 4};
  }

  std::vector<double> times = {9, 2, 4, 3};
  std::vector<int64_t> numbers = {42};
  nlohmann::json last_constants;
  size_t next = 0;
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
  EXPECT_FALSE(json.contains("clients"));
}

TEST(BenchSessionTest, ClientsAskAllQueriesTogether) {
  ScriptedRunner runner;
  BenchReport report;
  report.settings = Runs(1);
  report.settings.clients = 5;
  report.queries = RunQueries(&runner, report.settings).ValueOrDie();
  report.clients = RunClients(&runner, report.settings, report.queries).ValueOrDie();
  EXPECT_EQ(runner.next, 1U + 2 * 5);
  EXPECT_EQ(ToJson(report)["clients"]["clients"], 5);
  runner.numbers = {42, 43};
  EXPECT_FALSE(RunClients(&runner, report.settings, report.queries).ok());
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

TEST(BenchSessionTest, ServesALineAtATime) {
  ScriptedRunner runner;
  std::istringstream input(
      "q1.1\nq1.1 {\"year\": 1995}\nfootprint lineorder a b\nq9.9\nq1.1 [oops\n");
  std::ostringstream output;
  ASSERT_TRUE(ServeQueries(&runner, /*threads=*/1, input, output).ok());
  std::istringstream lines(output.str());
  std::vector<nlohmann::json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0]["ms"], 9);
  EXPECT_EQ(answers[0]["rows"].dump(), "[[42]]");
  EXPECT_EQ(runner.last_constants["year"], 1995);
  EXPECT_EQ(answers[2]["bytes"], 2);
  EXPECT_TRUE(answers[3].contains("error"));
  EXPECT_TRUE(answers[4].contains("error"));
}

}  // namespace
}  // namespace shadowvm::cli
