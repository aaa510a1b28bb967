// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/column_trace.h"

#include <gtest/gtest.h>

namespace shadowvm::exec {
namespace {

using columns::Type;
using columns::TypeKind;
using plan::ExpressionPtr;
using plan::MakeColumn;
using plan::MakeNode;
using plan::Op;

const Type kInt32 = Type::Of(TypeKind::kInt32);
const Type kInt64 = Type::Of(TypeKind::kInt64);

ExpressionPtr Int32(int column) { return MakeColumn(column, kInt32, false); }
ExpressionPtr Cast(ExpressionPtr value, Type type) {
  return MakeNode(Op::kCast, type, false, {std::move(value)});
}

// A pipeline over a source of three int32 columns.
class ColumnTrace : public testing::Test {
 protected:
  ColumnTrace() : filter_(1), map_(2), scan_(3), join_(4) {
    filter_.kept = {2, 0};
    map_.expressions = {{"sum", MakeNode(Op::kAdd, kInt32, false, {Int32(0), Int32(1)})},
                        {"wide", Cast(Int32(0), kInt64)},
                        {"same", Int32(1)}};
    for (int i = 0; i < 3; ++i) scan_.output.fields.push_back({"c", kInt32, false});
    join_.inputs = {&scan_, &scan_};
    join_.kept = {1, 2, 4};
  }

  void Add(plan::StepKind kind) {
    pipeline_.steps.push_back(
        {.kind = kind, .filter = &filter_, .map = &map_, .join = &join_, .build = 0});
  }
  int Trace(const ExpressionPtr& expression) {
    return TraceColumn(pipeline_, 3, pipeline_.steps.size(), *expression);
  }

  plan::FilterNode filter_;
  plan::MapNode map_;
  plan::ScanNode scan_;
  plan::JoinNode join_;
  plan::Pipeline pipeline_;
};

TEST_F(ColumnTrace, AtTheSource) {
  EXPECT_EQ(Trace(Int32(2)), 2);
  EXPECT_EQ(Trace(Cast(Int32(1), kInt64)), 1);
  EXPECT_EQ(Trace(Cast(Cast(Int32(1), kInt64), kInt64)), 1);
}

TEST_F(ColumnTrace, CastsThatChangeValuesEndIt) {
  EXPECT_EQ(Trace(Cast(Int32(1), Type::Of(TypeKind::kInt16))), -1);
  EXPECT_EQ(Trace(Cast(Int32(1), Type::Of(TypeKind::kDouble))), -1);
  EXPECT_EQ(Trace(Cast(Int32(1), Type::Decimal(10, 0))), -1);
  EXPECT_EQ(Trace(MakeNode(Op::kNegate, kInt32, false, {Int32(0)})), -1);
}

TEST_F(ColumnTrace, ThroughFiltersAndMaps) {
  Add(plan::StepKind::kFilter);
  EXPECT_EQ(Trace(Int32(0)), 2);
  EXPECT_EQ(Trace(Int32(1)), 0);
  Add(plan::StepKind::kMap);
  EXPECT_EQ(Trace(Int32(0)), -1);
  EXPECT_EQ(Trace(Int32(1)), 2);
  EXPECT_EQ(Trace(Int32(2)), 0);
}

TEST_F(ColumnTrace, StopsAtTheStepAsked) {
  Add(plan::StepKind::kFilter);
  EXPECT_EQ(TraceColumn(pipeline_, 3, 0, *Int32(0)), 0);
  EXPECT_EQ(TraceColumn(pipeline_, 3, 1, *Int32(0)), 2);
}

TEST_F(ColumnTrace, ColumnsOfTheBuildSideAreNotOfTheSource) {
  Add(plan::StepKind::kProbe);
  EXPECT_EQ(Trace(Int32(0)), 1);
  EXPECT_EQ(Trace(Int32(1)), 2);
  EXPECT_EQ(Trace(Int32(2)), -1);
}

TEST_F(ColumnTrace, SemiJoinsKeepTheLeftSideOnly) {
  join_.join_kind = plan::JoinKind::kLeftSemi;
  join_.kept = {2, 1};
  Add(plan::StepKind::kProbe);
  EXPECT_EQ(Trace(Int32(0)), 2);
  EXPECT_EQ(Trace(Int32(1)), 1);
}

}  // namespace
}  // namespace shadowvm::exec
