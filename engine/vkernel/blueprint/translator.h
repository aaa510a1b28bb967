// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/plan/pipeline.h"
#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::vkernel {

// What must be known of a pipeline's source before its kernel can be written.
struct SourceFacts {
  std::string name;           // "lineorder"
  std::vector<int> ordinals;  // per column of the pipeline's rows: its ordinal in the source
  std::vector<columns::Layout> layouts;  // likewise
  columns::Schema schema;                // likewise
};

// What must be known of a finished build side.
struct BuildFacts {
  std::string name;
  JoinForm form = JoinForm::kHash;
  bool unique = true;
  std::vector<RowKind> kinds;  // per column of the build rows
  std::vector<bool> nullable;  // likewise
};

// Where a group key comes from, for the choice between dense and hash groups.
struct KeyOrigin {
  enum Kind { kColumn, kPayload, kOther } kind = kOther;
  int column = -1;   // kColumn: of Blueprint::columns
  int join = -1;     // kPayload: of Blueprint::joins
  int payload = -1;  // kPayload: the column of the join's build rows
};

// Turns a pipeline into a blueprint, one action at a time: filters become steps, maps are inlined,
// joins become probes or expansions. The sink is added last, when its form is known.
class PipelineTranslator {
 public:
  // 'builds' has one entry per probe step of the pipeline, in order.
  PipelineTranslator(const plan::Pipeline& pipeline, SourceFacts source,
                     std::vector<BuildFacts> builds);

  // The columns of the source that are needed, and the steps. Call once, first.
  base::Status TranslateSteps();

  // Steps and joins as far as they are translated.
  const Blueprint& blueprint() const { return blueprint_; }
  std::vector<KeyOrigin> OriginsOf(const plan::AggregateNode& node) const;

  // Exactly one of these, then Take().
  // 'extra' are further columns, computed over the same rows: keys of a build side or of a sort.
  base::Status AddCollectSink(const columns::Schema& schema,
                              const std::vector<plan::ExpressionPtr>& extra = {});
  base::Status AddAggregateSink(const plan::AggregateNode& node, SinkForm form,
                                std::vector<GroupKey> dense_keys);
  Blueprint Take();

 private:
  void MarkUse();
  void MarkUse(const plan::ExpressionPtr& expression);
  void TranslateFilter(const plan::FilterNode& node);
  void TranslateConjunct(const plan::ExpressionPtr& conjunct);
  void TranslateMap(const plan::MapNode& node);
  base::Status TranslateJoin(const plan::JoinNode& node, const BuildFacts& facts);
  void AddPayloads(const plan::JoinNode& node, int join, const BuildFacts& facts);
  void ChooseKeyColumn(Join* join);
  void AddTranslations(Join* join);
  void AddKeyRange(int join);

  bool TryRange(const plan::Expression& conjunct);
  bool TryPass(const plan::ExpressionPtr& conjunct);
  bool TryNullTest(const plan::Expression& conjunct);
  void AddStep(Step step, const std::vector<plan::ExpressionPtr>& reads);
  // The source column an expression is as it is, through casts that do not change an integer; or
  // -1.
  int PlainColumn(const plan::Expression& expression) const;

  plan::ExpressionPtr Resolve(const plan::ExpressionPtr& expression) const;
  int UseColumn(int position);
  std::string UniqueName(std::string name);
  OutputColumn MakeOutput(const columns::Field& field, plan::ExpressionPtr value) const;
  bool IsNullable(const plan::Expression& expression) const;

  const plan::Pipeline& pipeline_;
  SourceFacts source_;
  std::vector<BuildFacts> builds_;
  Blueprint blueprint_;
  std::vector<plan::ExpressionPtr> scope_;       // the row's columns at this point, over inputs
  std::vector<plan::ExpressionPtr> group_keys_;  // of the sink, over inputs
  std::set<std::string> names_;
};

}  // namespace shadowvm::vkernel
