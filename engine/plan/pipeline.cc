// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/pipeline.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace shadowvm::plan {
namespace {

// Nodes come after their inputs, so one pass does it: a node either lengthens the open pipeline of
// its input or closes it. Ids are given when a pipeline closes, hence dependencies come first.
class Cutter {
 public:
  explicit Cutter(const Plan& plan) : plan_(plan) {
    for (const auto& node : plan.nodes()) {
      for (const ActionNode* input : node->inputs) ++num_consumers_[input];
    }
  }

  std::vector<Pipeline> Run() {
    for (const auto& node : plan_.nodes()) Visit(*node);
    return std::move(done_);
  }

 private:
  void Visit(const ActionNode& node) {
    switch (node.kind) {
      case ActionKind::kScan:
        break;
      case ActionKind::kFilter:
        Lengthen(node, {.kind = StepKind::kFilter, .filter = &As<FilterNode>(node)});
        break;
      case ActionKind::kMap:
        Lengthen(node, {.kind = StepKind::kMap, .map = &As<MapNode>(node)});
        break;
      case ActionKind::kJoin:
        VisitJoin(As<JoinNode>(node));
        break;
      case ActionKind::kAggregate:
        Block(node, SinkKind::kAggregate);
        break;
      case ActionKind::kSort:
        Block(node, SinkKind::kSort);
        break;
      case ActionKind::kLimit:
        Block(node, SinkKind::kLimit);
        break;
      case ActionKind::kTopN:
        Block(node, SinkKind::kTopN);
        break;
      case ActionKind::kSink:
        Block(node, As<SinkNode>(node).target == SinkTarget::kCollect ? SinkKind::kCollect
                                                                      : SinkKind::kParquet);
        break;
    }
  }

  void VisitJoin(const JoinNode& join) {
    const int build = Close(Take(join.right()), SinkKind::kBuild, join, join.right());
    Lengthen(join, {.kind = StepKind::kProbe, .join = &join, .build = build});
  }

  // The pipeline that delivers a node's rows, to go on with.
  Pipeline Take(const ActionNode& node) {
    Pipeline pipeline;
    if (node.kind == ActionKind::kScan) {
      pipeline.source.scan = &As<ScanNode>(node);
      return pipeline;
    }
    if (const auto result = results_.find(&node); result != results_.end()) {
      pipeline.source.pipeline = result->second;
      return pipeline;
    }
    return std::move(open_.at(&node));
  }

  void Lengthen(const ActionNode& node, Step step) {
    Pipeline pipeline = Take(node.input());
    pipeline.steps.push_back(step);
    if (num_consumers_[&node] > 1) {
      results_[&node] = Close(std::move(pipeline), SinkKind::kMaterialize, node, node);
    } else {
      open_[&node] = std::move(pipeline);
    }
  }

  void Block(const ActionNode& node, SinkKind sink) {
    results_[&node] = Close(Take(node.input()), sink, node, node.input());
  }

  int Close(Pipeline pipeline, SinkKind sink, const ActionNode& node, const ActionNode& input) {
    pipeline.id = static_cast<int>(done_.size());
    pipeline.sink = sink;
    pipeline.node = &node;
    pipeline.input = &input;
    if (pipeline.source.scan == nullptr) pipeline.depends_on.push_back(pipeline.source.pipeline);
    for (const Step& step : pipeline.steps) {
      if (step.kind == StepKind::kProbe) pipeline.depends_on.push_back(step.build);
    }
    std::sort(pipeline.depends_on.begin(), pipeline.depends_on.end());
    done_.push_back(std::move(pipeline));
    return done_.back().id;
  }

  const Plan& plan_;
  std::unordered_map<const ActionNode*, int> num_consumers_;
  std::unordered_map<const ActionNode*, Pipeline> open_;
  std::unordered_map<const ActionNode*, int> results_;  // the pipeline that holds a node's rows
  std::vector<Pipeline> done_;
};

std::string Named(std::string_view what, const ActionNode& node) {
  return std::string(what) + " " + std::to_string(node.id);
}

std::string SourceText(const Source& source) {
  if (source.scan != nullptr) return "scan " + source.scan->source.name();
  return "pipeline " + std::to_string(source.pipeline);
}

std::string StepText(const Step& step) {
  switch (step.kind) {
    case StepKind::kFilter:
      return Named("filter", step.node());
    case StepKind::kMap:
      return Named("map", step.node());
    case StepKind::kProbe:
      return Named("probe", step.node()) + " of pipeline " + std::to_string(step.build);
  }
  return {};
}

}  // namespace

const ActionNode& Step::node() const {
  if (kind == StepKind::kFilter) return *filter;
  if (kind == StepKind::kMap) return *map;
  return *join;
}

std::string_view NameOf(SinkKind kind) {
  switch (kind) {
    case SinkKind::kBuild:
      return "build";
    case SinkKind::kAggregate:
      return "aggregate";
    case SinkKind::kSort:
      return "sort";
    case SinkKind::kTopN:
      return "top_n";
    case SinkKind::kLimit:
      return "limit";
    case SinkKind::kMaterialize:
      return "materialize";
    case SinkKind::kCollect:
      return "collect";
    case SinkKind::kParquet:
      return "parquet";
  }
  return "unknown";
}

std::vector<Pipeline> CutIntoPipelines(const Plan& plan) { return Cutter(plan).Run(); }

std::vector<uint32_t> ActionsOf(const Pipeline& pipeline) {
  std::vector<uint32_t> actions;
  const auto add = [&](const ActionNode& node) {
    if (std::find(actions.begin(), actions.end(), node.id) == actions.end()) {
      actions.push_back(node.id);
    }
  };
  if (pipeline.source.scan != nullptr) add(*pipeline.source.scan);
  for (const Step& step : pipeline.steps) add(step.node());
  if (pipeline.sink != SinkKind::kBuild) add(*pipeline.node);
  return actions;
}

std::string Describe(const Pipeline& pipeline) {
  std::string text = SourceText(pipeline.source);
  for (const Step& step : pipeline.steps) text += " | " + StepText(step);
  return text + " | " + Named(NameOf(pipeline.sink), *pipeline.node);
}

std::string Describe(const std::vector<Pipeline>& pipelines) {
  std::string text;
  for (const Pipeline& pipeline : pipelines) {
    text += std::to_string(pipeline.id) + ": " + Describe(pipeline) + "\n";
  }
  return text;
}

}  // namespace shadowvm::plan
