// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/kernels/common/date.h"

#include <gtest/gtest.h>

#include <random>

namespace shadowvm::kernels::tests {
namespace {

bool IsLeap(i64 year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

u32 DaysOf(i64 year, u32 month) {
  const u32 days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeap(year) ? 29 : days[month - 1];
}

TEST(DateTest, EveryDayOfTheCalendarYears) {
  i64 days = -719528;  // 0000-01-01
  for (i64 year = 0; year <= 9999; ++year) {
    for (u32 month = 1; month <= 12; ++month) {
      for (u32 day = 1; day <= DaysOf(year, month); ++day, ++days) {
        const Civil civil = civil_of_days(days);
        ASSERT_TRUE(civil.year == year && civil.month == month && civil.day == day) << days;
        ASSERT_EQ(days_of_civil(year, month, day), days);
      }
    }
  }
  EXPECT_EQ(days, 2932897);  // the day after 9999-12-31
}

TEST(DateTest, ErasRepeatOverTheWholeRange) {
  std::mt19937_64 random(9);
  for (int n = 0; n < 1000000; ++n) {
    const i64 days = i32(random());
    const i64 eras = floor_divide(days, 146097);
    const Civil civil = civil_of_days(days), first = civil_of_days(days - eras * 146097);
    ASSERT_EQ(civil.year, first.year + 400 * eras);
    ASSERT_TRUE(civil.month == first.month && civil.day == first.day);
    ASSERT_EQ(days_of_civil(civil.year, civil.month, civil.day), days);
  }
  EXPECT_EQ(year_of_days(INT32_MAX), 5881580);
  EXPECT_EQ(year_of_days(INT32_MIN), -5877641);
}

TEST(DateTest, PartsOfDatesAndTimestamps) {
  EXPECT_EQ(year_of_days(0), 1970);
  EXPECT_EQ(month_of_days(-1), 12);
  EXPECT_EQ(day_of_days(-1), 31);
  EXPECT_EQ(days_of_micros(-1), -1);
  EXPECT_EQ(days_of_micros(kMicrosOfDay - 1), 0);
  EXPECT_EQ(year_of_micros(-1), 1969);
  EXPECT_EQ(month_of_micros(kMicrosOfDay * 31), 2);
  EXPECT_EQ(day_of_micros(kMicrosOfDay * 31), 1);
}

}  // namespace
}  // namespace shadowvm::kernels::tests
