// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "engine/cli/ssb/names.h"
#include "engine/cli/tests/ssb_tables.h"

namespace shadowvm::cli::ssb {
namespace {

// Every table: any cut gives the same rows, and another seed gives others.
TEST(TablesTest, RowsDoNotDependOnWhereTheyAreCut) {
  for (const auto& table : MakeTables(TestScale(0.01))) {
    const auto all = AllRows(*table);
    ASSERT_TRUE(all->ValidateFull().ok());
    const int64_t first = table->num_rows() / 3;
    const auto part = table->Generate(first, first).ValueOrDie();
    EXPECT_TRUE(part->Equals(*all->Slice(first, first))) << table->name();
  }
}

TEST(TablesTest, SeedsChooseTheRows) {
  EXPECT_TRUE(
      AllRows(*MakePart(TestScale(0.01, 7)))->Equals(*AllRows(*MakePart(TestScale(0.01, 7)))));
  EXPECT_FALSE(
      AllRows(*MakePart(TestScale(0.01, 7)))->Equals(*AllRows(*MakePart(TestScale(0.01, 8)))));
}

TEST(TablesTest, CitiesBelongToNationsAndRegions) {
  EXPECT_EQ(CityName("UNITED KINGDOM", 1), "UNITED KI1");
  EXPECT_EQ(CityName("CHINA", 4), "CHINA    4");
  const auto rows = AllRows(*MakeCustomer(TestScale(0.5)));
  std::set<std::string> cities;
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    const std::string city = Texts(*rows, "c_city").GetString(i);
    const std::string nation = Texts(*rows, "c_nation").GetString(i);
    ASSERT_EQ(city, CityName(nation, city.back() - '0'));
    cities.insert(city);
  }
  EXPECT_EQ(cities.size(), 250U);
}

TEST(TablesTest, EveryRegionHasFiveNations) {
  std::multiset<std::string_view> regions;
  for (const auto& nation : kNations) regions.insert(nation.region);
  for (const auto* region : {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"})
    EXPECT_EQ(regions.count(region), 5U);
}

TEST(TablesTest, BrandsBelongToCategoriesAndManufacturers) {
  const auto rows = AllRows(*MakePart(TestScale(0.2)));
  std::set<std::string> brands;
  const std::regex shape("MFGR#[1-5][1-5]([1-9]|[1-3][0-9]|40)");
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    const std::string brand = Texts(*rows, "p_brand1").GetString(i);
    ASSERT_TRUE(std::regex_match(brand, shape)) << brand;
    ASSERT_EQ(Texts(*rows, "p_category").GetString(i), brand.substr(0, 7));
    ASSERT_EQ(Texts(*rows, "p_mfgr").GetString(i), brand.substr(0, 6));
    brands.insert(brand);
  }
  EXPECT_EQ(brands.size(), 1000U);
}

TEST(TablesTest, PartsUseTheWholeWordLists) {
  const auto rows = AllRows(*MakePart(TestScale(0.2)));
  std::set<std::string_view> types;
  std::set<std::string_view> containers;
  std::set<std::string_view> colours;
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    types.insert(Texts(*rows, "p_type").GetView(i));
    containers.insert(Texts(*rows, "p_container").GetView(i));
    colours.insert(Texts(*rows, "p_color").GetView(i));
    ASSERT_GE(Ints(*rows, "p_size").Value(i), 1);
    ASSERT_LE(Ints(*rows, "p_size").Value(i), 50);
  }
  EXPECT_EQ(types.size(), 150U);
  EXPECT_EQ(containers.size(), 40U);
  EXPECT_EQ(colours.size(), 92U);
}

}  // namespace
}  // namespace shadowvm::cli::ssb
