// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/trace_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/fault.h"
#include "engine/base/tests/test_folder.h"

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;
using schedule::Side;

std::vector<schedule::QueryTrace> OneTrace(const std::string& query) {
  schedule::Trace trace;
  trace.title = "sales; one group";
  trace.milliseconds = 2;
  trace.num_units = 1;
  trace.events = {{Side::kGpu, 0, {0, 1}, 0, 2, false, true}};
  return {{query, trace}};
}

class TraceFolderTest : public testing::Test {
 protected:
  void TearDown() override { base::DisarmFaults(); }

  std::unique_ptr<TraceFolder> Make(int most_queries = 100) {
    return TraceFolder::Make({root_ / "traces", most_queries,
                              [this](const std::string& text) { warnings_.push_back(text); }})
        .ValueOrDie();
  }
  std::vector<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& file : fs::directory_iterator(root_ / "traces")) {
      names.insert(file.path().filename());
    }
    return {names.begin(), names.end()};
  }

  base::TestFolder folder_;
  const fs::path root_ = folder_.path();
  std::vector<std::string> warnings_;
};

TEST_F(TraceFolderTest, AQueryHasTwoFilesThatOnlyWeMayRead) {
  const auto folder = Make();
  folder->Keep("../q 1", OneTrace("../q 1"));
  const std::vector<std::string> names = Names();
  ASSERT_EQ(names.size(), 2u);
  EXPECT_TRUE(names[0].starts_with("trace-")) << names[0];
  EXPECT_TRUE(names[0].ends_with("Z-000001-___q_1.json")) << names[0];
  EXPECT_TRUE(names[1].ends_with("Z-000001-___q_1.svg")) << names[1];
  std::ifstream json(root_ / "traces" / names[0]), drawing(root_ / "traces" / names[1]);
  EXPECT_EQ(nlohmann::json::parse(json)["traceEvents"].size(), 3u);
  std::string first;
  std::getline(drawing, first);
  EXPECT_TRUE(first.starts_with("<svg"));
  for (const std::string& name : names) {
    EXPECT_EQ(fs::status(root_ / "traces" / name).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
  }
  EXPECT_EQ(fs::status(root_ / "traces").permissions(), fs::perms::owner_all);
}

TEST_F(TraceFolderTest, AQueryThatWasNotSplitLeavesNothing) {
  Make()->Keep("q", {});
  EXPECT_TRUE(Names().empty());
}

TEST_F(TraceFolderTest, TheNewestStayAndWhatIsNotOursToo) {
  fs::create_directories(root_ / "traces");
  const std::vector<std::string> others = {"trace-of-mine.json", "notes.svg",
                                           "trace-20200101T000000.000Z-000001-q.txt"};
  for (const std::string& name : others) std::ofstream(root_ / "traces" / name) << "x";
  // Of a node that is gone, and one of them half.
  for (const char* name :
       {"trace-20200101T000000.000Z-000001-q.json", "trace-20200101T000000.000Z-000001-q.svg",
        "trace-20200102T000000.000Z-000001-q.json"}) {
    std::ofstream(root_ / "traces" / name) << "x";
  }
  const auto folder = Make(/*most_queries=*/3);
  for (int i = 1; i <= 3; ++i) {
    folder->Keep("query-" + std::to_string(i), OneTrace("q"));
    EXPECT_LE(Names().size(), 2u * 3 + others.size());
  }
  const std::vector<std::string> names = Names();
  EXPECT_EQ(names.size(), 2u * 3 + others.size());
  for (const std::string& name : others) {
    EXPECT_TRUE(fs::exists(root_ / "traces" / name)) << name;
  }
  EXPECT_FALSE(fs::exists(root_ / "traces" / "trace-20200102T000000.000Z-000001-q.json"));
}

TEST_F(TraceFolderTest, AFailureIsSaidOnce) {
  const auto folder = Make();
  ASSERT_TRUE(base::ArmFaults("node.trace.write=always:error").ok());
  folder->Keep("q", OneTrace("q"));
  folder->Keep("q", OneTrace("q"));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with("a trace could not be written: ")) << warnings_[0];
  EXPECT_TRUE(Names().empty());
  base::DisarmFaults();
  folder->Keep("q", OneTrace("q"));
  EXPECT_EQ(Names().size(), 2u);
}

TEST_F(TraceFolderTest, AFolderThatCannotBeIsRefusedByName) {
  std::ofstream(root_ / "file") << "x";
  for (const fs::path& path : {root_ / "file", root_ / "file" / "below"}) {
    const auto made = TraceFolder::Make({path});
    EXPECT_EQ(base::CodeOf(made.status()), base::ErrorCode::kWriteFailed);
    EXPECT_NE(made.status().message().find(path.string()), std::string::npos) << made.status();
  }
}

}  // namespace
}  // namespace shadowvm::node
