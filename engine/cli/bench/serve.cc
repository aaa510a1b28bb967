// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "engine/cli/bench/answer_json.h"
#include "engine/cli/bench/bench_command.h"
#include "engine/cli/bench/session.h"

namespace shadowvm::cli {
namespace {

using Json = nlohmann::ordered_json;

base::Result<Json> AnswerFootprint(QueryRunner* runner, std::istringstream& words) {
  std::string table;
  words >> table;
  std::vector<std::string> columns;
  for (std::string column; words >> column;) columns.push_back(column);
  SVM_ASSIGN_OR_RETURN(const Footprint footprint, runner->FootprintOf(table, columns));
  return Json{{"bytes", footprint.bytes}, {"plain_bytes", footprint.plain_bytes}};
}

base::Result<Json> AnswerQuery(QueryRunner* runner, const std::string& name,
                               std::istringstream& words) {
  std::string text;
  std::getline(words, text);
  nlohmann::json constants = nlohmann::json::object();
  if (text.find_first_not_of(' ') != std::string::npos) {
    constants = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!constants.is_object())
      return base::MakeError(base::ErrorCode::kBadCommand, name + ": constants:" + text);
  }
  SVM_ASSIGN_OR_RETURN(const QueryRun run, runner->Run(name, constants));
  SVM_ASSIGN_OR_RETURN(nlohmann::json rows, RowsToJson(*run.answer));
  Json answer;
  answer["name"] = name;
  answer["ms"] = run.total_ms;
  if (!run.gpu_why_not.empty()) answer["gpu_why_not"] = run.gpu_why_not;
  answer["compile_ms"] = run.compile_ms;
  answer["compiles"] = run.compiles;
  answer["bytes"] = run.bytes;
  answer["rows"] = std::move(rows);
  return answer;
}

base::Result<Json> AnswerMachine(int threads) {
  SVM_ASSIGN_OR_RETURN(const Bandwidth bandwidth, MeasureMachine(threads));
  return ToJson(DescribeMachine(), bandwidth);
}

base::Result<Json> AnswerSectors(QueryRunner* runner, std::istringstream& words) {
  std::string query;
  words >> query;
  SVM_ASSIGN_OR_RETURN(const SectorCount count, runner->SectorsOf(query));
  Json answer = {{"name", query}, {"rows", count.rows}, {"columns", Json::array()}};
  int64_t bytes = 0, touched_bytes = 0;
  for (const ColumnSectors& column : count.columns) {
    answer["columns"].push_back({{"column", column.column},
                                 {"bytes", column.bytes},
                                 {"touched_bytes", column.touched_bytes}});
    bytes += column.bytes;
    touched_bytes += column.touched_bytes;
  }
  answer["bytes"] = bytes;
  answer["touched_bytes"] = touched_bytes;
  return answer;
}

base::Result<Json> AnswerKernels(QueryRunner* runner) {
  SVM_ASSIGN_OR_RETURN(const GpuKernelCounts counts, runner->CountGpuKernels());
  return Json{{"compiled", counts.compiled},
              {"compile_ms", counts.compile_ms},
              {"compile_most_ms", counts.compile_most_ms},
              {"compiled_full", counts.compiled_full},
              {"compile_full_ms", counts.compile_full_ms},
              {"from_disk", counts.from_disk},
              {"disk_ms", counts.disk_ms},
              {"load_ms", counts.load_ms}};
}

// Answers line after line. Settings last until others come.
class Server {
 public:
  Server(QueryRunner* runner, BenchSettings settings)
      : runner_(*runner), tables_(settings), settings_(std::move(settings)) {}

  base::Result<Json> Answer(const std::string& line) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "machine") return AnswerMachine(tables_.threads);
    if (first == "footprint") return AnswerFootprint(&runner_, words);
    if (first == "settings") return AnswerSettings(words);
    if (first == "measure") return AnswerMeasure(words);
    if (first == "clients") return AnswerClients(words);
    if (first == "sectors") return AnswerSectors(&runner_, words);
    if (first == "kernels") return AnswerKernels(&runner_);
    return AnswerQuery(&runner_, first, words);
  }

 private:
  base::Result<Json> AnswerSettings(std::istringstream& words) {
    std::string options;
    std::getline(words, options);
    SVM_ASSIGN_OR_RETURN(const BenchSettings settings, RunSettings(tables_, options));
    SVM_RETURN_NOT_OK(runner_.Change(settings));
    settings_ = settings;
    return ToJson(settings_);
  }

  base::Result<Json> AnswerMeasure(std::istringstream& words) {
    std::string query;
    int runs = 0;
    if (!(words >> query >> runs) || runs < 1) {
      return base::MakeError(base::ErrorCode::kBadCommand, "measure: give a query and its runs");
    }
    SVM_ASSIGN_OR_RETURN(const QueryReport report, MeasureQuery(&runner_, query, runs));
    return ToJson(report, settings_);
  }

  base::Result<Json> AnswerClients(std::istringstream& words) {
    int clients = 0;
    if (!(words >> clients) || clients < 1) {
      return base::MakeError(base::ErrorCode::kBadCommand, "clients: give how many");
    }
    std::vector<QueryReport> reports;
    for (const std::string& query : runner_.queries()) {
      SVM_ASSIGN_OR_RETURN(reports.emplace_back(), MeasureQuery(&runner_, query, 2));
    }
    SVM_ASSIGN_OR_RETURN(const ClientsReport found, RunClients(&runner_, clients, reports));
    return ToJson(found);
  }

  QueryRunner& runner_;
  const BenchSettings tables_;  // as the program was started
  BenchSettings settings_;
};

}  // namespace

base::Status ServeQueries(QueryRunner* runner, const BenchSettings& settings, std::istream& input,
                          std::ostream& output) {
  Server server(runner, settings);
  for (std::string line; std::getline(input, line);) {
    const auto answer = server.Answer(line);
    output << (answer.ok() ? *answer : Json{{"error", answer.status().message()}}).dump()
           << std::endl;
  }
  return base::Status::OK();
}

}  // namespace shadowvm::cli
