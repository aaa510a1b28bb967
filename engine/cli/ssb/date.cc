// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <chrono>

#include "engine/cli/ssb/calendar.h"
#include "engine/cli/ssb/row_table.h"

namespace shadowvm::cli::ssb {
namespace {

class Date final : public RowTable {
 public:
  Date()
      : RowTable(arrow::schema(
            {IntField("d_datekey"), TextField("d_date"), TextField("d_dayofweek"),
             TextField("d_month"), IntField("d_year"), IntField("d_yearmonthnum"),
             TextField("d_yearmonth"), IntField("d_daynuminweek"), IntField("d_daynuminmonth"),
             IntField("d_daynuminyear"), IntField("d_monthnuminyear"), IntField("d_weeknuminyear"),
             TextField("d_sellingseason"), IntField("d_lastdayinweekfl"),
             IntField("d_lastdayinmonthfl"), IntField("d_holidayfl"), IntField("d_weekdayfl")})) {}

  std::string name() const override { return "date"; }
  int64_t num_rows() const override { return kNumDays; }
  std::vector<std::string> columns_without_dictionary() const override {
    return {"d_datekey", "d_date"};
  }

 private:
  base::Status PutRow(int64_t row, RowWriter* rows) const override {
    const int day = static_cast<int>(row);
    const auto date = DateOf(day);
    const int32_t year = static_cast<int>(date.year());
    const auto month = static_cast<unsigned>(date.month());
    const auto day_of_month = static_cast<unsigned>(date.day());
    const std::chrono::sys_days days(date);
    const unsigned weekday = std::chrono::weekday(days).c_encoding();
    const auto day_of_year =
        static_cast<int32_t>((days - std::chrono::sys_days(date.year() / 1 / 1)).count()) + 1;
    const bool is_month_end = DateOf(day + 1).month() != date.month();

    const std::string month_name(MonthName(month));
    const std::string year_text = std::to_string(year);
    return rows->Row(
        DateKeyOf(day), month_name + " " + std::to_string(day_of_month) + ", " + year_text,
        WeekdayName(weekday), month_name, year, year * 100 + static_cast<int32_t>(month),
        month_name.substr(0, 3) + year_text, static_cast<int32_t>(weekday + 1),
        static_cast<int32_t>(day_of_month), day_of_year, static_cast<int32_t>(month),
        day_of_year / 7 + 1, SellingSeason(month), int32_t{weekday == 6}, int32_t{is_month_end},
        int32_t{IsHoliday(month, day_of_month)}, int32_t{weekday != 0 && weekday != 6});
  }
};

}  // namespace

std::unique_ptr<TableGenerator> MakeDate() { return std::make_unique<Date>(); }

}  // namespace shadowvm::cli::ssb
