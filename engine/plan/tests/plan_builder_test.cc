// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/plan_builder.h"

#include <functional>
#include <limits>

#include "engine/plan/tests/plan_fixture.h"

namespace shadowvm::plan {
namespace {

using base::CodeOf;
using base::ErrorCode;
using client::Col;
using client::Lit;
using client::On;

struct BadCase {
  std::string what;
  std::function<void(v1::Command*)> spoil;
  ErrorCode code;
  std::string message;  // part of it
};

// A command of four actions: 1 scan lineorder, 2 scan date, 3 join, 4 filter.
v1::Command GoodCommand() {
  return TableNamed("lineorder")
      .Join(TableNamed("date"), {On("lo_orderdate", "d_datekey")})
      .Filter(Col("d_year") == 1993)
      .ToCommand();
}

v1::Action* ActionOf(v1::Command* command, int id) { return command->mutable_actions(id - 1); }

base::Status StatusOf(const v1::Command& command) {
  SchemaCatalog catalog;
  return BuildPlan(command, &catalog).status();
}

TEST(PlanBuilderTest, BadCommandsNameWhatIsWrong) {
  const std::vector<BadCase> cases = {
      {"version", [](v1::Command* c) { c->set_protocol_version(2); }, ErrorCode::kProtocolVersion,
       "version 2"},
      {"nothing", [](v1::Command* c) { c->clear_actions(); }, ErrorCode::kBadCommand, "no actions"},
      {"root", [](v1::Command* c) { c->set_root(99); }, ErrorCode::kBadCommand, "no action 99"},
      {"double id", [](v1::Command* c) { ActionOf(c, 2)->set_id(1); }, ErrorCode::kBadCommand,
       "two actions"},
      {"unreachable", [](v1::Command* c) { c->set_root(3); }, ErrorCode::kBadCommand,
       "does not need"},
      {"cycle", [](v1::Command* c) { ActionOf(c, 3)->set_inputs(1, 4); }, ErrorCode::kBadCommand,
       "cycle"},
      {"inputs", [](v1::Command* c) { ActionOf(c, 4)->add_inputs(1); }, ErrorCode::kBadCommand,
       "takes 1 inputs, not 2"},
      {"no input", [](v1::Command* c) { ActionOf(c, 4)->set_inputs(0, 77); },
       ErrorCode::kBadCommand, "no action 77"},
      {"kind", [](v1::Command* c) { ActionOf(c, 4)->clear_kind(); }, ErrorCode::kUnsupported,
       "action 4"},
      {"no source", [](v1::Command* c) { ActionOf(c, 1)->mutable_scan()->clear_source(); },
       ErrorCode::kBadCommand, "action 1 (scan)"},
      {"no table", [](v1::Command* c) { ActionOf(c, 1)->mutable_scan()->set_table("orders"); },
       ErrorCode::kFileMissing, "orders"},
      {"scan column",
       [](v1::Command* c) { ActionOf(c, 1)->mutable_scan()->add_columns("lo_revenu"); },
       ErrorCode::kUnknownColumn, "lo_revenu (did you mean lo_revenue?)"},
      {"no keys", [](v1::Command* c) { ActionOf(c, 3)->mutable_join()->clear_left_keys(); },
       ErrorCode::kBadCommand, "0 left and 1 right keys"},
      {"join kind",
       [](v1::Command* c) { ActionOf(c, 3)->mutable_join()->set_kind(v1::JOIN_KIND_UNSPECIFIED); },
       ErrorCode::kUnsupported, "join kind"},
      {"ordinal",
       [](v1::Command* c) {
         ActionOf(c, 3)->mutable_join()->mutable_right_keys(0)->mutable_column()->set_ordinal(3);
       },
       ErrorCode::kUnknownColumn, "right_keys[0]"},
      {"condition",
       [](v1::Command* c) {
         *ActionOf(c, 4)->mutable_filter()->mutable_conditions(0) = Lit(1).proto();
       },
       ErrorCode::kTypeMismatch, "conditions[0] is int32"},
      {"empty expression",
       [](v1::Command* c) { ActionOf(c, 4)->mutable_filter()->add_conditions(); },
       ErrorCode::kBadCommand, "conditions[1]"},
      {"operator",
       [](v1::Command* c) {
         ActionOf(c, 4)->mutable_filter()->mutable_conditions(0)->mutable_call()->set_operator_(
             v1::OPERATOR_UNSPECIFIED);
       },
       ErrorCode::kUnsupported, "operator number 0"},
      {"arity",
       [](v1::Command* c) {
         ActionOf(c, 4)->mutable_filter()->mutable_conditions(0)->mutable_call()->add_args();
       },
       ErrorCode::kBadCommand, "conditions[0]"},
  };
  for (const auto& bad : cases) {
    v1::Command command = GoodCommand();
    ASSERT_TRUE(StatusOf(command).ok());
    bad.spoil(&command);
    const base::Status status = StatusOf(command);
    EXPECT_EQ(CodeOf(status), bad.code) << bad.what << ": " << status.ToString();
    EXPECT_NE(status.message().find(bad.message), std::string::npos) << status.ToString();
  }
}

TEST(PlanBuilderTest, LiteralsMustFitTheirTypes) {
  const auto status_of = [](const client::Expr& literal) {
    return TryBuild(TableNamed("date").Map({{"x", literal}})).status();
  };
  v1::Expression wrong = Lit(300).proto();
  *wrong.mutable_literal()->mutable_type() = client::Int8Type();
  EXPECT_EQ(CodeOf(status_of(client::Expr(wrong))), ErrorCode::kBadCommand);
  EXPECT_EQ(CodeOf(status_of(client::DecimalLit(1000, 3, 0))), ErrorCode::kBadCommand);
  EXPECT_TRUE(status_of(client::DecimalLit(-999, 3, 0)).ok());
  EXPECT_EQ(CodeOf(status_of(client::DecimalLit(std::numeric_limits<__int128>::max(), 38, 0))),
            ErrorCode::kBadCommand);
  wrong = Lit("x").proto();
  *wrong.mutable_literal()->mutable_type() = client::BinaryType();
  EXPECT_EQ(CodeOf(status_of(client::Expr(wrong))), ErrorCode::kBadCommand);
  EXPECT_EQ(CodeOf(status_of(client::NullLit(client::DecimalType(39, 0)))),
            ErrorCode::kUnsupportedType);
  EXPECT_EQ(CodeOf(status_of(client::NullLit(v1::Type()))), ErrorCode::kUnsupportedType);
}

TEST(PlanBuilderTest, UnknownColumnsNameActionAndNearMatches) {
  const auto status = TryBuild(TableNamed("lineorder").Filter(Col("lo_quanity") < 5)).status();
  EXPECT_EQ(CodeOf(status), ErrorCode::kUnknownColumn);
  EXPECT_EQ(status.message(),
            "action 2 (filter): conditions[0]: SVM-2002 unknown column: lo_quanity (did you mean "
            "lo_quantity?)");
  const auto self = TableNamed("date").Join(TableNamed("date"), {On("d_datekey")});
  const auto ambiguous = TryBuild(self.Filter(Col("d_year") == 1)).status();
  EXPECT_NE(ambiguous.message().find("d_year is ambiguous"), std::string::npos);
}

TEST(PlanBuilderTest, CaseSensitivityIsTheSessions) {
  const auto frame = TableNamed("date").Filter(Col("D_YEAR") == 1993);
  EXPECT_TRUE(TryBuild(frame).ok());
  v1::Settings sensitive;
  sensitive.set_case_sensitive(true);
  EXPECT_EQ(CodeOf(TryBuild(frame, sensitive).status()), ErrorCode::kUnknownColumn);
}

TEST(PlanBuilderTest, LimitsHold) {
  SchemaCatalog catalog;
  client::Frame chain = TableNamed("date");
  for (int i = 0; i < 50; ++i) chain = chain.Filter(Col("d_year") > 0);
  EXPECT_TRUE(BuildPlan(chain.ToCommand(), &catalog).ok());
  EXPECT_EQ(CodeOf(BuildPlan(chain.ToCommand(), &catalog, {.max_actions = 50}).status()),
            ErrorCode::kBadCommand);
  EXPECT_EQ(CodeOf(BuildPlan(chain.ToCommand(), &catalog, {.max_columns = 2}).status()),
            ErrorCode::kBadCommand);
  EXPECT_EQ(CodeOf(BuildPlan(chain.ToCommand(), &catalog, {.max_total_columns = 100}).status()),
            ErrorCode::kBadCommand);
  EXPECT_EQ(CodeOf(BuildPlan(chain.ToCommand(), &catalog, {.max_bytes = 100}).status()),
            ErrorCode::kBadCommand);
}

TEST(PlanBuilderTest, DeepAndSwellingExpressionsAreRefused) {
  client::Expr deep = Col("d_year");
  for (int i = 0; i < 254; ++i) deep = deep + 1;
  EXPECT_TRUE(TryBuild(TableNamed("date").Map({{"x", deep}})).ok());
  EXPECT_FALSE(TryBuild(TableNamed("date").Map({{"x", deep + 1 + 1}})).ok());
  // BETWEEN is lowered to two comparisons of the same value: nested, it doubles each time.
  client::Expr swelling = Col("d_year") > 1;
  for (int i = 0; i < 40; ++i) swelling = swelling.Between(false, true);
  EXPECT_EQ(CodeOf(TryBuild(TableNamed("date").Filter(swelling)).status()), ErrorCode::kBadCommand);
}

TEST(PlanBuilderTest, ParsesWhatItWasGivenOrSaysNo) {
  client::Expr deep = Col("d_year");
  for (int i = 0; i < 250; ++i) deep = deep + 1;
  const v1::Command command = TableNamed("date").Map({{"x", deep}}).ToCommand();
  const auto parsed = ParseCommand(command.SerializeAsString());
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  EXPECT_EQ(parsed->SerializeAsString(), command.SerializeAsString());
  EXPECT_EQ(CodeOf(ParseCommand("not a command").status()), ErrorCode::kBadCommand);
  EXPECT_EQ(CodeOf(ParseCommand(command.SerializeAsString(), {.max_bytes = 10}).status()),
            ErrorCode::kBadCommand);
}

// A newer writer's field may change what a message means: passing over it would answer another
// question.
TEST(PlanBuilderTest, FieldsAndNumbersFromTheFutureAreRefused) {
  v1::Command command = GoodCommand();
  v1::Join* join = ActionOf(&command, 3)->mutable_join();
  join->GetReflection()->MutableUnknownFields(join)->AddVarint(5, 1);
  const auto status = ParseCommand(command.SerializeAsString()).status();
  EXPECT_EQ(CodeOf(status), ErrorCode::kUnsupported);
  EXPECT_NE(status.message().find("field 5 of a Join"), std::string::npos);

  command = GoodCommand();
  v1::Expression* condition = ActionOf(&command, 4)->mutable_filter()->mutable_conditions(0);
  condition->mutable_call()->set_eval_mode(static_cast<v1::EvalMode>(9));
  EXPECT_EQ(CodeOf(StatusOf(command)), ErrorCode::kUnsupported);

  command = TableNamed("date").OrderBy({client::Asc("d_year")}).ToCommand();
  ActionOf(&command, 2)
      ->mutable_sort()
      ->mutable_keys(0)
      ->set_null_order(static_cast<v1::NullOrder>(9));
  EXPECT_EQ(CodeOf(StatusOf(command)), ErrorCode::kUnsupported);
}

TEST(PlanBuilderTest, ConditionsThatAlwaysHoldAreDropped) {
  const Plan plan = Build(TableNamed("date").Filter(Lit(true) && Col("d_year") > 1));
  EXPECT_EQ(As<FilterNode>(plan.root().input()).conjuncts.size(), 1U);
  const Plan never = Build(TableNamed("date").Filter(client::NullLit(client::BoolType())));
  EXPECT_EQ(As<FilterNode>(never.root().input()).conjuncts.size(), 1U);
}

TEST(PlanBuilderTest, LongChainsDoNotExhaustTheStack) {
  client::Frame chain = TableNamed("date");
  for (int i = 0; i < 9'990; ++i) chain = chain.Limit(5);
  SchemaCatalog catalog;
  EXPECT_TRUE(BuildPlan(chain.ToCommand(), &catalog).ok());
}

TEST(PlanBuilderTest, ASharedActionIsBuiltOnce) {
  const auto dates = TableNamed("date").Filter(Col("d_year") == 1993);
  const auto frame = dates.Join(dates, {On("d_datekey")});
  SchemaCatalog catalog;
  const auto plan = BuildPlan(frame.ToCommand(), &catalog);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(catalog.num_asked, 1);
  EXPECT_EQ(plan->nodes().size(), 4U);
}

TEST(PlanBuilderTest, TheBuildSideHintSwapsInputsNotColumns) {
  v1::Command command = GoodCommand();
  ActionOf(&command, 3)->mutable_join()->set_build_side(v1::BUILD_SIDE_LEFT);
  SchemaCatalog catalog;
  const auto plan = BuildPlan(command, &catalog);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  const auto& join = As<JoinNode>(*plan->nodes()[2]);
  EXPECT_EQ(join.left().output.fields[0].name, "d_datekey");
  EXPECT_EQ(join.output.fields[0].name, "lo_orderkey");
  EXPECT_EQ(join.kept[0], 3);
  EXPECT_EQ(join.kept[10], 0);
  ActionOf(&command, 3)->mutable_join()->set_kind(v1::JOIN_KIND_LEFT_SEMI);
  EXPECT_EQ(CodeOf(StatusOf(command)), ErrorCode::kBadCommand);
}

TEST(PlanBuilderTest, SortNullsFollowSparkUnlessSaid) {
  const Plan plan = Build(TableNamed("mixed").OrderBy(
      {client::Asc("maybe"), client::Desc("maybe"), client::Desc("i32").NullsFirst()}));
  const auto& keys = As<SortNode>(plan.root().input()).keys;
  EXPECT_TRUE(keys[0].nulls_first);
  EXPECT_FALSE(keys[1].nulls_first);
  EXPECT_TRUE(keys[2].nulls_first);
}

TEST(PlanBuilderTest, NegativeLimitsAreRefused) {
  EXPECT_EQ(CodeOf(TryBuild(TableNamed("date").Limit(-1)).status()), ErrorCode::kBadCommand);
}

}  // namespace
}  // namespace shadowvm::plan
