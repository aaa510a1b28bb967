// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <filesystem>
#include <random>

#include "engine/exec/tests/kernel_cases.h"
#include "engine/exec/tests/kernel_tables.h"

// The text of a kernel follows from the query's shape alone: other literals mean other arguments,
// not another kernel.
namespace shadowvm::exec {
namespace {

using nlohmann::json;

TEST(KernelShape, LiteralsAreNotInTheText) {
  const auto engine = MakeTestEngine();
  AddSmallTables(engine.get());
  const std::vector<KernelCase> some = SmallCases(1);
  const std::vector<KernelCase> others = SmallCases(2);
  ASSERT_EQ(some.size(), others.size());
  for (size_t i = 0; i < some.size(); ++i) {
    SCOPED_TRACE(some[i].name);
    EXPECT_EQ(KernelsOf(engine.get(), some[i].frame, some[i].settings),
              KernelsOf(engine.get(), others[i].frame, others[i].settings));
  }
}

class Chooser {
 public:
  int Between(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  std::string Region() {
    static const char* const kRegions[] = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
    return kRegions[Between(0, 4)];
  }
  std::string Manufacturer() { return "MFGR#" + std::to_string(Between(1, 5)); }

 private:
  std::mt19937 random_{20};
};

json RandomConstants(const std::string& query, Chooser* choose) {
  const int low = choose->Between(1, 8);
  const int year = choose->Between(1992, 1997);
  if (query == "q1.1") {
    return {{"year", year},
            {"discount_low", low},
            {"discount_high", low + choose->Between(0, 2)},
            {"quantity", choose->Between(2, 50)}};
  }
  if (query == "q2.1") {
    const std::string category = choose->Manufacturer() + std::to_string(choose->Between(1, 5));
    return {{"category", category}, {"region", choose->Region()}};
  }
  if (query == "q3.1") {
    return {{"customer_region", choose->Region()},
            {"supplier_region", choose->Region()},
            {"year_low", year},
            {"year_high", choose->Between(year, 1998)}};
  }
  return {{"customer_region", choose->Region()},
          {"supplier_region", choose->Region()},
          {"mfgr_a", choose->Manufacturer()},
          {"mfgr_b", choose->Manufacturer()}};
}

// Runs each of four queries with 'count' sets of constants; gives the compiles that took.
int64_t CountCompiles(Engine* engine, int count) {
  const int64_t before = engine->kernels().stats().compiles_fast;
  Chooser choose;
  for (const std::string query : {"q1.1", "q2.1", "q3.1", "q4.1"}) {
    for (int i = 0; i < count; ++i) {
      EXPECT_FALSE(KernelsOf(engine, SsbQuery(query, RandomConstants(query, &choose))).empty());
    }
  }
  return engine->kernels().stats().compiles_fast - before;
}

TEST(KernelShape, ConstantsCauseNoCompile) {
  const std::string folder = testing::TempDir() + "shadowvm-kernel-shape";
  std::filesystem::remove_all(folder);
  {
    const auto engine = MakeTestEngine(folder);
    AddSsbTables(engine.get());
    EXPECT_GT(CountCompiles(engine.get(), 1), 0);
    EXPECT_EQ(CountCompiles(engine.get(), 100), 0);
  }
  // The next process finds them on disk.
  const auto engine = MakeTestEngine(folder);
  AddSsbTables(engine.get());
  EXPECT_EQ(CountCompiles(engine.get(), 1), 0);
  EXPECT_GT(engine->kernels().stats().disk_hits, 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace shadowvm::exec
