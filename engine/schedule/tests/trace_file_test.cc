// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/trace_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shadowvm::schedule {
namespace {

std::vector<QueryTrace> TwoLanes() {
  Trace trace;
  trace.title = "lineorder: a < b & c";
  trace.policy = "elastic";
  trace.milliseconds = 4;
  trace.num_units = 10;
  trace.units_again = 2;
  trace.events = {{Side::kGpu, 0, {0, 8}, 0, 3.5, false, false},
                  {Side::kCpu, 1, {8, 10}, 0, 2, false, true},
                  {Side::kCpu, 1, {6, 8}, 2, 3, true, true}};
  return {{"q1.1", trace}};
}

TEST(TraceFile, ChromeSeesALaneAsAThread) {
  const auto json = ToChromeTrace(TwoLanes());
  const auto& events = json["traceEvents"];
  // The process, two threads and three pieces of work.
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[1]["args"]["name"], "gpu");
  EXPECT_EQ(events[2]["args"]["name"], "cpu 1");
  EXPECT_EQ(events[3]["ph"], "X");
  EXPECT_EQ(events[3]["dur"], 3500.0);
  EXPECT_EQ(events[3]["args"]["counts"], false);
  EXPECT_EQ(events[5]["args"]["again"], true);
  EXPECT_NE(events[3]["tid"], events[5]["tid"]);
}

TEST(TraceFile, ADrawingHasAllOfIt) {
  const std::string drawing = TraceText(TwoLanes(), "run.svg");
  size_t pieces = 0;
  for (size_t at = 0; (at = drawing.find("<rect x=", at)) != std::string::npos; ++at) ++pieces;
  EXPECT_EQ(pieces, 3u);
  EXPECT_NE(drawing.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(drawing.find("units 6 to 7, again"), std::string::npos);
  EXPECT_TRUE(drawing.ends_with("</svg>\n"));
  EXPECT_EQ(TraceText(TwoLanes(), "run.json").front(), '{');
}

}  // namespace
}  // namespace shadowvm::schedule
