// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/base/span.h"
#include "engine/base/status.h"
#include "engine/columns/table.h"
#include "engine/plan/pipeline.h"
#include "engine/plan/plan.h"
#include "shadowvm/v1/command.pb.h"

namespace shadowvm::exec {

class Engine;
class Query;

// A command made ready to run: typed, checked, rewritten, cut into pipelines, its tables open. A
// run sees each file as it was when its table was opened.
class QueryPlan : private plan::Catalog {
 public:
  // The errors of plan::BuildPlan and plan::RequireSupport. 'engine' outlives the plan.
  static base::Result<std::unique_ptr<QueryPlan>> Make(Engine* engine, const v1::Command& command,
                                                       base::Spans* spans);

  ~QueryPlan();

  const plan::Settings& settings() const { return plan_->settings(); }
  const std::vector<plan::Pipeline>& pipelines() const { return pipelines_; }
  // Of the answer.
  const columns::Schema& output() const { return plan_->output(); }

  // What a scan of this plan reads.
  base::Result<std::shared_ptr<columns::TableSource>> Open(const plan::ScanSource& source);
  // Opens every table anew: for a run that comes later than the planning, or once more; as long as
  // a query rests only those that have changed. kFileChanged if a table has other columns now.
  base::Status Reopen();
  // Lets go of the tables, until Reopen, unless a query rests, which holds them.
  void CloseTables();

  // The last run's query, which rests until the next.
  void KeepQuery(std::unique_ptr<Query> query);
  std::unique_ptr<Query> TakeQuery();
  // With the tables that were left open for it.
  struct Rest {
    std::unique_ptr<Query> query;
    std::vector<std::shared_ptr<columns::TableSource>> tables;
    Rest();
    Rest(Rest&&) noexcept;
    ~Rest();
  };
  Rest TakeRest();

 private:
  struct Opened {
    plan::ScanSource source;
    std::vector<columns::Field> fields;  // when it was planned
    std::shared_ptr<columns::TableSource> table;
  };

  explicit QueryPlan(Engine* engine);
  base::Result<columns::Schema> SchemaOf(const plan::ScanSource& source) override;

  Engine& engine_;
  std::vector<Opened> opened_;
  std::optional<plan::Plan> plan_;
  std::vector<plan::Pipeline> pipelines_;  // point into the plan
  std::unique_ptr<Query> query_;
};

}  // namespace shadowvm::exec
