// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Parts of dates (days since 1970-01-01) and timestamps (microseconds, UTC) in the proleptic
// Gregorian calendar.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

struct Civil {
  i64 year;
  u32 month;  // 1 … 12
  u32 day;    // 1 … 31
};

// The floor of v / by, by > 0.
SVM_INLINE i64 floor_divide(i64 v, i64 by) { return v / by - (v % by < 0); }

// Years are counted from March, so that the leap day is the last of its year, in eras of 400 years.
SVM_INLINE Civil civil_of_days(i64 days) {
  constexpr i64 kEraDays = 146097, kEpochFromMarch0 = 719468;
  const i64 since = days + kEpochFromMarch0;
  const i64 era = floor_divide(since, kEraDays);
  const u32 day_of_era = u32(since - era * kEraDays);
  const u32 leap_days = day_of_era / 1460 - day_of_era / 36524 + day_of_era / 146096;
  const u32 year_of_era = (day_of_era - leap_days) / 365;
  const u32 day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const u32 march_month = (5 * day_of_year + 2) / 153;
  const u32 month = march_month < 10 ? march_month + 3 : march_month - 9;
  return Civil{era * 400 + year_of_era + (month <= 2), month,
               day_of_year - (153 * march_month + 2) / 5 + 1};
}

// Days since 1970-01-01 of a date, the inverse.
SVM_INLINE i64 days_of_civil(i64 year, u32 month, u32 day) {
  const i64 march_year = year - (month <= 2);
  const i64 era = floor_divide(march_year, 400);
  const u32 year_of_era = u32(march_year - era * 400);
  const u32 day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const u32 day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

SVM_INLINE i64 year_of_days(i64 days) { return civil_of_days(days).year; }
SVM_INLINE i64 month_of_days(i64 days) { return civil_of_days(days).month; }
SVM_INLINE i64 day_of_days(i64 days) { return civil_of_days(days).day; }

inline constexpr i64 kMicrosOfDay = 86400000000;
SVM_INLINE i64 days_of_micros(i64 micros) { return floor_divide(micros, kMicrosOfDay); }
SVM_INLINE i64 year_of_micros(i64 micros) { return year_of_days(days_of_micros(micros)); }
SVM_INLINE i64 month_of_micros(i64 micros) { return month_of_days(days_of_micros(micros)); }
SVM_INLINE i64 day_of_micros(i64 micros) { return day_of_days(days_of_micros(micros)); }

}  // namespace shadowvm::kernels
