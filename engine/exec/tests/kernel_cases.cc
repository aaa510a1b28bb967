// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/tests/kernel_cases.h"

namespace shadowvm::exec {
namespace {

using client::Agg;
using client::Avg;
using client::Coalesce;
using client::Col;
using client::Count;
using client::Expr;
using client::Frame;
using client::Max;
using client::Min;
using client::On;
using client::Sum;
using client::Table;

Frame Sales() { return Table("sales"); }

Frame JoinTwoKeys(int variant) {
  return Sales()
      .Filter(Col("id") < 1000 + variant)
      .Join(Table("store"), {On("store", "store_id"), On("city", "place")})
      .Select({"id", "region", "owner"});
}

Frame JoinPlainText() {
  return Sales()
      .Join(Table("visit").Select({"visit_note", "guest"}), {On("note", "visit_note")})
      .Select({"id", "guest"});
}

Frame OuterJoins(int variant) {
  return Sales()
      .LeftJoin(Table("store").Select({"store_id", "place", "region"}), {On("shelf", "store_id")})
      .LeftJoin(Table("visit").Select({"visit_store", "guest"}), {On("store", "visit_store")})
      .Filter(Col("region").IsNull() || Col("store_id") > variant)
      .Select({"id", "place", "region", "guest"});
}

Frame SemiJoinCodes() {
  return Sales().SemiJoin(Table("store"), {On("village", "place")}).Select({"id", "village"});
}

Frame Expand(int variant) {
  return Sales()
      .Join(Table("visit"), {On("store", "visit_store")})
      .Filter(Col("guest") != "guest " + std::to_string(variant))
      .Select({"id", "guest"});
}

Frame NestedExpand(int variant) {
  return Sales()
      .Join(Table("visit").Select({"visit_store", "visit_serial", "guest"}),
            {On("store", "visit_store")})
      .Join(Table("visit").Select({client::Named("other_serial", Col("visit_serial")),
                                   client::Named("friend", Col("guest"))}),
            {On("visit_serial", "other_serial")})
      .Filter(Col("id") + Col("visit_serial") > variant && Col("guest") == Col("friend"))
      .GroupBy({"guest", "friend"})
      .Aggregate({Count().As("meetings")});
}

Frame SemiAndAntiNullable() {
  return Sales()
      .SemiJoin(Table("store"), {On("lot", "serial_id")})
      .AntiJoin(Table("visit"), {On("lot", "visit_serial")})
      .AntiJoin(Table("store"), {On("shelf", "store_id")})
      .Select({"id"});
}

Frame ComputedKey(int variant) {
  return Sales()
      .Join(Table("store"), {On(Col("store") + variant, Col("store_id"))})
      .SemiJoin(Table("visit"), {On(Col("shelf") * 2, Col("visit_store"))})
      .Select({"id", "area"});
}

Frame HashGroups() {
  return Sales()
      .GroupBy({"note", "village", "remark", "lot", "serial"})
      .Aggregate({Count().As("rows"), Sum(Col("price")).As("price"), Min(Col("remark")).As("least"),
                  Max(Col("city")).As("most")});
}

Frame DenseGroups() {
  return Sales()
      .Join(Table("store").Select({"store_id", "region"}), {On("store", "store_id")})
      .GroupBy({"region", "village", "shelf"})
      .Aggregate({Sum(Col("id")).As("ids"), Count(Col("weight")).As("weights")});
}

Frame SingleGroup() {
  return Sales().Aggregate({Count().As("rows"), Count(Col("shelf")).As("shelves"),
                            Sum(Col("weight")).As("weight"), Avg(Col("id")).As("id"),
                            Min(Col("rate")).As("rate"), Max(Col("total")).As("total"),
                            Min(Col("note")).As("note"), Sum(Col("total")).As("totals")});
}

Frame Collect() {
  return Sales().Select({"id", "shelf", "city", "village", "note", "remark", "price", "total",
                         "weight", "rate", "open", "day"});
}

Frame Where(int variant) {
  const Expr kind = client::Case()
                        .When(Col("shelf") > 10 + variant, Col("id") * 2)
                        .When(Col("open"), Coalesce({Col("shelf"), Col("store"), Expr(variant)}))
                        .End();
  return Sales()
      .Filter(kind > 5 + variant)
      .Filter(Col("note").Like("%" + std::to_string(variant) + "_1%") ||
              (Col("store").In({1, 2, 3 + variant}) && Col("weight") > 0.5 * variant))
      .Filter(!(Col("remark") >= "remark " + std::to_string(variant) && Col("open")))
      .Filter(client::Year(Col("day")) == 1994 + variant || Col("shelf").EqualNullSafe(variant))
      .Filter(Col("rate") != static_cast<float>(variant))
      .Select({"id"});
}

Frame Steps(int variant) {
  return Sales()
      .Filter(Col("id") >= 10 + variant && Col("id") < 1500 + variant)
      .Filter(Col("city").Like("city%" + std::to_string(variant)) && Col("city") != "city")
      .Filter(Col("village").IsNotNull() && Col("shelf").IsNull())
      .Select({"id", "city"});
}

Frame Decimals(int variant) {
  const Expr factor = client::DecimalLit(125 + variant, 5, 2);
  return Sales()
      .Filter(Col("price") * factor > client::DecimalLit(1000 + variant, 10, 3))
      .Select({client::Named("sum", Col("price") + factor),
               client::Named("product", Col("total") * factor),
               client::Named("quotient", Col("price") / factor),
               client::Named("negative", -Col("total")),
               client::Named("whole", Col("price").Cast(client::Int32Type())),
               client::Named("real", Col("total").Cast(client::DoubleType())),
               client::Named("narrow", Col("total").Cast(client::DecimalType(10, 1)))});
}

Frame Ansi(int variant) {
  return Sales()
      .Filter(Col("id") + variant > 3)
      .GroupBy({"city"})
      .Aggregate(
          {Sum(Col("id") * Col("store")).As("product"),
           Sum(Col("shelf").Cast(client::Int8Type())).As("shelves"),
           Sum(client::If(Col("store") > variant, Col("id") / Col("store"), 0.0)).As("share")});
}

v1::Settings AnsiSettings() {
  v1::Settings settings;
  settings.set_ansi(true);
  return settings;
}

}  // namespace

std::vector<KernelCase> SmallCases(int variant) {
  return {{"join_two_keys", JoinTwoKeys(variant)},
          {"join_plain_text", JoinPlainText()},
          {"semi_join_codes", SemiJoinCodes()},
          {"outer_joins", OuterJoins(variant)},
          {"expand", Expand(variant)},
          {"nested_expand", NestedExpand(variant)},
          {"semi_and_anti_nullable", SemiAndAntiNullable()},
          {"computed_key", ComputedKey(variant)},
          {"hash_groups", HashGroups()},
          {"dense_groups", DenseGroups()},
          {"single_group", SingleGroup()},
          {"collect", Collect()},
          {"where", Where(variant)},
          {"steps", Steps(variant)},
          {"decimals", Decimals(variant)},
          {"ansi", Ansi(variant), AnsiSettings()}};
}

}  // namespace shadowvm::exec
