// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/client/client.h"
#include "engine/plan/plan_builder.h"

// Tables that exist as schemas only, and commands written with the client.
namespace shadowvm::plan {

inline columns::Field Field(std::string name, columns::Type type, bool nullable = false) {
  return {std::move(name), type, nullable};
}

inline columns::Schema Int32Columns(const std::vector<std::string>& names) {
  columns::Schema schema;
  for (const auto& name : names) {
    schema.fields.push_back(Field(name, columns::Type::Of(columns::TypeKind::kInt32)));
  }
  return schema;
}

class SchemaCatalog : public Catalog {
 public:
  SchemaCatalog();
  base::Result<columns::Schema> SchemaOf(const ScanSource& source) override {
    ++num_asked;
    const auto found = schemas.find(source.name());
    if (found != schemas.end()) return found->second;
    return base::MakeError(base::ErrorCode::kFileMissing, source.name());
  }
  std::map<std::string, columns::Schema> schemas;
  int num_asked = 0;
};

// The Star Schema Benchmark's tables, with the columns its queries read, and "mixed": one column
// per type.
inline SchemaCatalog::SchemaCatalog() {
  using columns::Type;
  using columns::TypeKind;
  const Type text = Type::Of(TypeKind::kString);
  schemas["lineorder"] = Int32Columns({"lo_orderkey", "lo_custkey", "lo_partkey", "lo_suppkey",
                                       "lo_orderdate", "lo_quantity", "lo_extendedprice",
                                       "lo_discount", "lo_revenue", "lo_supplycost"});
  schemas["date"] = Int32Columns({"d_datekey", "d_year", "d_yearmonthnum"});
  for (const char* name : {"customer", "supplier", "part"}) {
    const std::string prefix(1, name[0]);
    schemas[name] = Int32Columns({prefix + (prefix == "c"   ? "_custkey"
                                            : prefix == "s" ? "_suppkey"
                                                            : "_partkey")});
    const std::vector<std::string> texts =
        prefix == "p"
            ? std::vector<std::string>{"p_mfgr", "p_category", "p_brand1"}
            : std::vector<std::string>{prefix + "_region", prefix + "_nation", prefix + "_city"};
    for (const auto& column : texts) schemas[name].fields.push_back(Field(column, text));
  }
  schemas["mixed"].fields = {Field("flag", Type::Of(TypeKind::kBool)),
                             Field("i8", Type::Of(TypeKind::kInt8)),
                             Field("i16", Type::Of(TypeKind::kInt16)),
                             Field("i32", Type::Of(TypeKind::kInt32)),
                             Field("i64", Type::Of(TypeKind::kInt64)),
                             Field("f32", Type::Of(TypeKind::kFloat)),
                             Field("f64", Type::Of(TypeKind::kDouble)),
                             Field("dec", Type::Decimal(12, 2)),
                             Field("wide", Type::Decimal(38, 10)),
                             Field("day", Type::Of(TypeKind::kDate)),
                             Field("ts", Type::Of(TypeKind::kTimestamp)),
                             Field("text", text),
                             Field("bytes", Type::Of(TypeKind::kBinary)),
                             Field("maybe", Type::Of(TypeKind::kInt32), true)};
}

inline client::Frame TableNamed(const std::string& name) { return client::Table(name); }

inline base::Result<Plan> TryBuild(const client::Frame& frame, v1::Settings settings = {}) {
  SchemaCatalog catalog;
  v1::Command command = frame.ToCommand();
  *command.mutable_settings() = std::move(settings);
  return BuildPlan(command, &catalog);
}

inline Plan Build(const client::Frame& frame, v1::Settings settings = {}) {
  auto plan = TryBuild(frame, std::move(settings));
  if (!plan.ok()) ADD_FAILURE() << plan.status().ToString();
  return std::move(plan).ValueOrDie();
}

// SSB Q2.1, joins first and filters on top, as one writes it by hand.
inline client::Frame SsbQ21() {
  using namespace client;
  return Table("lineorder")
      .Join(Table("date"), {On("lo_orderdate", "d_datekey")})
      .Join(Table("part"), {On("lo_partkey", "p_partkey")})
      .Join(Table("supplier"), {On("lo_suppkey", "s_suppkey")})
      .Filter(Col("p_category") == "MFGR#12" && Col("s_region") == "AMERICA")
      .GroupBy({"d_year", "p_brand1"})
      .Aggregate({Sum(Col("lo_revenue")).As("revenue")})
      .OrderBy({Asc("d_year"), Asc("p_brand1")})
      .Select({"revenue", "d_year", "p_brand1"});
}

// SSB Q4.1, filters on the dimensions already.
inline client::Frame SsbQ41() {
  using namespace client;
  const Frame customers = Table("customer").Filter(Col("c_region") == "AMERICA");
  const Frame suppliers = Table("supplier").Filter(Col("s_region") == "AMERICA");
  const Frame parts = Table("part").Filter(Col("p_mfgr").In({"MFGR#1", "MFGR#2"}));
  return Table("lineorder")
      .Join(Table("date"), {On("lo_orderdate", "d_datekey")})
      .Join(customers, {On("lo_custkey", "c_custkey")})
      .SemiJoin(suppliers, {On("lo_suppkey", "s_suppkey")})
      .SemiJoin(parts, {On("lo_partkey", "p_partkey")})
      .GroupBy({"d_year", "c_nation"})
      .Aggregate({Sum(Col("lo_revenue") - Col("lo_supplycost")).As("profit")})
      .OrderBy({Asc("d_year"), Asc("c_nation")});
}

}  // namespace shadowvm::plan
