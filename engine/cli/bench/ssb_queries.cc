// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/ssb_queries.h"

#include <map>

#include "engine/cli/bench/constants.h"

namespace shadowvm::cli {
namespace {

using client::Asc;
using client::Col;
using client::Desc;
using client::Expr;
using client::Frame;
using client::On;
using client::Sum;

// What a dimension contributes: the rows that meet a condition, their key and the columns that are
// grouped by.
Frame Keep(const Frame& table, const Expr& condition, const std::vector<client::Named>& columns) {
  return table.Filter(condition).Select(columns);
}

Expr YearsBetween(int low, int high) { return Col("d_year") >= low && Col("d_year") <= high; }
Expr EitherOf(const char* column, const std::string& a, const std::string& b) {
  return Col(column) == a || Col(column) == b;
}

// Flight 1: revenue of some days, discounts and quantities.
Frame Flight1(const SsbTables& tables, const Expr& days, const Expr& lines) {
  return tables.lineorder.Filter(lines)
      .SemiJoin(Keep(tables.date, days, {"d_datekey"}), {On("lo_orderdate", "d_datekey")})
      .Aggregate({Sum(Col("lo_extendedprice") * Col("lo_discount")).As("revenue")});
}

// Flight 2: revenue of some parts from the suppliers of a region, by year and brand.
Frame Flight2(const SsbTables& tables, const Expr& parts, const std::string& region) {
  return tables.lineorder
      .Join(Keep(tables.part, parts, {"p_partkey", "p_brand1"}), {On("lo_partkey", "p_partkey")})
      .SemiJoin(Keep(tables.supplier, Col("s_region") == region, {"s_suppkey"}),
                {On("lo_suppkey", "s_suppkey")})
      .Join(tables.date.Select({"d_datekey", "d_year"}), {On("lo_orderdate", "d_datekey")})
      .GroupBy({"d_year", "p_brand1"})
      .Aggregate({Sum(Col("lo_revenue")).As("lo_revenue")})
      .OrderBy({Asc("d_year"), Asc("p_brand1")})
      .Select({"lo_revenue", "d_year", "p_brand1"});
}

// Flight 3: revenue between customers and suppliers of some places, by their nation or city and
// year.
Frame Flight3(const SsbTables& tables, const Expr& customers, const Expr& suppliers,
              const Expr& days, const std::string& place) {
  const std::string customer_place = "c_" + place;
  const std::string supplier_place = "s_" + place;
  return tables.lineorder
      .Join(Keep(tables.customer, customers, {"c_custkey", customer_place}),
            {On("lo_custkey", "c_custkey")})
      .Join(Keep(tables.supplier, suppliers, {"s_suppkey", supplier_place}),
            {On("lo_suppkey", "s_suppkey")})
      .Join(Keep(tables.date, days, {"d_datekey", "d_year"}), {On("lo_orderdate", "d_datekey")})
      .GroupBy({customer_place, supplier_place, "d_year"})
      .Aggregate({Sum(Col("lo_revenue")).As("revenue")})
      .OrderBy({Asc("d_year"), Desc("revenue")});
}

client::Agg Profit() { return Sum(Col("lo_revenue") - Col("lo_supplycost")).As("profit"); }

Frame Q1_1(const SsbTables& tables, Constants* constants) {
  return Flight1(
      tables, Col("d_year") == constants->Int("year", 1993),
      Col("lo_discount")
              .Between(constants->Int("discount_low", 1), constants->Int("discount_high", 3)) &&
          Col("lo_quantity") < constants->Int("quantity", 25));
}

Frame Q1_2(const SsbTables& tables, Constants*) {
  return Flight1(tables, Col("d_yearmonthnum") == 199401,
                 Col("lo_discount").Between(4, 6) && Col("lo_quantity").Between(26, 35));
}

Frame Q1_3(const SsbTables& tables, Constants*) {
  return Flight1(tables, Col("d_weeknuminyear") == 6 && Col("d_year") == 1994,
                 Col("lo_discount").Between(5, 7) && Col("lo_quantity").Between(26, 35));
}

Frame Q2_1(const SsbTables& tables, Constants* constants) {
  return Flight2(tables, Col("p_category") == constants->Text("category", "MFGR#12"),
                 constants->Text("region", "AMERICA"));
}

Frame Q2_2(const SsbTables& tables, Constants*) {
  return Flight2(tables, Col("p_brand1").Between("MFGR#2221", "MFGR#2228"), "ASIA");
}

Frame Q2_3(const SsbTables& tables, Constants*) {
  return Flight2(tables, Col("p_brand1") == "MFGR#2239", "EUROPE");
}

Frame Q3_1(const SsbTables& tables, Constants* constants) {
  return Flight3(tables, Col("c_region") == constants->Text("customer_region", "ASIA"),
                 Col("s_region") == constants->Text("supplier_region", "ASIA"),
                 YearsBetween(constants->Int("year_low", 1992), constants->Int("year_high", 1997)),
                 "nation");
}

Frame Q3_2(const SsbTables& tables, Constants*) {
  return Flight3(tables, Col("c_nation") == "UNITED STATES", Col("s_nation") == "UNITED STATES",
                 YearsBetween(1992, 1997), "city");
}

Frame Q3_3(const SsbTables& tables, Constants*) {
  return Flight3(tables, EitherOf("c_city", "UNITED KI1", "UNITED KI5"),
                 EitherOf("s_city", "UNITED KI1", "UNITED KI5"), YearsBetween(1992, 1997), "city");
}

Frame Q3_4(const SsbTables& tables, Constants*) {
  return Flight3(tables, EitherOf("c_city", "UNITED KI1", "UNITED KI5"),
                 EitherOf("s_city", "UNITED KI1", "UNITED KI5"), Col("d_yearmonth") == "Dec1997",
                 "city");
}

Frame Q4_1(const SsbTables& tables, Constants* constants) {
  const Expr customers = Col("c_region") == constants->Text("customer_region", "AMERICA");
  const Expr suppliers = Col("s_region") == constants->Text("supplier_region", "AMERICA");
  const Expr parts =
      EitherOf("p_mfgr", constants->Text("mfgr_a", "MFGR#1"), constants->Text("mfgr_b", "MFGR#2"));
  return tables.lineorder
      .Join(Keep(tables.customer, customers, {"c_custkey", "c_nation"}),
            {On("lo_custkey", "c_custkey")})
      .SemiJoin(Keep(tables.supplier, suppliers, {"s_suppkey"}), {On("lo_suppkey", "s_suppkey")})
      .SemiJoin(Keep(tables.part, parts, {"p_partkey"}), {On("lo_partkey", "p_partkey")})
      .Join(tables.date.Select({"d_datekey", "d_year"}), {On("lo_orderdate", "d_datekey")})
      .GroupBy({"d_year", "c_nation"})
      .Aggregate({Profit()})
      .OrderBy({Asc("d_year"), Asc("c_nation")});
}

// Queries 4.2 and 4.3: the profit of 1997 and 1998 with American customers, by something of
// supplier and part.
Frame LateProfit(const SsbTables& tables, const Expr& suppliers, const std::string& supplier_column,
                 const Expr& parts, const std::string& part_column) {
  const Expr years = Col("d_year") == 1997 || Col("d_year") == 1998;
  return tables.lineorder
      .SemiJoin(Keep(tables.customer, Col("c_region") == "AMERICA", {"c_custkey"}),
                {On("lo_custkey", "c_custkey")})
      .Join(Keep(tables.supplier, suppliers, {"s_suppkey", supplier_column}),
            {On("lo_suppkey", "s_suppkey")})
      .Join(Keep(tables.part, parts, {"p_partkey", part_column}), {On("lo_partkey", "p_partkey")})
      .Join(Keep(tables.date, years, {"d_datekey", "d_year"}), {On("lo_orderdate", "d_datekey")})
      .GroupBy({"d_year", supplier_column, part_column})
      .Aggregate({Profit()})
      .OrderBy({Asc("d_year"), Asc(Col(supplier_column)), Asc(Col(part_column))});
}

Frame Q4_2(const SsbTables& tables, Constants*) {
  return LateProfit(tables, Col("s_region") == "AMERICA", "s_nation",
                    EitherOf("p_mfgr", "MFGR#1", "MFGR#2"), "p_category");
}

Frame Q4_3(const SsbTables& tables, Constants*) {
  return LateProfit(tables, Col("s_nation") == "UNITED STATES", "s_city",
                    Col("p_category") == "MFGR#14", "p_brand1");
}

using Builder = Frame (*)(const SsbTables&, Constants*);

const std::map<std::string, Builder>& Builders() {
  static const std::map<std::string, Builder> kBuilders = {
      {"q1.1", Q1_1}, {"q1.2", Q1_2}, {"q1.3", Q1_3}, {"q2.1", Q2_1}, {"q2.2", Q2_2},
      {"q2.3", Q2_3}, {"q3.1", Q3_1}, {"q3.2", Q3_2}, {"q3.3", Q3_3}, {"q3.4", Q3_4},
      {"q4.1", Q4_1}, {"q4.2", Q4_2}, {"q4.3", Q4_3}};
  return kBuilders;
}

std::vector<std::string> NamesOf(const std::map<std::string, Builder>& builders) {
  std::vector<std::string> names;
  for (const auto& [name, builder] : builders) names.push_back(name);
  return names;
}

}  // namespace

SsbTables TablesInFolder(const std::string& folder) {
  const auto scan = [&](const char* table) {
    return client::Scan(folder + "/" + table + ".parquet");
  };
  return {scan("lineorder"), scan("customer"), scan("supplier"), scan("part"), scan("date")};
}

SsbTables RegisteredTables() {
  using client::Table;
  return {Table("lineorder"), Table("customer"), Table("supplier"), Table("part"), Table("date")};
}

const std::vector<std::string>& SsbQueryNames() {
  static const std::vector<std::string> kNames = NamesOf(Builders());
  return kNames;
}

base::Result<Frame> MakeSsbQuery(const std::string& name, const SsbTables& tables,
                                 const nlohmann::json& constants) {
  const auto builder = Builders().find(name);
  if (builder == Builders().end()) {
    return base::MakeError(base::ErrorCode::kBadCommand,
                           "no query is called '" + name + "': they are q1.1 to q4.3");
  }
  Constants given(constants);
  Frame query = builder->second(tables, &given);
  SVM_RETURN_NOT_OK(given.Check(name));
  return query;
}

}  // namespace shadowvm::cli
