// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/calendar.h"

#include <gtest/gtest.h>

#include "engine/cli/tests/ssb_tables.h"

namespace shadowvm::cli::ssb {
namespace {

TEST(CalendarTest, KeysAreDates) {
  EXPECT_EQ(DateKeyOf(0), 19920101);
  EXPECT_EQ(DateKeyOf(59), 19920229);
  EXPECT_EQ(DateKeyOf(kLastOrderDay), 19980802);
  EXPECT_EQ(DateKeyOf(kNumDays - 1), 19981230);
}

TEST(CalendarTest, SeasonsAndHolidays) {
  EXPECT_EQ(SellingSeason(12), "Christmas");
  EXPECT_EQ(SellingSeason(11), "Christmas");
  EXPECT_EQ(SellingSeason(3), "Winter");
  EXPECT_EQ(SellingSeason(4), "Spring");
  EXPECT_EQ(SellingSeason(8), "Summer");
  EXPECT_EQ(SellingSeason(9), "Fall");
  EXPECT_TRUE(IsHoliday(12, 24));
  EXPECT_TRUE(IsHoliday(1, 1));
  EXPECT_FALSE(IsHoliday(12, 25));
}

TEST(CalendarTest, DateTableDescribesADay) {
  const auto table = MakeDate();
  EXPECT_EQ(table->num_rows(), 2556);
  const auto rows = AllRows(*table);
  const int64_t day = 2191;  // 31 December 1997, a Wednesday
  EXPECT_EQ(Ints(*rows, "d_datekey").Value(day), 19971231);
  EXPECT_EQ(Texts(*rows, "d_date").GetView(day), "December 31, 1997");
  EXPECT_EQ(Texts(*rows, "d_dayofweek").GetView(day), "Wednesday");
  EXPECT_EQ(Texts(*rows, "d_yearmonth").GetView(day), "Dec1997");
  EXPECT_EQ(Ints(*rows, "d_yearmonthnum").Value(day), 199712);
  EXPECT_EQ(Ints(*rows, "d_daynuminweek").Value(day), 4);
  EXPECT_EQ(Ints(*rows, "d_daynuminyear").Value(day), 365);
  EXPECT_EQ(Ints(*rows, "d_weeknuminyear").Value(day), 53);
  EXPECT_EQ(Ints(*rows, "d_lastdayinmonthfl").Value(day), 1);
  EXPECT_EQ(Ints(*rows, "d_lastdayinweekfl").Value(day), 0);
  EXPECT_EQ(Ints(*rows, "d_weekdayfl").Value(day), 1);
}

}  // namespace
}  // namespace shadowvm::cli::ssb
