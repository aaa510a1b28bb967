// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/calendar.h"

#include <array>

namespace shadowvm::cli::ssb {

std::chrono::year_month_day DateOf(int day) {
  using std::chrono::days;
  using std::chrono::sys_days;
  using std::chrono::year;
  return sys_days(year(1992) / 1 / 1) + days(day);
}

int32_t DateKeyOf(int day) {
  const auto date = DateOf(day);
  return static_cast<int>(date.year()) * 10000 +
         static_cast<int32_t>(static_cast<unsigned>(date.month())) * 100 +
         static_cast<int32_t>(static_cast<unsigned>(date.day()));
}

std::string_view MonthName(unsigned month) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  return kNames[month - 1];
}

std::string_view WeekdayName(unsigned weekday) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  return kNames[weekday];
}

std::string_view SellingSeason(unsigned month) {
  if (month <= 3) return "Winter";
  if (month == 4) return "Spring";
  if (month <= 8) return "Summer";
  if (month <= 10) return "Fall";
  return "Christmas";
}

bool IsHoliday(unsigned month, unsigned day) {
  if (month == 12) return day == 24;
  if (month == 1) return day == 1;
  return day == 20 && month != 3 && month != 6;
}

}  // namespace shadowvm::cli::ssb
