// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace shadowvm::cli::ssb {

// The calendar of the date table: day 0 is 1 January 1992, and 2,556 days follow one another.
inline constexpr int kNumDays = 2556;
// Orders are placed from day 0 to 2 August 1998, so that every commit date still lies in the table.
inline constexpr int kLastOrderDay = 2405;

std::chrono::year_month_day DateOf(int day);
int32_t DateKeyOf(int day);  // yyyymmdd

std::string_view MonthName(unsigned month);      // 1 is January
std::string_view WeekdayName(unsigned weekday);  // 0 is Sunday
std::string_view SellingSeason(unsigned month);
bool IsHoliday(unsigned month, unsigned day);

}  // namespace shadowvm::cli::ssb
