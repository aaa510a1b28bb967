// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/coupled_runner.h"

#include <arrow/table.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/cli/bench/engine_runner.h"
#include "engine/cli/bench/ssb_queries.h"
#include "engine/exec/engine.h"

namespace shadowvm::cli {
namespace {

using TableColumns = std::map<std::string, std::set<std::string>>;

// The columns that a command reads, by table.
base::Result<TableColumns> ColumnsOf(exec::Engine* engine, const v1::Command& command) {
  SVM_ASSIGN_OR_RETURN(const auto plan, engine->Plan(command, nullptr));
  TableColumns columns;
  for (const plan::Pipeline& pipeline : plan->pipelines()) {
    if (pipeline.source.scan == nullptr) continue;
    auto& read = columns[pipeline.source.scan->source.table];
    for (const columns::Field& field : pipeline.source.scan->output.fields) read.insert(field.name);
  }
  return columns;
}

base::Result<std::shared_ptr<arrow::Table>> Select(const arrow::Table& table,
                                                   const std::set<std::string>& names) {
  std::vector<int> ordinals;
  for (const std::string& name : names) ordinals.push_back(table.schema()->GetFieldIndex(name));
  return table.SelectColumns(ordinals);
}

class CoupledRunner : public QueryRunner {
 public:
  CoupledRunner(std::unique_ptr<exec::Engine> engine, NamedTables tables)
      : engine_(std::move(engine)), tables_(std::move(tables)) {}

  std::vector<std::string> queries() const override { return SsbQueryNames(); }

  base::Result<QueryRun> Run(const std::string& query, const nlohmann::json& constants) override {
    SVM_ASSIGN_OR_RETURN(const client::Frame frame,
                         MakeSsbQuery(query, RegisteredTables(), constants));
    const v1::Command command = frame.ToCommand();
    SVM_RETURN_NOT_OK(AddTables());
    SVM_ASSIGN_OR_RETURN(const TableColumns columns, ColumnsOf(engine_.get(), command));
    engine_->gpu_keeper().Close();
    exec::QueryStats stats;
    QueryRun run;
    const auto start = std::chrono::steady_clock::now();
    for (const auto& [table, names] : columns) {
      SVM_ASSIGN_OR_RETURN(const auto selected, Select(*tables_.at(table), names));
      SVM_RETURN_NOT_OK(engine_->AddTable(table, *selected));
    }
    SVM_ASSIGN_OR_RETURN(run.answer,
                         engine_->Run(command, {.stats = &stats, .mode = schedule::Mode::kGpu}));
    run.gpu_why_not = WhyNotGpu(stats, schedule::Mode::kGpu, &engine_->gpu_keeper());
    engine_->gpu_keeper().Close();
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    run.total_ms = elapsed.count();
    AddStats(stats, &run);
    return run;
  }

  base::Result<Footprint> FootprintOf(const std::string&,
                                      const std::vector<std::string>&) override {
    return base::MakeError(base::ErrorCode::kUnsupported, "nothing is kept between runs");
  }

 private:
  // All columns and hardly a row, for the plan to see.
  base::Status AddTables() {
    for (const auto& [name, table] : tables_) {
      SVM_RETURN_NOT_OK(engine_->AddTable(name, *table->Slice(0, 1)));
    }
    return base::Status::OK();
  }

  std::unique_ptr<exec::Engine> engine_;
  const NamedTables tables_;
};

}  // namespace

base::Result<std::unique_ptr<QueryRunner>> MakeCoupledRunner(const BenchSettings& settings) {
  SVM_ASSIGN_OR_RETURN(NamedTables tables, GenerateTables(settings));
  SVM_ASSIGN_OR_RETURN(auto engine, exec::Engine::Make(EngineOptionsOf(settings)));
  engine->kernels().AwaitWarm();
  return std::make_unique<CoupledRunner>(std::move(engine), std::move(tables));
}

}  // namespace shadowvm::cli
