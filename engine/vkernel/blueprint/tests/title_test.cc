// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/blueprint/title.h"

#include <gtest/gtest.h>

namespace shadowvm::vkernel {
namespace {

const columns::Type kInt = columns::Type::Of(columns::TypeKind::kInt32);

plan::ExpressionPtr Column(int ordinal) { return plan::MakeColumn(ordinal, kInt, false); }
plan::ExpressionPtr Literal(int value) {
  return plan::MakeLiteral(kInt, plan::Literal::Integer(value));
}

OutputColumn Output(std::string name, plan::ExpressionPtr value) {
  return {std::move(name), std::move(value), kInt, false, RowKind::kValue};
}

Join Named(std::string name, plan::JoinKind kind) {
  Join join;
  join.name = std::move(name);
  join.kind = kind;
  return join;
}

Blueprint WithColumns(int count) {
  Blueprint blueprint;
  for (int i = 0; i < count; ++i) {
    blueprint.columns.push_back({i, "c" + std::to_string(i), kInt, {}});
    blueprint.inputs.push_back({false, i});
  }
  return blueprint;
}

TEST(Title, JoinsAndGroups) {
  Blueprint blueprint = WithColumns(1);
  blueprint.joins.push_back(Named("part", plan::JoinKind::kInner));
  blueprint.joins.push_back(Named("date", plan::JoinKind::kLeftAnti));
  blueprint.payloads.push_back({0, 0, "brand", kInt});
  blueprint.inputs.push_back({true, 0});
  blueprint.sink.form = SinkForm::kDenseGroups;
  EXPECT_EQ(MakeTitle(blueprint, "lineorder", {Column(0), Column(1)}),
            "lineorder: part, not date; groups by c0, brand");
  blueprint.sink.form = SinkForm::kSingleGroup;
  EXPECT_EQ(MakeTitle(blueprint, "lineorder", {}), "lineorder: part, not date; one group");
}

TEST(Title, ComputedValuesAreCountedNotWritten) {
  Blueprint blueprint = WithColumns(1);
  blueprint.sink.outputs.push_back(Output("(c0 + 12345)", Literal(12345)));
  EXPECT_EQ(MakeTitle(blueprint, "t", {}), "t; collects 1 computed");
  blueprint.sink.outputs.push_back(Output("x", Column(0)));
  EXPECT_EQ(MakeTitle(blueprint, "t", {}), "t; collects c0 and 1 computed");
}

TEST(Title, LongListsAreCut) {
  Blueprint blueprint = WithColumns(9);
  for (int i = 0; i < 9; ++i) blueprint.sink.outputs.push_back(Output("x", Column(i)));
  EXPECT_EQ(MakeTitle(blueprint, "t", {}), "t; collects c0, c1, c2, c3, c4 and 4 more");
}

// A title is written into a comment of generated code: no name may end it.
TEST(Title, NamesCannotLeaveTheComment) {
  Blueprint blueprint = WithColumns(0);
  EXPECT_EQ(MakeTitle(blueprint, "a\nint b; /* c */ \\", {}), "a_int b_ /_ c _/ _; counts rows");
}

}  // namespace
}  // namespace shadowvm::vkernel
