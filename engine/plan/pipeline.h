// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/plan.h"

namespace shadowvm::plan {

// Where a pipeline's rows come from: a scan, or the result of an earlier pipeline.
struct Source {
  const ScanNode* scan = nullptr;  // null: 'pipeline' is meant
  int pipeline = -1;
};

enum class StepKind : uint8_t { kFilter, kMap, kProbe };

// One action that rows pass through without stopping. Each step changes the row as its node says
// (kept, expressions); the first step sees the source's output.
struct Step {
  StepKind kind = StepKind::kFilter;
  const FilterNode* filter = nullptr;
  const MapNode* map = nullptr;
  const JoinNode* join = nullptr;  // kProbe: rows are the left side
  int build = -1;                  // kProbe: the pipeline that built the right side

  const ActionNode& node() const;
};

enum class SinkKind : uint8_t {
  kBuild,      // hash table or set for 'node', a join; rows are its right input
  kAggregate,  // groups
  kSort,
  kTopN,
  kLimit,
  kMaterialize,  // rows kept for several readers; 'node' is the last action of the pipeline
  kCollect,
  kParquet,
};
std::string_view NameOf(SinkKind kind);

// A run of actions up to a blocking one. The rows that reach the sink are those of 'input'; the
// result has the schema of 'node' (kBuild: of the join's right input).
struct Pipeline {
  int id = 0;  // its place in the vector
  Source source;
  std::vector<Step> steps;
  SinkKind sink = SinkKind::kCollect;
  const ActionNode* node = nullptr;  // the sink's action
  const ActionNode* input =
      nullptr;                  // the last action before the sink: its output is what arrives there
  std::vector<int> depends_on;  // pipelines that must be done before: source and builds, ascending
};

// Cuts a plan at its blocking actions. Dependencies come first; the last pipeline is the root's. An
// action (other than a scan) that feeds several consumers is computed once, in a pipeline of its
// own; a scan is simply scanned by each. The plan must outlive the pipelines.
std::vector<Pipeline> CutIntoPipelines(const Plan& plan);

// The ids of a pipeline's actions, in the order rows meet them. A join belongs to the pipeline that
// probes.
std::vector<uint32_t> ActionsOf(const Pipeline& pipeline);

// "scan supplier | filter 2 | build 5".
std::string Describe(const Pipeline& pipeline);
// One line per pipeline: "0: scan supplier | filter 2 | build 5".
std::string Describe(const std::vector<Pipeline>& pipelines);

}  // namespace shadowvm::plan
