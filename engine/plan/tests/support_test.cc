// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/support.h"

#include "engine/plan/tests/plan_fixture.h"

namespace shadowvm::plan {
namespace {

using client::Case;
using client::Col;
using client::On;

// "action REASON path", one per refusal.
std::string Refusals(const client::Frame& frame, v1::Settings settings = {}) {
  std::string text;
  for (const auto& support : CheckSupport(Build(frame, std::move(settings)))) {
    if (support.supported) continue;
    text += std::to_string(support.action_id) + " " + std::string(NameOf(support.reason)) + " " +
            support.expression_path + "\n";
  }
  return text;
}

TEST(SupportTest, StarSchemaQueriesAreSupported) {
  for (const auto& frame : {SsbQ21(), SsbQ41()}) {
    EXPECT_EQ(Refusals(frame), "");
    EXPECT_TRUE(RequireSupport(Build(frame)).ok());
  }
}

TEST(SupportTest, EveryActionHasAnAnswer) {
  const Plan plan = Build(SsbQ41());
  EXPECT_EQ(CheckSupport(plan).size(), plan.nodes().size());
}

TEST(SupportTest, ReasonsSayWhereAndWhy) {
  const auto mixed = TableNamed("mixed");
  EXPECT_EQ(Refusals(mixed.Aggregate({Sum(Col("wide")), Avg(Col("wide"))})), "");
  EXPECT_EQ(Refusals(mixed.Map({{"x", Col("f64").Cast(client::DecimalType(10, 2))}})),
            "2 CAST_PAIR expressions[0]\n");
  EXPECT_EQ(Refusals(mixed.Aggregate({Min(Col("bytes"))})), "2 AGGREGATE_TYPE aggregates[0]\n");
  EXPECT_EQ(
      Refusals(mixed.Filter(Col("i32") > 0 && Col("i32") > Col("text").Cast(client::Int32Type()))),
      "2 CAST_PAIR conjuncts[1].args[1]\n");
  EXPECT_EQ(Refusals(mixed.Map({{"x", Col("wide") * Col("wide")}})),
            "2 DECIMAL_SCALE_LOSS expressions[0]\n");
  EXPECT_EQ(Refusals(mixed.Map({{"x", Col("wide") / Col("wide")}})), "");
  EXPECT_EQ(Refusals(mixed.Map({{"x", Col("wide").Cast(client::DecimalType(38, 0)) /
                                          Col("wide").Cast(client::DecimalType(38, 38))}})),
            "2 DECIMAL_DIVIDE_WIDTH expressions[0]\n");
  EXPECT_EQ(Refusals(mixed.Map({{"x", Col("dec") / Col("dec")}})), "");
  v1::Settings elsewhere;
  elsewhere.set_time_zone("Europe/Berlin");
  EXPECT_EQ(Refusals(mixed.OrderBy({client::Asc(Year(Col("ts")))}), elsewhere),
            "2 DATE_PART_TYPE keys[0]\n");
  EXPECT_EQ(Refusals(mixed.Filter(Col("text").StartsWith(Col("text")))),
            "2 PATTERN_NOT_CONSTANT conjuncts[0]\n");
}

TEST(SupportTest, EveryTypeIsAKeyAndCanBeChosen) {
  const auto mixed = TableNamed("mixed");
  for (const char* name : {"f32", "f64", "wide", "text", "bytes", "ts", "flag"}) {
    EXPECT_EQ(Refusals(mixed.SemiJoin(mixed, {On(name)})), "") << name;
    EXPECT_EQ(Refusals(mixed.GroupBy({name}).Aggregate({client::Count()})), "") << name;
    EXPECT_EQ(Refusals(mixed.Map({{"x", Case().When(Col("flag"), Col(name)).End()}})), "") << name;
  }
  EXPECT_EQ(Refusals(mixed.OrderBy({client::Asc(Year(Col("ts")))})), "");
}

TEST(SupportTest, StrictFloatRefusesSumsOfFloatsOnly) {
  v1::Settings strict;
  strict.set_strict_float(true);
  const auto frame =
      TableNamed("mixed").Aggregate({Sum(Col("f64")), Sum(Col("i64")), Max(Col("f64"))});
  EXPECT_EQ(Refusals(frame), "");
  EXPECT_EQ(Refusals(frame, strict), "2 STRICT_FLOAT aggregates[0]\n");
}

TEST(SupportTest, RequireSupportNamesTheFirstReason) {
  const auto mixed = TableNamed("mixed");
  const auto status = RequireSupport(Build(mixed.Aggregate({Min(Col("bytes"))})));
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "SVM-2005 unsupported: action 2, aggregates[0]: this aggregate of this type is not "
            "supported: binary");
}

TEST(SupportTest, ChainedMapsAreBounded) {
  const auto doubled = [](int times) {
    client::Frame frame = TableNamed("mixed").Map({{"x", Col("i64")}});
    for (int i = 0; i < times; ++i) frame = frame.Map({{"x", Col("x") + Col("x")}});
    return frame;
  };
  EXPECT_EQ(Refusals(doubled(11).Filter(Col("x") > 0)), "");
  EXPECT_EQ(Refusals(doubled(12)), "14 EXPRESSION_SIZE expressions[0]\n");
  // Whatever reads such a column is refused as well, and found so in no time.
  EXPECT_NE(Refusals(doubled(200).Filter(Col("x") > 0)).find("203 EXPRESSION_SIZE conjuncts[0]"),
            std::string::npos);
}

}  // namespace
}  // namespace shadowvm::plan
