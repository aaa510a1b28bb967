// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "engine/cli/bench/answer_json.h"
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

base::Result<Json> Answer(QueryRunner* runner, int threads, const std::string& line) {
  std::istringstream words(line);
  std::string first;
  words >> first;
  if (first == "machine") return AnswerMachine(threads);
  return first == "footprint" ? AnswerFootprint(runner, words) : AnswerQuery(runner, first, words);
}

}  // namespace

base::Status ServeQueries(QueryRunner* runner, int threads, std::istream& input,
                          std::ostream& output) {
  for (std::string line; std::getline(input, line);) {
    const auto answer = Answer(runner, threads, line);
    output << (answer.ok() ? *answer : Json{{"error", answer.status().message()}}).dump()
           << std::endl;
  }
  return base::Status::OK();
}

}  // namespace shadowvm::cli
