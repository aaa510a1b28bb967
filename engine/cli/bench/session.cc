// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/session.h"

#include <algorithm>

#include "engine/cli/bench/answer_json.h"
#include "engine/cli/progress.h"

namespace shadowvm::cli {
namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

base::Result<QueryReport> RunQuery(QueryRunner* runner, const std::string& name, int runs) {
  QueryReport report;
  report.name = name;
  std::vector<double> times, gpu_times;
  for (int i = 0; i < runs; ++i) {
    SVM_ASSIGN_OR_RETURN(const QueryRun run, runner->Run(name, nlohmann::json::object()));
    SVM_ASSIGN_OR_RETURN(nlohmann::json rows, RowsToJson(*run.answer));
    times.push_back(run.total_ms);
    gpu_times.push_back(run.gpu_ms);
    if (i == 0) {
      report.first_ms = run.total_ms;
      report.compile_ms = run.compile_ms;
      report.bytes = run.bytes;
      report.gpu_why_not = run.gpu_why_not;
      report.rows = std::move(rows);
    } else if (rows != report.rows) {
      return base::MakeError(
          base::ErrorCode::kInternal,
          name + ": run " + std::to_string(i + 1) + " answered differently from the first");
    }
  }
  report.min_ms = *std::min_element(times.begin(), times.end());
  report.median_ms = Median(std::move(times));
  report.gpu_min_ms = *std::min_element(gpu_times.begin(), gpu_times.end());
  report.gpu_median_ms = Median(std::move(gpu_times));
  return report;
}

}  // namespace

base::Result<std::vector<QueryReport>> RunQueries(QueryRunner* runner,
                                                  const BenchSettings& settings) {
  const auto names = settings.queries.empty() ? runner->queries() : settings.queries;
  std::vector<QueryReport> reports;
  ProgressBar bar("queries", static_cast<int64_t>(names.size()));
  for (const auto& name : names) {
    SVM_ASSIGN_OR_RETURN(reports.emplace_back(), RunQuery(runner, name, settings.runs));
    bar.Update(static_cast<int64_t>(reports.size()));
  }
  return reports;
}

}  // namespace shadowvm::cli
