// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/table.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/exec/engine.h"
#include "engine/exec/pipeline_output.h"
#include "engine/exec/pipeline_run.h"
#include "engine/exec/source_view.h"
#include "engine/plan/pipeline.h"
#include "engine/plan/plan.h"

namespace shadowvm::exec {

// One command on its way to its answer: planned, cut, its pipelines run one after the other. A
// query sees each file as it was when it was planned.
class Query : private plan::Catalog {
 public:
  Query(Engine* engine, const v1::Command& command, const schedule::CancelToken* cancel,
        QueryStats* stats);

  base::Result<std::shared_ptr<arrow::Table>> Run();

 private:
  base::Result<columns::Schema> SchemaOf(const plan::ScanSource& source) override;
  base::Result<std::shared_ptr<columns::TableSource>> Open(const plan::ScanSource& source);

  base::Result<plan::Plan> MakePlan();
  // Kernels of pipelines that wait for nothing are written and compiled together, ahead.
  base::Status PrepareLeaves(const std::vector<plan::Pipeline>& pipelines);
  base::Status RunPipeline(const plan::Pipeline& pipeline);
  base::Status PlanPipeline(const plan::Pipeline& pipeline);
  base::Result<SourceView> ViewOf(const plan::Pipeline& pipeline);
  void ReleaseInputs(const plan::Pipeline& pipeline, const std::vector<plan::Pipeline>& pipelines);
  base::Result<std::shared_ptr<arrow::Table>> Answer(const plan::Pipeline& last);

  Engine& engine_;
  const v1::Command& command_;
  QueryContext context_;
  std::vector<std::pair<plan::ScanSource, std::shared_ptr<columns::TableSource>>> opened_;
  std::vector<PipelineOutput> outputs_;
  // By pipeline, from when it is planned until it has run.
  struct Planned {
    SourceView source;
    std::unique_ptr<PipelineRun> run;
    std::shared_ptr<vkernel::KernelSlot> kernel;
  };
  std::vector<std::unique_ptr<Planned>> planned_;
};

}  // namespace shadowvm::exec
