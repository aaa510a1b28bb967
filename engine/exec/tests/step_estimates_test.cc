// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/step_estimates.h"

#include <arrow/builder.h>
#include <arrow/table.h>

#include "engine/columns/arrow_import.h"
#include "engine/exec/state/tests/state_test.h"

namespace shadowvm::exec {
namespace {

using plan::Op;
using vkernel::Step;
using vkernel::StepKind;

constexpr int kKey = 0;    // 0 … 99, never null
constexpr int kMaybe = 1;  // the same, or null
constexpr int kWord = 2;   // one of ten words

// Estimates over a table of 100 rows. What a kernel would be called with is made by hand, one step
// each.
class StepEstimatesTest : public StateTest {
 protected:
  StepEstimatesTest() {
    arrow::Int32Builder keys, maybes;
    arrow::StringBuilder words;
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(keys.Append(i).ok());
      EXPECT_TRUE((i == 50 ? maybes.AppendNull() : maybes.Append(i)).ok());
      EXPECT_TRUE(words.Append("word " + std::to_string(i % 10)).ok());
    }
    const auto schema = arrow::schema({arrow::field("key", arrow::int32(), false),
                                       arrow::field("maybe", arrow::int32()),
                                       arrow::field("word", arrow::utf8(), false)});
    const auto table =
        arrow::Table::Make(schema, {*keys.Finish(), *maybes.Finish(), *words.Finish()});
    source_.table = columns::FromArrow("numbers", *table, &budget_).ValueOrDie();
    source_.schema = source_.table->schema();
    source_.ordinals = {kKey, kMaybe, kWord};
    for (int i = 0; i < 3; ++i) {
      const auto layout = source_.table->layout(i).ValueOrDie();
      blueprint_.columns.push_back(
          {i, source_.schema.fields[i].name, source_.schema.fields[i].type, layout});
    }
    blueprint_.levels.resize(1);
    context_.budget = &budget_;
    context_.workers = workers_;
  }

  void AddRange(int column, std::vector<vkernel::RangeSlot::Bound> bounds, int join = -1) {
    Step step{StepKind::kRange, column};
    step.slot = static_cast<int>(blueprint_.ranges.size());
    blueprint_.ranges.push_back({column, join, std::move(bounds)});
    blueprint_.levels[0].steps.push_back(step);
  }
  static vkernel::RangeSlot::Bound Bound(Op op, int64_t value) {
    return {op, plan::Literal::Integer(value)};
  }

  // Probes with a column; the build side holds these keys.
  void AddProbe(int column, const std::vector<int32_t>& keys, JoinShape shape,
                plan::JoinKind kind = plan::JoinKind::kInner) {
    vkernel::Join join;
    join.kind = kind;
    join.key_column = column;
    join.form = shape.kind == JoinShape::Kind::kHash ? vkernel::JoinForm::kHash
                : shape.checked                      ? vkernel::JoinForm::kDirectChecked
                                                     : vkernel::JoinForm::kDirect;
    PreparedJoin prepared;
    prepared.options = {shape, {0}, /*rows=*/false, source_.zone(column)};
    auto rows = Rows({Values<int32_t>(kInt32, keys)}, static_cast<int64_t>(keys.size()));
    prepared.table =
        JoinTable::Build(std::move(rows), prepared.options, &budget_, workers_).ValueOrDie();
    Step step{StepKind::kProbe, column};
    step.join = static_cast<int>(joins_.size());
    blueprint_.levels[0].steps.push_back(step);
    blueprint_.joins.push_back(std::move(join));
    joins_.push_back(std::move(prepared));
  }

  StepEstimate Last() {
    const auto binding =
        PipelineBinding::Make(context_, blueprint_, {}, source_, joins_).ValueOrDie();
    return EstimateSteps(*binding).back();
  }

  static constexpr JoinShape kDirect{JoinShape::Kind::kDirect, false};
  static constexpr JoinShape kHashed{JoinShape::Kind::kHash, true};

  QueryContext context_;
  SourceView source_;
  vkernel::Blueprint blueprint_;
  std::vector<PreparedJoin> joins_;
};

TEST_F(StepEstimatesTest, ARangeKeepsItsShareOfTheZone) {
  AddRange(kKey, {Bound(Op::kGreaterEqual, 90)});
  EXPECT_DOUBLE_EQ(Last().selectivity, 0.1);
  EXPECT_FALSE(Last().redundant);
  EXPECT_FALSE(Last().optional);
  AddRange(kKey, {Bound(Op::kEqual, 7)});
  EXPECT_DOUBLE_EQ(Last().selectivity, 0.01);
  AddRange(kKey, {Bound(Op::kGreater, 60), Bound(Op::kLess, 50)});
  EXPECT_EQ(Last().selectivity, 0);
  AddRange(kKey, {Bound(Op::kGreater, 1000)});
  EXPECT_EQ(Last().selectivity, 0);
}

TEST_F(StepEstimatesTest, ARangeOverAllValuesIsRedundantUnlessItDropsNulls) {
  AddRange(kKey, {Bound(Op::kGreaterEqual, 0), Bound(Op::kLess, 100)});
  EXPECT_TRUE(Last().redundant);
  AddRange(kKey, {Bound(Op::kGreater, 0)});
  EXPECT_FALSE(Last().redundant);
  AddRange(kMaybe, {Bound(Op::kGreaterEqual, 0)});
  EXPECT_FALSE(Last().redundant);
}

TEST_F(StepEstimatesTest, TheRangeOfABuildSideIsOptional) {
  AddProbe(kKey, {10, 29}, kDirect);
  AddRange(kKey, {}, /*join=*/0);
  EXPECT_DOUBLE_EQ(Last().selectivity, 0.2);
  EXPECT_TRUE(Last().optional);
}

TEST_F(StepEstimatesTest, ABuildSideWithoutKeysLetsNothingThrough) {
  AddProbe(kKey, {}, kDirect);
  EXPECT_EQ(Last().selectivity, 0);
  AddRange(kKey, {}, /*join=*/0);
  EXPECT_EQ(Last().selectivity, 0);
}

TEST_F(StepEstimatesTest, ADirectProbeKeepsItsShareOfKeys) {
  AddProbe(kKey, {1, 2, 3, 4, 5}, kDirect);
  EXPECT_DOUBLE_EQ(Last().selectivity, 0.05);
  EXPECT_FALSE(Last().redundant);
  AddProbe(kKey, {1, 2, 3, 4, 5}, kDirect, plan::JoinKind::kLeftAnti);
  EXPECT_DOUBLE_EQ(Last().selectivity, 0.95);
}

TEST_F(StepEstimatesTest, AProbeThatFindsEveryKeyIsRedundantUnlessKeysAreNull) {
  std::vector<int32_t> all;
  for (int i = 0; i < 100; ++i) all.push_back(i);
  AddProbe(kKey, all, kDirect);
  EXPECT_TRUE(Last().redundant);
  AddProbe(kMaybe, all, kDirect);
  EXPECT_FALSE(Last().redundant);
  AddProbe(kKey, all, kDirect, plan::JoinKind::kLeftAnti);
  EXPECT_FALSE(Last().redundant);
}

TEST_F(StepEstimatesTest, AHashProbeCostsMoreThanADirectOne) {
  AddProbe(kKey, {1, 2, 3}, kDirect);
  const double direct = Last().cost;
  AddProbe(kKey, {1, 2, 3}, kHashed);
  EXPECT_GT(Last().cost, direct);
}

TEST_F(StepEstimatesTest, AProbeIsOptionalWhereTheSinkDropsMisses) {
  AddProbe(kKey, {1, 2, 3}, kDirect);
  EXPECT_FALSE(Last().optional);
  vkernel::GroupKey key;
  key.kind = vkernel::GroupKeyKind::kJoinCode;
  key.join = 0;
  blueprint_.sink.keys.push_back(key);
  EXPECT_TRUE(Last().optional);
  // Not where a row without a match could fail the query.
  vkernel::Accumulate sum;
  sum.argument = plan::MakeColumn(kKey, kInt32, false);
  sum.checked = true;
  blueprint_.sink.accumulates.push_back(sum);
  EXPECT_FALSE(Last().optional);
  blueprint_.sink.accumulates.clear();
  EXPECT_TRUE(Last().optional);
  // In a step as well: it sees rows that the probe would have dropped.
  const auto key_value = plan::MakeColumn(kKey, kInt32, false);
  Step division{StepKind::kWhere, kKey};
  division.condition =
      plan::MakeNode(Op::kModulo, kInt32, false, {key_value, key_value}, plan::EvalMode::kAnsi);
  auto& steps = blueprint_.levels[0].steps;
  steps.insert(steps.begin(), division);
  EXPECT_FALSE(Last().optional);
}

TEST_F(StepEstimatesTest, APredicateKeepsItsShareOfTheDictionary) {
  const auto equal = plan::MakeNode(Op::kEqual, columns::Type::Of(columns::TypeKind::kBool), false,
                                    {plan::MakeColumn(0, kString, false),
                                     plan::MakeLiteral(kString, plan::Literal::Text("word 3"))});
  blueprint_.passes.push_back({kWord, equal});
  Step step{StepKind::kPass, kWord};
  step.slot = 0;
  blueprint_.levels[0].steps.push_back(step);
  EXPECT_DOUBLE_EQ(Last().selectivity, 0.1);
}

}  // namespace
}  // namespace shadowvm::exec
