// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/session.h"

#include <arrow/table.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/base/elapsed.h"
#include "engine/cli/bench/answer_json.h"
#include "engine/cli/progress.h"

namespace shadowvm::cli {
namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

base::Result<QueryReport> MeasureQuery(QueryRunner* runner, const std::string& name, int runs) {
  QueryReport report;
  report.name = name;
  std::vector<double> times, gpu_times, overheads;
  // Answers are compared as they are: what a report takes to be written, thousands of small pieces
  // that fall free, would be cleared up in the time of the next run.
  std::shared_ptr<arrow::Table> first_answer;
  for (int i = 0; i < runs; ++i) {
    SVM_ASSIGN_OR_RETURN(QueryRun run, runner->Run(name, nlohmann::json::object()));
    const std::shared_ptr<arrow::Table> answer = std::move(run.answer);
    // The second run of a kernel asks for better code.
    if (i == 1) runner->AwaitCode();
    if (i == 0 || run.total_ms < report.fastest.total_ms) report.fastest = run;
    for (const PlacedPipeline& pipeline : run.pipelines) {
      report.partitions += pipeline.partitions;
      report.partitions_again += pipeline.partitions_again;
    }
    report.gpu_misses.Add(run.gpu_why_not);
    times.push_back(run.total_ms);
    const bool least = std::all_of(gpu_times.begin(), gpu_times.end(),
                                   [&](double before) { return run.gpu_ms < before; });
    if (least) report.gpu_kernels = run.gpu_kernels;
    gpu_times.push_back(run.gpu_ms);
    overheads.push_back(1000 * (run.total_ms - run.gpu_ms));
    if (i == 0) {
      report.first_ms = run.total_ms;
      report.compile_ms = run.compile_ms;
      report.bytes = run.bytes;
      first_answer = answer;
    } else if (!answer->Equals(*first_answer)) {
      return base::MakeError(
          base::ErrorCode::kInternal,
          name + ": run " + std::to_string(i + 1) + " answered differently from the first");
    }
  }
  SVM_ASSIGN_OR_RETURN(report.rows, RowsToJson(*first_answer));
  report.min_ms = *std::min_element(times.begin(), times.end());
  report.median_ms = Median(std::move(times));
  report.gpu_min_ms = *std::min_element(gpu_times.begin(), gpu_times.end());
  report.gpu_median_ms = Median(std::move(gpu_times));
  report.overhead_us = *std::min_element(overheads.begin(), overheads.end());
  return report;
}

namespace {

// One client asks every query once, beginning with its own.
base::Status AskAll(QueryRunner* runner, const std::vector<QueryReport>& reports, int client,
                    GpuMisses* misses) {
  for (size_t i = 0; i < reports.size(); ++i) {
    const QueryReport& report = reports[(i + static_cast<size_t>(client)) % reports.size()];
    SVM_ASSIGN_OR_RETURN(const QueryRun run, runner->Run(report.name, nlohmann::json::object()));
    misses->Add(run.gpu_why_not);
    SVM_ASSIGN_OR_RETURN(const nlohmann::json rows, RowsToJson(*run.answer));
    if (rows != report.rows) {
      return base::MakeError(base::ErrorCode::kInternal,
                             report.name + ": client " + std::to_string(client + 1) +
                                 " was answered differently from a client alone");
    }
  }
  return base::Status::OK();
}

}  // namespace

base::Result<ClientsReport> RunClients(QueryRunner* runner, int clients,
                                       const std::vector<QueryReport>& reports) {
  ClientsReport found;
  found.clients = clients;
  auto start = std::chrono::steady_clock::now();
  for (int client = 0; client < clients; ++client) {
    SVM_RETURN_NOT_OK(AskAll(runner, reports, client, &found.gpu_misses));
  }
  found.one_by_one_ms = base::MillisecondsSince(start);
  start = std::chrono::steady_clock::now();
  std::vector<base::Status> outcomes(static_cast<size_t>(clients));
  std::vector<GpuMisses> misses(outcomes.size());
  std::vector<std::thread> threads;
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client, at = static_cast<size_t>(client)] {
      outcomes[at] = AskAll(runner, reports, client, &misses[at]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  found.at_the_same_time_ms = base::MillisecondsSince(start);
  for (const base::Status& outcome : outcomes) SVM_RETURN_NOT_OK(outcome);
  for (const GpuMisses& of_client : misses) found.gpu_misses.Add(of_client);
  return found;
}

base::Result<std::vector<QueryReport>> RunQueries(QueryRunner* runner,
                                                  const BenchSettings& settings) {
  const auto names = settings.queries.empty() ? runner->queries() : settings.queries;
  std::vector<QueryReport> reports;
  ProgressBar bar("queries", static_cast<int64_t>(names.size()));
  for (const auto& name : names) {
    SVM_ASSIGN_OR_RETURN(reports.emplace_back(), MeasureQuery(runner, name, settings.runs));
    bar.Update(static_cast<int64_t>(reports.size()));
  }
  return reports;
}

}  // namespace shadowvm::cli
