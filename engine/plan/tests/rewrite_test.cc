// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/rewrite.h"

#include "engine/plan/tests/plan_fixture.h"

namespace shadowvm::plan {
namespace {

using client::Asc;
using client::Col;
using client::Lit;
using client::On;
using client::Sum;

std::string Rewritten(const client::Frame& frame, v1::Settings settings = {}) {
  return Describe(Rewrite(Build(frame, std::move(settings))));
}

TEST(RewriteTest, LateFiltersGoDownAndUnusedColumnsGo) {
  EXPECT_EQ(
      Rewritten(SsbQ21()),
      "1 scan: lineorder | lo_partkey, lo_suppkey, lo_orderdate, lo_revenue\n"
      "2 scan: date | d_datekey, d_year\n"
      "3 join <- 1, 2: inner lo_orderdate = d_datekey | lo_partkey, lo_suppkey, lo_revenue, "
      "d_year\n"
      "4 scan: part | p_partkey, p_category, p_brand1\n"
      "8 filter <- 4: (p_category = 'MFGR#12') | p_partkey, p_brand1\n"
      "5 join <- 3, 8: inner lo_partkey = p_partkey | lo_suppkey, lo_revenue, d_year, p_brand1\n"
      "6 scan: supplier | s_suppkey, s_region\n"
      "8 filter <- 6: (s_region = 'AMERICA') | s_suppkey\n"
      "7 join <- 5, 8: inner lo_suppkey = s_suppkey | lo_revenue, d_year, p_brand1\n"
      "9 aggregate <- 7: sum(cast(lo_revenue as int64)) by d_year, p_brand1 | d_year, p_brand1, "
      "revenue\n"
      "10 sort <- 9: d_year asc, p_brand1 asc | d_year, p_brand1, revenue\n"
      "11 map <- 10: revenue, d_year, p_brand1 | revenue, d_year, p_brand1\n"
      "11 sink <- 11: collect | revenue, d_year, p_brand1\n");
}

TEST(RewriteTest, AdjacentFiltersMergeLowestFirst) {
  const auto frame =
      TableNamed("date").Filter(Col("d_year") > 1).Filter(Col("d_year") < 9).Select({"d_datekey"});
  EXPECT_EQ(Rewritten(frame),
            "1 scan: date | d_datekey, d_year\n"
            "2 filter <- 1: (d_year > 1), (d_year < 9) | d_datekey\n"
            "4 map <- 2: d_datekey | d_datekey\n"
            "4 sink <- 4: collect | d_datekey\n");
}

TEST(RewriteTest, FiltersPassRenamesAndKeysButNotLimitsOrSums) {
  const auto renamed =
      TableNamed("date").Select({{"y", Col("d_year")}, {"twice", Col("d_year") * 2}});
  EXPECT_EQ(Rewritten(renamed.Filter(Col("y") == 1 && Col("twice") == 2).Select({"y"})),
            "1 scan: date | d_year\n"
            "3 filter <- 1: (d_year = 1) | d_year\n"
            "2 map <- 3: d_year, (d_year * 2) | y, twice\n"
            "3 filter <- 2: (twice = 2) | y\n"
            "4 map <- 3: y | y\n"
            "4 sink <- 4: collect | y\n");
  const auto grouped =
      TableNamed("date").GroupBy({"d_year"}).Aggregate({Sum(Col("d_datekey")).As("s")});
  EXPECT_EQ(Rewritten(grouped.Filter(Col("d_year") == 1 && Col("s") > 0)),
            "1 scan: date | d_datekey, d_year\n"
            "3 filter <- 1: (d_year = 1) | d_datekey, d_year\n"
            "2 aggregate <- 3: sum(cast(d_datekey as int64)) by d_year | d_year, s\n"
            "3 filter <- 2: (s > 0) | d_year, s\n"
            "3 sink <- 3: collect | d_year, s\n");
  EXPECT_EQ(Rewritten(TableNamed("date").Limit(3).Filter(Col("d_year") == 1).Select({"d_year"})),
            "1 scan: date | d_year\n"
            "2 limit <- 1: 3 | d_year\n"
            "3 filter <- 2: (d_year = 1) | d_year\n"
            "4 map <- 3: d_year | d_year\n"
            "4 sink <- 4: collect | d_year\n");
}

TEST(RewriteTest, ConditionsThatCanFailStayBehindTheJoin) {
  v1::Settings ansi;
  ansi.set_ansi(true);
  const auto joined =
      TableNamed("lineorder").Join(TableNamed("date"), {On("lo_orderdate", "d_datekey")});
  const auto frame = joined.Filter(Col("lo_revenue") + 1 > 5).Select({"d_year"});
  EXPECT_NE(Rewritten(frame).find("4 filter <- 1:"), std::string::npos);
  EXPECT_NE(Rewritten(frame, ansi).find("4 filter <- 3:"), std::string::npos);
}

TEST(RewriteTest, AGuardThatStaysHoldsBackWhatItGuards) {
  v1::Settings ansi;
  ansi.set_ansi(true);
  const auto frame = TableNamed("date")
                         .Select({{"y", Col("d_year")}, {"k", Col("d_datekey") % 7}})
                         .Filter(Col("k") != 0)
                         .Filter(Lit(1) / Col("y") > 0.5);
  EXPECT_NE(Rewritten(frame, ansi).find("3 filter <- 2: (k <> 0), "), std::string::npos)
      << Rewritten(frame, ansi);
}

TEST(RewriteTest, ConditionsOnTheOuterSideStayAboveTheJoin) {
  const auto joined =
      TableNamed("lineorder").LeftJoin(TableNamed("date"), {On("lo_orderdate", "d_datekey")});
  EXPECT_NE(Rewritten(joined.Filter(Col("d_year").IsNull())).find("4 filter <- 3:"),
            std::string::npos);
  EXPECT_NE(Rewritten(joined.Filter(Col("lo_revenue") > 5)).find("4 filter <- 1:"),
            std::string::npos);
}

TEST(RewriteTest, ConditionsOnBothSidesStayAboveTheJoin) {
  const auto joined =
      TableNamed("lineorder").Join(TableNamed("date"), {On("lo_orderdate", "d_datekey")});
  EXPECT_NE(Rewritten(joined.Filter(Col("lo_revenue") > Col("d_year"))).find("4 filter <- 3:"),
            std::string::npos);
}

// A filter above one of two readers must not filter for the other.
TEST(RewriteTest, AConditionNeverEntersASharedInput) {
  const auto shared = TableNamed("date").Map({"d_datekey", "d_year"});
  const auto frame = shared.Filter(Col("d_year") == 1993).SemiJoin(shared, {On("d_datekey")});
  EXPECT_EQ(Rewritten(frame),
            "1 scan: date | d_datekey, d_year\n"
            "2 map <- 1: d_datekey, d_year | d_datekey, d_year\n"
            "3 filter <- 2: (d_year = 1993) | d_datekey, d_year\n"
            "4 join <- 3, 2: left_semi d_datekey = d_datekey | d_datekey, d_year\n"
            "4 sink <- 4: collect | d_datekey, d_year\n");
}

TEST(RewriteTest, CountReadsNoColumns) {
  const Plan plan = Rewrite(Build(TableNamed("lineorder").Aggregate({client::Count().As("n")})));
  EXPECT_TRUE(As<ScanNode>(*plan.nodes()[0]).columns.empty());
}

TEST(RewriteTest, ScansReadOrdinalsOfTheirSource) {
  const Plan plan = Rewrite(Build(TableNamed("lineorder").Aggregate({Sum(Col("lo_revenue"))})));
  EXPECT_EQ(As<ScanNode>(*plan.nodes()[0]).columns, std::vector<int>{8});
}

TEST(RewriteTest, UnusedAggregatesGoAndKeysStay) {
  const auto grouped =
      TableNamed("date")
          .GroupBy({"d_year"})
          .Aggregate({Sum(Col("d_datekey")).As("a"), Sum(Col("d_yearmonthnum")).As("b")});
  EXPECT_EQ(Rewritten(grouped.Select({"b"})),
            "1 scan: date | d_year, d_yearmonthnum\n"
            "2 aggregate <- 1: sum(cast(d_yearmonthnum as int64)) by d_year | d_year, b\n"
            "3 map <- 2: b | b\n"
            "3 sink <- 3: collect | b\n");
}

TEST(RewriteTest, ALimitOnASortIsATopN) {
  EXPECT_EQ(
      Rewritten(TableNamed("date").OrderBy({Asc("d_datekey")}).Limit(5, 2).Select({"d_year"})),
      "1 scan: date | d_datekey, d_year\n"
      "3 top_n <- 1: 5 offset 2 by d_datekey asc | d_year\n"
      "4 map <- 3: d_year | d_year\n"
      "4 sink <- 4: collect | d_year\n");
}

TEST(RewriteTest, SwappedJoinsKeepTheirColumns) {
  v1::Command command = TableNamed("date")
                            .Join(TableNamed("lineorder"), {On("d_datekey", "lo_orderdate")})
                            .Select({"d_year", "lo_revenue"})
                            .ToCommand();
  command.mutable_actions(2)->mutable_join()->set_build_side(v1::BUILD_SIDE_LEFT);
  SchemaCatalog catalog;
  const Plan plan = Rewrite(BuildPlan(command, &catalog).ValueOrDie());
  const auto& join = As<JoinNode>(*plan.nodes()[2]);
  EXPECT_EQ(join.kept, (std::vector<int>{3, 1}));
  EXPECT_EQ(join.kept_left(), std::vector<int>{1});
  EXPECT_EQ(join.kept_right(), std::vector<int>{1});
}

}  // namespace
}  // namespace shadowvm::plan
