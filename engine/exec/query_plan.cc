// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/query_plan.h"

#include "engine/exec/engine.h"
#include "engine/exec/query.h"
#include "engine/plan/plan_builder.h"
#include "engine/plan/rewrite.h"
#include "engine/plan/support.h"

namespace shadowvm::exec {

base::Result<std::unique_ptr<QueryPlan>> QueryPlan::Make(Engine* engine, const v1::Command& command,
                                                         base::Spans* spans) {
  const base::Span span(spans, base::Stage::kPlan);
  std::unique_ptr<QueryPlan> made(new QueryPlan(engine));
  SVM_ASSIGN_OR_RETURN(const plan::Plan built, plan::BuildPlan(command, made.get()));
  SVM_RETURN_NOT_OK(plan::RequireSupport(built));
  made->plan_ = plan::Rewrite(built);
  made->pipelines_ = plan::CutIntoPipelines(*made->plan_);
  return made;
}

base::Result<columns::Schema> QueryPlan::SchemaOf(const plan::ScanSource& source) {
  SVM_ASSIGN_OR_RETURN(auto table, Open(source));
  return table->schema();
}

base::Result<std::shared_ptr<columns::TableSource>> QueryPlan::Open(
    const plan::ScanSource& source) {
  for (const Opened& known : opened_) {
    if (known.source == source) return known.table;
  }
  SVM_ASSIGN_OR_RETURN(auto table, engine_.Open(source));
  opened_.push_back({source, table->schema().fields, table});
  return table;
}

base::Status QueryPlan::Reopen() {
  for (Opened& opened : opened_) {
    if (opened.table != nullptr && query_ != nullptr &&
        engine_.IsUnchanged(opened.source, *opened.table)) {
      continue;
    }
    SVM_ASSIGN_OR_RETURN(auto now, engine_.Open(opened.source));
    if (now->schema().fields != opened.fields) {
      return base::MakeError(
          base::ErrorCode::kFileChanged,
          opened.source.name() + " has other columns than when the query was planned");
    }
    opened.table = std::move(now);
  }
  return base::Status::OK();
}

QueryPlan::QueryPlan(Engine* engine) : engine_(*engine) {}

QueryPlan::~QueryPlan() = default;

void QueryPlan::KeepQuery(std::unique_ptr<Query> query) { query_ = std::move(query); }

std::unique_ptr<Query> QueryPlan::TakeQuery() { return std::move(query_); }

QueryPlan::Rest::Rest() = default;
QueryPlan::Rest::Rest(Rest&&) noexcept = default;
QueryPlan::Rest::~Rest() = default;

QueryPlan::Rest QueryPlan::TakeRest() {
  Rest rest;
  rest.query = TakeQuery();
  for (Opened& opened : opened_) rest.tables.push_back(std::move(opened.table));
  return rest;
}

void QueryPlan::CloseTables() {
  if (query_ != nullptr) return;
  for (Opened& opened : opened_) opened.table = nullptr;
}

}  // namespace shadowvm::exec
