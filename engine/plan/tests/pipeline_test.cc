// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/pipeline.h"

#include "engine/plan/rewrite.h"
#include "engine/plan/tests/plan_fixture.h"

namespace shadowvm::plan {
namespace {

using client::Asc;
using client::Col;
using client::On;

std::string Cut(const client::Frame& frame) {
  const Plan plan = Rewrite(Build(frame));
  return Describe(CutIntoPipelines(plan));
}

TEST(PipelineTest, SsbQ21) {
  EXPECT_EQ(Cut(SsbQ21()),
            "0: scan date | build 3\n"
            "1: scan part | filter 8 | build 5\n"
            "2: scan supplier | filter 8 | build 7\n"
            "3: scan lineorder | probe 3 of pipeline 0 | probe 5 of pipeline 1 | probe 7 of "
            "pipeline 2 | aggregate 9\n"
            "4: pipeline 3 | sort 10\n"
            "5: pipeline 4 | map 11 | collect 11\n");
}

TEST(PipelineTest, SsbQ41) {
  EXPECT_EQ(
      Cut(SsbQ41()),
      "0: scan date | build 3\n"
      "1: scan customer | filter 5 | build 6\n"
      "2: scan supplier | filter 8 | build 9\n"
      "3: scan part | filter 11 | build 12\n"
      "4: scan lineorder | probe 3 of pipeline 0 | probe 6 of pipeline 1 | probe 9 of pipeline 2 | "
      "probe 12 of pipeline 3 | aggregate 13\n"
      "5: pipeline 4 | sort 14\n"
      "6: pipeline 5 | collect 14\n");
}

TEST(PipelineTest, DependenciesComeFirst) {
  const Plan plan = Rewrite(Build(SsbQ41()));
  const auto pipelines = CutIntoPipelines(plan);
  for (const auto& pipeline : pipelines) {
    for (const int earlier : pipeline.depends_on) EXPECT_LT(earlier, pipeline.id);
  }
  EXPECT_EQ(pipelines[4].depends_on, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(pipelines[5].depends_on, std::vector<int>{4});
  EXPECT_EQ(pipelines.back().node, &plan.root());
  EXPECT_EQ(pipelines[4].input, pipelines[4].steps.back().join);
}

TEST(PipelineTest, ASharedInputIsComputedOnce) {
  const auto dates = TableNamed("date").Filter(Col("d_year") == 1993);
  EXPECT_EQ(Cut(dates.Join(dates, {On("d_datekey")})),
            "0: scan date | filter 2 | materialize 2\n"
            "1: pipeline 0 | build 3\n"
            "2: pipeline 0 | probe 3 of pipeline 1 | collect 3\n");
  const auto years = TableNamed("date").GroupBy({"d_year"}).Aggregate({client::Count()});
  EXPECT_EQ(Cut(years.SemiJoin(years, {On("d_year")})),
            "0: scan date | aggregate 2\n"
            "1: pipeline 0 | build 3\n"
            "2: pipeline 0 | probe 3 of pipeline 1 | collect 3\n");
}

TEST(PipelineTest, NamesTheActionsOfEach) {
  const Plan plan = Rewrite(Build(SsbQ41()));
  const auto pipelines = CutIntoPipelines(plan);
  using Ids = std::vector<uint32_t>;
  EXPECT_EQ(ActionsOf(pipelines[1]), (Ids{4, 5}));
  EXPECT_EQ(ActionsOf(pipelines[4]), (Ids{1, 3, 6, 9, 12, 13}));
  EXPECT_EQ(ActionsOf(pipelines[5]), Ids{14});
  EXPECT_EQ(Describe(pipelines[1]), "scan customer | filter 5 | build 6");
}

TEST(PipelineTest, ASharedScanIsScannedByEach) {
  const auto dates = TableNamed("date");
  EXPECT_EQ(Cut(dates.SemiJoin(dates, {On("d_datekey")})),
            "0: scan date | build 2\n"
            "1: scan date | probe 2 of pipeline 0 | collect 2\n");
}

TEST(PipelineTest, EverySinkCuts) {
  EXPECT_EQ(Cut(TableNamed("date").Limit(10).OrderBy({Asc("d_year")}).Limit(3)),
            "0: scan date | limit 2\n"
            "1: pipeline 0 | top_n 4\n"
            "2: pipeline 1 | collect 4\n");
  v1::Command command = TableNamed("date").ToCommand();
  v1::Action* sink = command.add_actions();
  sink->set_id(2);
  sink->add_inputs(1);
  sink->mutable_sink()->mutable_parquet()->set_path("out.parquet");
  command.set_root(2);
  SchemaCatalog catalog;
  const Plan plan = BuildPlan(command, &catalog).ValueOrDie();
  EXPECT_EQ(Describe(CutIntoPipelines(plan)), "0: scan date | parquet 2\n");
}

}  // namespace
}  // namespace shadowvm::plan
