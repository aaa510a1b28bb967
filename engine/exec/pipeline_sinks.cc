// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <optional>

#include "engine/base/fault.h"
#include "engine/exec/gpu/collect_sink.h"
#include "engine/exec/gpu/hash_sink.h"
#include "engine/exec/mixed_dense.h"
#include "engine/exec/mixed_hash.h"
#include "engine/exec/mixed_rows.h"
#include "engine/exec/mixed_run.h"
#include "engine/exec/partition_rows.h"
#include "engine/exec/pipeline_run.h"
#include "engine/exec/sort_run.h"
#include "engine/exec/state/row_buffer.h"
#include "engine/exec/state/row_conversion.h"

// The part of a PipelineRun that brings its rows to a sink of each kind, on whatever device.
namespace shadowvm::exec {
namespace {

using base::Span;
using base::Stage;
using schedule::Mode;

// A GPU's rows cross the link and are put in order again by one thread: more than this, and the CPU
// had better find them itself, unless it is told not to.
constexpr int64_t kMostRowsBack = int64_t{256} << 10;

// Rows after which a limit has all it wants.
int64_t RowsWanted(const plan::LimitNode& node) {
  return node.count > INT64_MAX - node.offset ? INT64_MAX : node.offset + node.count;
}

// As kernels are told of them: two numbers a key.
std::vector<int64_t> OriginsOf(std::span<const DenseKey> keys) {
  std::vector<int64_t> origins;
  for (const DenseKey& key : keys) {
    origins.push_back(key.origin);
    origins.push_back(key.null_code);
  }
  return origins;
}

// 'others' keep alive what strings of a GPU's rows point to, if anything.
RowSet WithKeepers(RowSet rows, const KernelRun& run, Keeper others = nullptr) {
  for (Keeper& keeper : run.keepers()) rows.keepers.push_back(std::move(keeper));
  if (others != nullptr) rows.keepers.push_back(std::move(others));
  return rows;
}

}  // namespace

base::Result<RowSet> PipelineRun::FillSink() {
  switch (pipeline_.sink) {
    case plan::SinkKind::kAggregate: {
      const auto& node = plan::As<plan::AggregateNode>(*pipeline_.node);
      return grouping_.form == vkernel::SinkForm::kHashGroups ? RunHash(node) : RunDense(node);
    }
    case plan::SinkKind::kSort:
    case plan::SinkKind::kTopN:
      return RunSorted();
    case plan::SinkKind::kLimit:
      return RunLimit();
    default:
      return RunCollect(INT64_MAX);
  }
}

std::vector<RowColumn> PipelineRun::OutputColumns() const {
  std::vector<RowColumn> columns;
  for (const vkernel::OutputColumn& output : blueprint_.sink.outputs) {
    columns.push_back(RowColumnOf(blueprint_, *output.value, output.nullable, source_, joins_));
  }
  return columns;
}

base::Result<RowSet> PipelineRun::RunCollect(int64_t enough) {
  KernelRun run(context_, *text_, std::move(kernel_), binding_.get());
  if (mode_ == Mode::kCpu) return CollectOnCpu(&run, enough);
  CollectSink::Options options;
  // Nobody asks for the order of a build side's rows.
  options.in_order = pipeline_.sink != plan::SinkKind::kBuild;
  if (context_.mode != Mode::kGpu) options.most_rows = kMostRowsBack;
  if (mode_ == Mode::kMixed) options.launch_rows = MixedRun::kMostBatchRows;
  CollectSink card(context_.budget, OutputColumns(), options);
  if (mode_ == Mode::kMixed) {
    MixedRows both(context_.budget, context_.workers, OutputColumns(), &card);
    SVM_RETURN_NOT_OK(RunMixed(&run, &both));
    const Span span(&context_.stats->spans, Stage::kMerge);
    SVM_ASSIGN_OR_RETURN(RowSet rows, both.TakeRows());
    return WithKeepers(std::move(rows), run);
  }
  SVM_ASSIGN_OR_RETURN(const bool done, TryGpu(&run, &card));
  if (!done) return CollectOnCpu(&run, enough);
  SVM_ASSIGN_OR_RETURN(CollectSink::Found found, card.TakeFound());
  SVM_ASSIGN_OR_RETURN(RowSet rows,
                       InSourceOrder(std::move(found), context_.budget, context_.workers));
  return WithKeepers(std::move(rows), run);
}

base::Result<RowSet> PipelineRun::CollectOnCpu(KernelRun* run, int64_t enough) {
  // Rows of an earlier pipeline may be sorted: the first ones are those of the first partitions,
  // not those that are done first.
  if (pipeline_.source.scan == nullptr) enough = INT64_MAX;
  std::vector<std::unique_ptr<RowBuffer>> buffers;
  for (int i = 0; i < context_.workers.count(); ++i) {
    buffers.push_back(std::make_unique<RowBuffer>(context_.budget, OutputColumns()));
  }
  PartitionRows found(context_.workers.count());
  const base::Status status = run->Run(
      [&](int worker, kernels::KernelCall* call) {
        call->output = buffers[worker].get();
        return base::Status::OK();
      },
      [&](int worker, const schedule::Partition& partition) {
        return found.Add(worker, partition, buffers[worker]->num_rows()) >= enough;
      });
  for (const auto& buffer : buffers) SVM_RETURN_NOT_OK(buffer->status());
  SVM_RETURN_NOT_OK(status);
  reads_files_ = run->reads_files();
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_FAULT_POINT("exec.collect.merge");
  SVM_ASSIGN_OR_RETURN(RowSet rows,
                       Concatenate(buffers, found.InOrder(), context_.budget, context_.workers));
  return WithKeepers(std::move(rows), *run);
}

base::Status PipelineRun::AddGroupCodes() {
  if (has_group_codes_) return base::Status::OK();
  for (const Grouping::JoinCodes& codes : grouping_.join_codes) {
    SVM_RETURN_NOT_OK(joins_[codes.join].AddCodes(context_, codes.columns, *codes.codes));
  }
  binding_->RefreshJoins();
  has_group_codes_ = true;
  return base::Status::OK();
}

PipelineRun::Dense::Dense(const QueryContext& context, const Grouping& grouping,
                          AggregateStates of_node)
    : states(std::move(of_node)),
      origins(OriginsOf(grouping.dense_keys)),
      groups(context.budget, {grouping.dense_keys, states.accumulators, 0},
             context.workers.count()),
      sink(context.budget, groups.num_slots(), states.accumulators, groups.strides(), origins) {}

base::Result<RowSet> PipelineRun::RunDense(const plan::AggregateNode& node) {
  SVM_RETURN_NOT_OK(AddGroupCodes());
  if (!dense_) dense_.emplace(context_, grouping_, MakeAggregateStates(node, blueprint_.sink));
  DenseGroups& groups = dense_->groups;
  KernelRun run(context_, *text_, std::move(kernel_), binding_.get());
  bool done = false;
  Keeper strings;
  if (mode_ == Mode::kMixed) {
    MixedDense both(&groups, dense_->sink);
    SVM_RETURN_NOT_OK(RunMixed(&run, &both));
    strings = both.TakeKeeper();
    done = true;
  } else if (mode_ == Mode::kGpu) {
    SVM_ASSIGN_OR_RETURN(done, TryGpu(&run, &dense_->sink));
    if (auto found = dense_->sink.TakeFound(); done) groups.AddArray(std::move(found));
    strings = dense_->sink.TakeArena();
  }
  if (!done) {
    SVM_RETURN_NOT_OK(run.Run([&](int worker, kernels::KernelCall* call) -> base::Status {
      SVM_ASSIGN_OR_RETURN(call->dense, groups.Slots(worker));
      call->strides = groups.strides().data();
      call->origins = dense_->origins.data();
      return base::Status::OK();
    }));
    reads_files_ = run.reads_files();
  }
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_RETURN_NOT_OK(groups.Merge(context_.workers));
  SVM_ASSIGN_OR_RETURN(RowSet rows, EmitDense());
  groups.Reset();
  return WithKeepers(std::move(rows), run, std::move(strings));
}

bool PipelineRun::OrdersSlots() const {
  const auto is_key = [&](const SortColumn& by) {
    return by.column < static_cast<int>(grouping_.key_columns.size());
  };
  return !wanted_order_.empty() && dense_->groups.num_slots() <= DenseGroups::kMaxOrderedSlots &&
         std::all_of(wanted_order_.begin(), wanted_order_.end(), is_key);
}

base::Result<RowSet> PipelineRun::EmitDense() {
  const DenseGroups& groups = dense_->groups;
  if (!OrdersSlots()) return groups.Emit(grouping_.key_columns, dense_->states.outputs);
  if (!dense_->order) {
    SVM_ASSIGN_OR_RETURN(dense_->order,
                         groups.OrderSlots(grouping_.key_columns, wanted_order_, context_.workers));
    output_.order = wanted_order_;
  }
  return groups.EmitInOrder(*dense_->order, dense_->states.outputs, context_.workers);
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
  const std::vector<HashKeyColumn> keys = HashKeyColumns();
  auto groups = std::make_shared<HashGroups>(context_.budget, states.accumulators,
                                             blueprint_.sink.key_words, context_.workers.count());
  binding_->set_key_interner(groups->interner());
  KernelRun run(context_, *text_, std::move(kernel_), binding_.get());
  std::optional<HashSink> card;
  if (mode_ != Mode::kCpu) {
    HashSink::Options options{states.accumulators, blueprint_.sink.key_words, keys,
                              groups->interner(), context_.gpu->arena().cap() / 4};
    if (mode_ == Mode::kMixed) options.most_bytes /= schedule::kBatchesHeld;
    card.emplace(context_.budget, std::move(options));
  }
  if (mode_ == Mode::kGpu) {
    SVM_ASSIGN_OR_RETURN(const bool done, TryGpu(&run, &*card));
    if (done) {
      const Span span(&context_.stats->spans, Stage::kMerge);
      const HashSink::Found found = card->TakeFound();
      SVM_ASSIGN_OR_RETURN(RowSet rows, groups->EmitRows(found.words(), keys, states.outputs,
                                                         groups, context_.workers));
      return WithKeepers(std::move(rows), run, card->arena());
    }
  }
  if (mode_ == Mode::kMixed) {
    MixedHash both(groups.get(), &*card, context_.workers.count());
    SVM_RETURN_NOT_OK(RunMixed(&run, &both));
  } else {
    SVM_RETURN_NOT_OK(HashOnCpu(&run, groups.get()));
  }
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_RETURN_NOT_OK(groups->Merge(context_.workers));
  SVM_ASSIGN_OR_RETURN(RowSet rows, groups->Emit(keys, states.outputs, groups, context_.workers));
  return WithKeepers(std::move(rows), run, card ? card->arena() : nullptr);
}

base::Status PipelineRun::HashOnCpu(KernelRun* run, HashGroups* groups) {
  const base::Status status = run->Run([&](int worker, kernels::KernelCall* call) {
    call->groups = groups->worker(worker);
    return base::Status::OK();
  });
  for (int i = 0; i < context_.workers.count(); ++i) {
    SVM_RETURN_NOT_OK(groups->worker(i)->status());
  }
  reads_files_ = run->reads_files();
  return status;
}

base::Result<RowSet> PipelineRun::RunSorted() {
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunCollect(INT64_MAX));
  SVM_ASSIGN_OR_RETURN(rows, SortRows(context_, sort_, std::move(rows)));
  return KeepColumns(std::move(rows), KeptBy(*pipeline_.node));
}

base::Result<RowSet> PipelineRun::RunLimit() {
  const auto& node = plan::As<plan::LimitNode>(*pipeline_.node);
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunCollect(RowsWanted(node)));
  SVM_ASSIGN_OR_RETURN(
      rows, Slice(std::move(rows), node.offset, node.count, context_.budget, context_.workers));
  return KeepColumns(std::move(rows), node.kept);
}

}  // namespace shadowvm::exec
