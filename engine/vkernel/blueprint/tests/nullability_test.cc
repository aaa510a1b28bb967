// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/blueprint/nullability.h"

#include <gtest/gtest.h>

namespace shadowvm::vkernel {
namespace {

using columns::Type;
using columns::TypeKind;
using plan::EvalMode;
using plan::ExpressionPtr;
using plan::MakeNode;
using plan::Op;

const Type kBool = Type::Of(TypeKind::kBool);
const Type kInt = Type::Of(TypeKind::kInt32);
const Type kLong = Type::Of(TypeKind::kInt64);

// Column 0 holds no null, column 1 may. What expressions say of themselves is not asked.
ExpressionPtr Solid() { return plan::MakeColumn(0, kInt, true); }
ExpressionPtr Maybe() { return plan::MakeColumn(1, kInt, true); }
ExpressionPtr One() { return plan::MakeLiteral(kInt, plan::Literal::Integer(1)); }
ExpressionPtr Null() { return plan::MakeLiteral(kInt, plan::Literal::Null()); }

ExpressionPtr Node(Op op, Type type, std::vector<ExpressionPtr> args,
                   EvalMode mode = EvalMode::kLegacy) {
  return MakeNode(op, type, true, std::move(args), mode);
}
ExpressionPtr Is(Op op, ExpressionPtr left, ExpressionPtr right) {
  return Node(op, kBool, {std::move(left), std::move(right)});
}

Blueprint TwoColumns() {
  Blueprint blueprint;
  blueprint.columns.push_back({0, "solid", kInt, {columns::Encoding::kFrame, 4, false}});
  blueprint.columns.push_back({1, "maybe", kInt, {columns::Encoding::kFrame, 4, true}});
  blueprint.inputs = {{false, 0}, {false, 1}};
  return blueprint;
}

bool MayBeNull(const ExpressionPtr& expression) {
  return vkernel::MayBeNull(*expression, TwoColumns());
}

TEST(Nullability, FollowsFromTheLayout) {
  EXPECT_FALSE(MayBeNull(Solid()));
  EXPECT_TRUE(MayBeNull(Maybe()));
  EXPECT_FALSE(MayBeNull(One()));
  EXPECT_TRUE(MayBeNull(Null()));
  EXPECT_FALSE(MayBeNull(Is(Op::kLess, Solid(), One())));
  EXPECT_TRUE(MayBeNull(Is(Op::kLess, Solid(), Maybe())));
}

TEST(Nullability, OperationsWithoutAResult) {
  EXPECT_FALSE(MayBeNull(Node(Op::kAdd, kInt, {Solid(), One()})));
  EXPECT_TRUE(MayBeNull(Node(Op::kAdd, kInt, {Solid(), One()}, EvalMode::kTry)));
  EXPECT_TRUE(MayBeNull(Node(Op::kModulo, kInt, {Solid(), One()})));
  EXPECT_FALSE(MayBeNull(Node(Op::kCast, kLong, {Solid()}, EvalMode::kTry)));
  EXPECT_TRUE(MayBeNull(Node(Op::kCast, Type::Of(TypeKind::kInt8), {Solid()}, EvalMode::kTry)));
  EXPECT_TRUE(MayBeNull(Node(Op::kCast, Type::Decimal(3, 0), {Solid()})));
}

TEST(Nullability, TestsAndChoices) {
  EXPECT_FALSE(MayBeNull(Node(Op::kIsNull, kBool, {Maybe()})));
  EXPECT_FALSE(MayBeNull(Is(Op::kEqualNullSafe, Maybe(), Null())));
  EXPECT_FALSE(MayBeNull(Node(Op::kCoalesce, kInt, {Maybe(), One()})));
  EXPECT_TRUE(MayBeNull(Node(Op::kCoalesce, kInt, {Maybe(), Maybe()})));
  const ExpressionPtr when = Is(Op::kLess, Maybe(), One());
  EXPECT_FALSE(MayBeNull(Node(Op::kCase, kInt, {when, Solid(), One()})));
  EXPECT_TRUE(MayBeNull(Node(Op::kCase, kInt, {when, Maybe(), One()})));
  EXPECT_TRUE(MayBeNull(Node(Op::kCase, kInt, {when, Solid(), Null()})));
}

TEST(Nullability, ConditionsThatRejectNull) {
  const ExpressionPtr strict = Is(Op::kLess, Maybe(), One());
  const ExpressionPtr other = Is(Op::kLess, Solid(), One());
  const ExpressionPtr is_null = Node(Op::kIsNull, kBool, {Maybe()});
  EXPECT_TRUE(RejectsNull(*strict, 1));
  EXPECT_FALSE(RejectsNull(*other, 1));
  EXPECT_TRUE(RejectsNull(*Is(Op::kAnd, strict, other), 1));
  EXPECT_FALSE(RejectsNull(*Is(Op::kOr, strict, other), 1));
  EXPECT_TRUE(RejectsNull(*Is(Op::kOr, strict, strict), 1));
  EXPECT_TRUE(RejectsNull(*Node(Op::kNot, kBool, {strict}), 1));
  EXPECT_FALSE(RejectsNull(*Node(Op::kNot, kBool, {Is(Op::kAnd, strict, other)}), 1));
  EXPECT_FALSE(RejectsNull(*is_null, 1));
  EXPECT_TRUE(RejectsNull(*Node(Op::kIsNotNull, kBool, {Maybe()}), 1));
  EXPECT_FALSE(RejectsNull(*Node(Op::kNot, kBool, {Node(Op::kIsNotNull, kBool, {Maybe()})}), 1));
  EXPECT_FALSE(RejectsNull(*Is(Op::kEqualNullSafe, Maybe(), One()), 1));
}

// A test of a null is not null itself, so what is built on it need not be either.
TEST(Nullability, ConditionsOverTestsOfNull) {
  const ExpressionPtr valid = Node(Op::kIsNotNull, kBool, {Maybe()});
  const ExpressionPtr no = plan::MakeLiteral(kBool, plan::Literal::Integer(0));
  EXPECT_FALSE(RejectsNull(*Is(Op::kEqual, valid, no), 1));
  EXPECT_FALSE(RejectsNull(
      *Node(Op::kNot, kBool, {Node(Op::kNot, kBool, {Node(Op::kNot, kBool, {valid})})}), 1));
}

}  // namespace
}  // namespace shadowvm::vkernel
