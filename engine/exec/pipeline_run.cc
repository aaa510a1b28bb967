// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/pipeline_run.h"

#include "engine/base/fault.h"
#include "engine/exec/aggregate_states.h"
#include "engine/exec/column_trace.h"
#include "engine/exec/sort_keys.h"
#include "engine/exec/state/row_buffer.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/vkernel/render/kernel_renderer.h"

namespace shadowvm::exec {
namespace {

using base::Span;
using base::Stage;

// Only the columns of 'rows' that 'kept' names, in its order.
RowSet KeepColumns(RowSet rows, const std::vector<int>& kept) {
  std::vector<RowData> columns;
  for (const int column : kept) columns.push_back(rows.columns[column]);
  rows.columns = std::move(columns);
  return rows;
}

RowSet WithKeepers(RowSet rows, const KernelRun& run) {
  for (Keeper& keeper : run.keepers()) rows.keepers.push_back(std::move(keeper));
  return rows;
}

const std::vector<int>& KeptBy(const plan::ActionNode& node) {
  switch (node.kind) {
    case plan::ActionKind::kSort:
      return plan::As<plan::SortNode>(node).kept;
    case plan::ActionKind::kTopN:
      return plan::As<plan::TopNNode>(node).kept;
    default:
      return plan::As<plan::LimitNode>(node).kept;
  }
}

}  // namespace

base::Result<PipelineOutput> PipelineRun::Run() {
  SVM_RETURN_NOT_OK(TranslateSteps());
  if (pipeline_.sink == plan::SinkKind::kBuild) return RunBuild();
  PipelineOutput output;
  output.name = source_.table->name();
  output.schema = pipeline_.node->output;
  RowSet rows;
  switch (pipeline_.sink) {
    case plan::SinkKind::kAggregate: {
      SVM_ASSIGN_OR_RETURN(rows, RunAggregate(plan::As<plan::AggregateNode>(*pipeline_.node)));
      break;
    }
    case plan::SinkKind::kSort:
    case plan::SinkKind::kTopN: {
      SVM_ASSIGN_OR_RETURN(rows, RunSorted());
      break;
    }
    case plan::SinkKind::kLimit: {
      SVM_ASSIGN_OR_RETURN(rows, RunLimit());
      break;
    }
    default: {
      SVM_ASSIGN_OR_RETURN(rows, RunCollect({}, INT64_MAX));
      break;
    }
  }
  output.most_rows = rows.num_rows;
  output.rows = std::make_shared<const RowSet>(std::move(rows));
  return output;
}

base::Status PipelineRun::TranslateSteps() {
  SVM_ASSIGN_OR_RETURN(joins_, PrepareJoins(context_, pipeline_, source_, outputs_));
  const Span span(&context_.stats->spans, Stage::kRender);
  SVM_ASSIGN_OR_RETURN(vkernel::SourceFacts facts, source_.Facts());
  std::vector<vkernel::BuildFacts> builds;
  for (const PreparedJoin& join : joins_) builds.push_back(join.Facts());
  translator_ =
      std::make_unique<vkernel::PipelineTranslator>(pipeline_, std::move(facts), std::move(builds));
  return translator_->TranslateSteps();
}

base::Status PipelineRun::Prepare() {
  blueprint_ = translator_->Take();
  for (size_t i = 0; i < joins_.size(); ++i) {
    if (blueprint_.joins[i].reads_rows) SVM_RETURN_NOT_OK(joins_[i].AddRows(context_));
  }
  vkernel::RenderedKernel rendered;
  {
    const Span span(&context_.stats->spans, Stage::kRender);
    rendered = vkernel::Render(blueprint_);
  }
  {
    const Span span(&context_.stats->spans, Stage::kCompile);
    SVM_ASSIGN_OR_RETURN(kernel_, context_.kernels->Get(blueprint_.title, rendered.text));
  }
  SVM_ASSIGN_OR_RETURN(
      binding_, PipelineBinding::Make(context_, blueprint_, rendered.arguments, source_, joins_));
  return base::Status::OK();
}

std::vector<RowColumn> PipelineRun::OutputColumns() const {
  std::vector<RowColumn> columns;
  for (const vkernel::OutputColumn& output : blueprint_.sink.outputs) {
    columns.push_back(RowColumnOf(blueprint_, *output.value, output.nullable, source_, joins_));
  }
  return columns;
}

base::Result<RowSet> PipelineRun::RunCollect(const std::vector<plan::ExpressionPtr>& extra,
                                             int64_t enough) {
  SVM_RETURN_NOT_OK(translator_->AddCollectSink(pipeline_.input->output, extra));
  SVM_RETURN_NOT_OK(Prepare());
  std::vector<std::unique_ptr<RowBuffer>> buffers;
  for (int i = 0; i < context_.workers.count(); ++i) {
    buffers.push_back(std::make_unique<RowBuffer>(context_.budget, OutputColumns()));
  }
  KernelRun run(context_, kernel_, binding_.get());
  const base::Status status = run.Run(
      [&](int worker, kernels::KernelCall* call) {
        call->output = buffers[worker].get();
        return base::Status::OK();
      },
      [&] {
        // Rows of other workers are seen late at worst: a partition too many is run, none too few.
        int64_t rows = 0;
        for (const auto& buffer : buffers) rows += buffer->num_rows();
        return rows >= enough;
      });
  for (const auto& buffer : buffers) SVM_RETURN_NOT_OK(buffer->status());
  SVM_RETURN_NOT_OK(status);
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_FAULT_POINT("exec.collect.merge");
  SVM_ASSIGN_OR_RETURN(RowSet rows, Concatenate(buffers, context_.budget, context_.workers));
  return WithKeepers(std::move(rows), run);
}

base::Result<PipelineOutput> PipelineRun::RunBuild() {
  const auto& join = plan::As<plan::JoinNode>(*pipeline_.node);
  PipelineOutput output;
  output.name = source_.table->name();
  output.schema = join.right().output;
  output.most_rows = source_.table->num_rows();
  std::vector<plan::ExpressionPtr> extra;
  for (const plan::ExpressionPtr& key : join.right_keys) {
    if (key->is_column()) {
      output.keys.push_back(key->column);
    } else {
      output.keys.push_back(output.schema.num_fields() + static_cast<int>(extra.size()));
      extra.push_back(key);
    }
  }
  const int column = TraceColumn(pipeline_, source_.schema.num_fields(), pipeline_.steps.size(),
                                 *join.right_keys[0]);
  if (column >= 0) {
    const columns::Zone zone = source_.zone(column);
    if (zone.known) output.key_zone = zone;
  }
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunCollect(extra, INT64_MAX));
  output.rows = std::make_shared<const RowSet>(std::move(rows));
  return output;
}

base::Result<RowSet> PipelineRun::RunAggregate(const plan::AggregateNode& node) {
  Grouping grouping = ChooseGrouping(node, *translator_, source_, joins_);
  SVM_RETURN_NOT_OK(translator_->AddAggregateSink(node, grouping.form, grouping.keys));
  SVM_RETURN_NOT_OK(Prepare());
  if (grouping.form == vkernel::SinkForm::kHashGroups) return RunHash(node);
  return RunDense(node, std::move(grouping));
}

base::Result<RowSet> PipelineRun::RunDense(const plan::AggregateNode& node, Grouping grouping) {
  for (const Grouping::JoinCodes& codes : grouping.join_codes) {
    SVM_RETURN_NOT_OK(joins_[codes.join].table->AddCodes(codes.codes->codes, context_.workers));
  }
  binding_->RefreshJoins();
  std::vector<int64_t> origins;
  for (const DenseKey& key : grouping.dense_keys) {
    origins.push_back(key.origin);
    origins.push_back(key.null_code);
  }
  const AggregateStates states = MakeAggregateStates(node, blueprint_.sink);
  DenseGroups groups(context_.budget, {grouping.dense_keys, states.accumulators, 0},
                     context_.workers.count());
  KernelRun run(context_, kernel_, binding_.get());
  SVM_RETURN_NOT_OK(run.Run([&](int worker, kernels::KernelCall* call) -> base::Status {
    SVM_ASSIGN_OR_RETURN(call->dense, groups.Slots(worker));
    call->strides = groups.strides().data();
    call->origins = origins.data();
    return base::Status::OK();
  }));
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_RETURN_NOT_OK(groups.Merge(context_.workers));
  SVM_ASSIGN_OR_RETURN(RowSet rows,
                       groups.Emit(grouping.key_columns, states.outputs, context_.workers));
  return WithKeepers(std::move(rows), run);
}

std::vector<HashKeyColumn> PipelineRun::HashKeyColumns() const {
  std::vector<HashKeyColumn> columns;
  int bit = 0;
  for (const vkernel::GroupKey& key : blueprint_.sink.keys) {
    RowColumn column = RowColumnOf(blueprint_, *key.value, key.nullable, source_, joins_);
    columns.push_back({std::move(column), key.word, key.nullable ? 0 : -1, bit++});
  }
  return columns;
}

base::Result<RowSet> PipelineRun::RunHash(const plan::AggregateNode& node) {
  const AggregateStates states = MakeAggregateStates(node, blueprint_.sink);
  auto groups = std::make_shared<HashGroups>(context_.budget, states.accumulators,
                                             blueprint_.sink.key_words, context_.workers.count());
  binding_->set_key_interner(groups->interner());
  KernelRun run(context_, kernel_, binding_.get());
  const base::Status status = run.Run([&](int worker, kernels::KernelCall* call) {
    call->groups = groups->worker(worker);
    return base::Status::OK();
  });
  for (int i = 0; i < context_.workers.count(); ++i) SVM_RETURN_NOT_OK(groups->worker(i)->status());
  SVM_RETURN_NOT_OK(status);
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_RETURN_NOT_OK(groups->Merge(context_.workers));
  SVM_ASSIGN_OR_RETURN(RowSet rows,
                       groups->Emit(HashKeyColumns(), states.outputs, groups, context_.workers));
  return WithKeepers(std::move(rows), run);
}

base::Result<RowSet> PipelineRun::RunSorted() {
  const SortPlan sort = PlanSort(*pipeline_.node);
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunCollect(sort.extra, INT64_MAX));
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_ASSIGN_OR_RETURN(rows, SortRows(context_, sort, std::move(rows)));
  return KeepColumns(std::move(rows), KeptBy(*pipeline_.node));
}

base::Result<RowSet> PipelineRun::RunLimit() {
  const auto& node = plan::As<plan::LimitNode>(*pipeline_.node);
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunCollect({}, node.offset + node.count));
  SVM_ASSIGN_OR_RETURN(
      rows, Slice(std::move(rows), node.offset, node.count, context_.budget, context_.workers));
  return KeepColumns(std::move(rows), node.kept);
}

}  // namespace shadowvm::exec
