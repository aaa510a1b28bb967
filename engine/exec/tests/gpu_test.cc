// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/base/fault.h"
#include "engine/cli/bench/answer_json.h"
#include "engine/exec/tests/goldens.h"
#include "engine/exec/tests/kernel_cases.h"
#include "engine/exec/tests/kernel_tables.h"

// Mode gpu on the emulated device: the same answers as on the CPU, and the text of the goldens,
// which nvrtc_golden_test.cc compiles for cards.
namespace shadowvm::exec {
namespace {

using client::Asc;
using client::Avg;
using client::Col;
using client::Count;
using client::Max;
using client::Min;
using client::On;
using client::Sum;

struct Answered {
  nlohmann::json rows;  // sorted
  std::vector<GpuPipeline> gpu;
  size_t num_kernels = 0;  // of pipelines that have one
};

Answered Ask(Engine* engine, const client::Frame& frame, const v1::Settings& settings = {}) {
  v1::Command command = frame.ToCommand();
  *command.mutable_settings() = settings;
  QueryStats stats;
  const auto answer = engine->Run(command, {.stats = &stats, .mode = schedule::Mode::kGpu});
  EXPECT_TRUE(answer.ok()) << answer.status();
  if (!answer.ok()) return {};
  Answered answered{cli::RowsToJson(**answer).ValueOrDie(), std::move(stats.gpu),
                    stats.kernels.size()};
  std::sort(answered.rows.begin(), answered.rows.end());
  return answered;
}

bool RanThere(const Answered& answered) {
  return std::any_of(answered.gpu.begin(), answered.gpu.end(),
                     [](const GpuPipeline& pipeline) { return pipeline.why_not.empty(); });
}

// In the order of its pipelines, of those that ran there.
std::vector<std::string> TextsOf(const Answered& answered) {
  std::vector<std::string> texts;
  for (const GpuPipeline& pipeline : answered.gpu) {
    if (pipeline.text == nullptr) continue;
    // Tables that one launch has made share its kernel.
    if (texts.empty() || texts.back() != *pipeline.text) texts.push_back(*pipeline.text);
  }
  return texts;
}

// Sums of doubles depend on the order in which they are added up.
bool AreAlike(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.is_number_float() && b.is_number_float()) {
    const double x = a.get<double>(), y = b.get<double>();
    return x == y || std::abs(x - y) <= 1e-12 * std::abs(x);
  }
  if (!a.is_array() || !b.is_array()) return a == b;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), AreAlike);
}

constexpr std::string_view kMachine = "engine/kernels/cuda/machine.h";

// The headers of kernels for a GPU, as a compiler sees them that makes quick code.
vkernel::HeaderSet QuickHeaders() {
  static const auto* const machine = new std::string([] {
    for (const kernels::EmbeddedHeader& header : kernels::EmbeddedHeaders()) {
      if (header.path == kMachine) return "#define SVM_QUICK\n" + std::string(header.text);
    }
    return std::string();
  }());
  static const auto* const headers = new std::vector<kernels::EmbeddedHeader>([] {
    const auto all = kernels::EmbeddedHeaders();
    std::vector<kernels::EmbeddedHeader> changed(all.begin(), all.end());
    for (kernels::EmbeddedHeader& header : changed) {
      if (header.path == kMachine) header.text = *machine;
    }
    return changed;
  }());
  return {*headers, "quick"};
}

// With full code and with quick code: the text is the same.
class GpuTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    cpu_ = MakeTestEngine();
    gpu_ = Engine::Make(Options()).ValueOrDie();
  }
  static EngineOptions Options() {
    EngineOptions options = TestEngineOptions("", GpuKind::kEmulated);
    if (GetParam() == std::string("Quick")) options.gpu.programs.headers = QuickHeaders();
    return options;
  }
  void TearDown() override { base::DisarmFaults(); }

  void AddTable(const std::string& name, const std::vector<NamedArray>& columns) {
    ASSERT_TRUE(cpu_->AddTable(name, *MakeTable(columns)).ok());
    ASSERT_TRUE(gpu_->AddTable(name, *MakeTable(columns)).ok());
  }
  // Runs a query on both; all of its kernels must have run on the GPU, with the CPU's answer.
  Answered ExpectSame(const client::Frame& frame, const v1::Settings& settings = {}) {
    const Answered here = Ask(cpu_.get(), frame, settings);
    Answered there = Ask(gpu_.get(), frame, settings);
    EXPECT_EQ(here.rows, there.rows);
    EXPECT_EQ(there.gpu.size(), there.num_kernels);
    for (const GpuPipeline& pipeline : there.gpu) {
      EXPECT_EQ(pipeline.why_not, "") << pipeline.title;
    }
    const std::vector<std::string> texts = TextsOf(there);
    texts_.insert(texts_.end(), texts.begin(), texts.end());
    return there;
  }

  std::unique_ptr<Engine> cpu_, gpu_;
  std::vector<std::string> texts_;  // of all kernels that ran there
};

// Build sides included.
TEST_P(GpuTest, StarSchemaBenchmark) {
  AddSsbTables(cpu_.get());
  AddSsbTables(gpu_.get());
  for (const std::string& name : cli::SsbQueryNames()) {
    SCOPED_TRACE(name);
    const Answered there = ExpectSame(SsbQuery(name));
    ExpectGolden("cuda/ssb_" + name, TextsOf(there));
    // Every dimension becomes a table there.
    for (size_t i = 0; i + 1 < there.gpu.size(); ++i) {
      EXPECT_NE(there.gpu[i].title.find("; table by "), std::string::npos) << there.gpu[i].title;
    }
  }
}

// Every form of blueprint.
TEST_P(GpuTest, FormsOfBlueprints) {
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  for (const KernelCase& one : SmallCases(1)) {
    SCOPED_TRACE(one.name);
    const Answered there = Ask(gpu_.get(), one.frame, one.settings);
    const Answered here = Ask(cpu_.get(), one.frame, one.settings);
    EXPECT_TRUE(AreAlike(here.rows, there.rows)) << here.rows << there.rows;
    EXPECT_EQ(there.gpu.size(), there.num_kernels);
    ExpectGolden("cuda/" + one.name, TextsOf(there));
    for (const GpuPipeline& pipeline : there.gpu) EXPECT_EQ(pipeline.why_not, "");
  }
}

constexpr int64_t kRows = 30000;

// More than one warp's tile, with nulls, values of every sign, and keys that miss.
void AddFacts(const std::function<void(const std::string&, const std::vector<NamedArray>&)>& add) {
  add("facts",
      {{"k", Int32s(kRows,
                    [](int64_t i) -> std::optional<int32_t> {
                      return i % 25 == 7 ? std::nullopt : std::optional<int32_t>(i * 7919 % 300);
                    })},
       {"small", Int32s(kRows, [](int64_t i) { return i % 7; })},
       {"value", Int32s(kRows, [](int64_t i) -> std::optional<int32_t> {
          return i % 11 == 3 ? std::nullopt : std::optional<int32_t>(i * 104729 % 200003 - 100000);
        })}});
  add("dims", {{"d", Int32s(200, [](int64_t i) { return i; })},
               {"g", Int32s(200, [](int64_t i) { return i / 50; })},
               {"weight", Int32s(200, [](int64_t i) { return 1000 - i; })}});
}

TEST_P(GpuTest, SumsMinimaAndMaximaWithNulls) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  v1::Settings ansi;
  ansi.set_ansi(true);
  for (const v1::Settings& settings : {v1::Settings(), ansi}) {
    ExpectSame(
        client::Table("facts").GroupBy({"small"}).Aggregate(
            {Count().As("rows"), Count(Col("value")).As("values"), Sum(Col("value")).As("sum"),
             Sum(Col("value") * 0.25).As("real"), Min(Col("value")).As("least"),
             Max(Col("value")).As("most"), Avg(Col("value")).As("average")}),
        settings);
  }
  ExpectSame(client::Table("facts")
                 .Filter(Col("k") > 20 && Col("value") < 5000)
                 .Aggregate({Count().As("rows"), Sum(Col("value")).As("sum"),
                             Min(Col("value")).As("least"), Max(Col("value")).As("most")}));
  ExpectGolden("cuda/sums_of_facts", texts_);
}

TEST_P(GpuTest, JoinsReadTheirBuildRows) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  ExpectSame(
      client::Table("facts")
          .Join(client::Table("dims"), {On("k", "d")})
          .GroupBy({"g"})
          .Aggregate({Count().As("rows"), Sum(Col("value") * Col("weight")).As("weighted")}));
  ExpectSame(client::Table("facts")
                 .AntiJoin(client::Table("dims"), {On("k", "d")})
                 .GroupBy({"small"})
                 .Aggregate({Count().As("rows")}));
  ExpectSame(client::Table("facts")
                 .Join(client::Table("dims"), {On("k", "d"), On("small", "g")})
                 .Filter(Col("weight") % 3 == 1)
                 .Aggregate({Count().As("rows"), Sum(Col("weight")).As("weight")}));
  ExpectGolden("cuda/joins_of_facts", texts_);
}

// Tables by direct address that do not span the column, and by hash, asked in every way.
TEST_P(GpuTest, JoinsOfEveryForm) {
  AddTable("probes", {{"far", MakeArray(arrow::Int64Builder(), kRows,
                                        [](int64_t i) {
                                          return std::optional(i % 300 * (i % 2 ? 1 : 1L << 40));
                                        })},
                      {"small", Int32s(kRows, [](int64_t i) { return i % 7; })},
                      {"value", Int32s(kRows, [](int64_t i) -> std::optional<int32_t> {
                         return i % 11 == 3 ? std::nullopt : std::optional<int32_t>(i * 31 % 1009);
                       })}});
  AddTable(
      "dims",
      {{"d", MakeArray(arrow::Int64Builder(), 200, [](int64_t i) { return std::optional(i); })},
       {"g", Int32s(200, [](int64_t i) { return i % 7; })},
       {"weight", Int32s(200, [](int64_t i) { return 1000 - i; })}});
  const client::Frame probes = client::Table("probes"), dims = client::Table("dims");
  const auto both = {On("far", "d"), On("small", "g")};
  ExpectSame(probes.Join(dims, {On("far", "d")}).Select({"far", "weight"}));
  ExpectSame(probes.SemiJoin(dims, {On("far", "d")}).Select({"far"}));
  ExpectSame(probes.AntiJoin(dims, {On("far", "d")}).Select({"far"}));
  ExpectSame(probes.AntiJoin(dims, {On(Col("small") * 2, Col("g"))}).Select({"far", "small"}));
  ExpectSame(probes.AntiJoin(dims, both).Select({"far", "small"}));
  ExpectSame(probes.Filter(Col("value").IsNotNull())
                 .Join(dims, both)
                 .GroupBy({"weight"})
                 .Aggregate({Sum(Col("value")).As("sum")}));
  ExpectGolden("cuda/joins_of_every_form", texts_);
}

// What texts say of values that are no strings, once each: NVRTC compiles no other than goldens.
TEST_P(GpuTest, EveryWordOfExpressions) {
  using client::Day;
  using client::Expr;
  using client::Month;
  using client::Named;
  using client::Year;
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  AddTable("moments",
           {{"moment",
             MakeArray(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO),
                                               arrow::default_memory_pool()),
                       kRows, [](int64_t i) { return std::optional((i - 400) * 86'399'999'983); })},
            {"day", MakeArray(arrow::Date32Builder(), kRows, [](int64_t i) {
               return std::optional(static_cast<int32_t>(i * 37 - 9000));
             })}});
  const client::Frame sales = client::Table("sales");
  const Expr id = Col("id"), store = Col("store"), shelf = Col("shelf"), weight = Col("weight");
  const Expr price = Col("price"), total = Col("total"), rate = Col("rate");
  const Expr factor = client::DecimalLit(125, 5, 2);
  ExpectSame(sales.Filter(store.In({1, 2, 7, 40}) || weight.In({0.5, 7.0, 96.5}))
                 .Filter(rate < 200.0F || weight.EqualNullSafe(3.5) || weight >= 400.0)
                 .Select({Named("negative", -id), Named("opposite", -weight),
                          Named("difference", id - store), Named("rest", id % (store + 1)),
                          Named("ratio", id / (store + 1)), Named("real_rest", weight % 3.0)}));
  const Expr moment = Col("moment");
  ExpectSame(client::Table("moments").Select(
      {Named("at", Year(moment) * Month(moment) + Day(moment)),
       Named("on", Year(Col("day")) * Month(Col("day")) + Day(Col("day")))}));
  ExpectSame(sales.Select({Named("byte", Col("serial").Cast(client::Int8Type())),
                           Named("short", weight.Cast(client::Int16Type())),
                           Named("long", total.Cast(client::Int64Type())),
                           Named("flag", shelf.Cast(client::BoolType())),
                           Named("one", Col("open").Cast(client::Int32Type())),
                           Named("float", total.Cast(client::FloatType())),
                           Named("decimal", id.Cast(client::DecimalType(12, 2))),
                           Named("tried", Col("serial").TryCast(client::Int16Type()))}));
  v1::Settings ansi;
  ansi.set_ansi(true);
  ExpectSame(
      sales.Select({Named("negative", -id), Named("sum", id + store),
                    Named("difference", id - store), Named("product", id * store),
                    Named("rest", id % (store + 1)), Named("byte", store.Cast(client::Int8Type())),
                    Named("short", weight.Cast(client::Int16Type())),
                    Named("long", price.Cast(client::Int64Type()))}),
      ansi);
  ExpectSame(sales.Select({Named("difference", price - factor), Named("rest", price % factor),
                           Named("quotient", total / factor), Named("sum", total + factor)}));
  ExpectSame(sales.GroupBy({"weight"})
                 .Aggregate({Min(rate).As("least"), Max(rate).As("most"), Sum(price).As("price")}));
  ExpectSame(sales.Aggregate({Min(weight).As("least"), Max(weight).As("most")}));
  ExpectGolden("cuda/words_of_expressions", texts_);
}

TEST_P(GpuTest, TheModeOfARun) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  const auto command = client::Table("facts").Aggregate({Sum(Col("value")).As("sum")}).ToCommand();
  QueryStats stats;
  ASSERT_TRUE(gpu_->Run(command, {.stats = &stats, .mode = schedule::Mode::kCpu}).ok());
  EXPECT_TRUE(stats.gpu.empty());
  ASSERT_TRUE(gpu_->Run(command, {.stats = &stats, .mode = schedule::Mode::kGpu}).ok());
  EXPECT_EQ(stats.gpu.size(), 1u);
}

TEST_P(GpuTest, ALimitRunsHere) {
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  const client::Frame frame = client::Table("sales").Select({"id"}).Limit(10'000);
  const Answered there = Ask(gpu_.get(), frame);
  EXPECT_EQ(Ask(cpu_.get(), frame).rows, there.rows);
  ASSERT_FALSE(there.gpu.empty());
  EXPECT_EQ(there.gpu.back().why_not, "a limit, which a few rows may fill");
  EXPECT_EQ(there.gpu.back().text, nullptr);
}

// With one match a row and with several, with null keys, and with nothing to match.
TEST_P(GpuTest, OuterJoins) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  AddTable("several", {{"s", Int32s(600, [](int64_t i) { return 50 + i % 200; })},
                       {"n", Int32s(600, [](int64_t i) { return i; })}});
  const auto facts = client::Table("facts");
  ExpectSame(facts.LeftJoin(client::Table("dims"), {On("k", "d")})
                 .Aggregate({Count().As("rows"), Count(Col("d")).As("met"),
                             Sum(Col("weight") * Col("small")).As("sum")}));
  ExpectSame(facts.LeftJoin(client::Table("dims"), {On("k", "d"), On("small", "g")})
                 .GroupBy({"g", "small"})
                 .Aggregate({Count().As("rows"), Min(Col("weight")).As("least")}));
  ExpectSame(facts.Filter(Col("small") > 1)
                 .LeftJoin(client::Table("several"), {On("k", "s")})
                 .Filter(Col("n").IsNull() || Col("n") + Col("small") > 40)
                 .Select({"k", "value", "n"}));
  ExpectSame(facts.LeftJoin(client::Table("several"), {On("small", "s")})
                 .LeftJoin(client::Table("dims"), {On("k", "d")})
                 .Select({"k", "n", "weight"}));
  ExpectSame(facts.LeftJoin(client::Table("several").Filter(Col("n") < 0), {On("k", "s")})
                 .Aggregate({Count().As("rows"), Count(Col("n")).As("met")}));
  ExpectGolden("cuda/outer_joins_of_facts", texts_);
}

// Of strings the GPU need not read.
TEST_P(GpuTest, NullsAmongStrings) {
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  const auto sales = client::Table("sales");
  ExpectSame(sales.Filter(Col("village").IsNull() || Col("remark").IsNotNull())
                 .Aggregate({Count(Col("village")).As("villages"),
                             Count(Col("remark")).As("remarks"), Count(Col("note")).As("notes")}));
}

// Strings of every place: of segments, of dictionaries, of build rows held as codes and as strings,
// of literals and lists.
TEST_P(GpuTest, FiltersAndAggregatesThatReadStrings) {
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  const auto sales = client::Table("sales");
  const auto stores = client::Table("store");
  ExpectSame(sales.Filter(Col("note").Like("%e 1%") && Col("remark") != "remark 1001")
                 .Aggregate({Count().As("rows"), Sum(Col("id")).As("ids")}));
  ExpectSame(sales
                 .Filter(Col("village").Substring(Col("shelf"), 2) == "ty" ||
                         Col("city") == Col("village"))
                 .Aggregate({Count().As("rows")}));
  ExpectSame(sales.Filter(Col("note").In({"note 7", "note 1999", "no note"}))
                 .Aggregate({Sum(Col("id")).As("ids")}));
  ExpectSame(sales.Aggregate({Count(Col("village").Substring(Col("shelf"), 2)).As("parts")}));
  ExpectSame(sales.Join(stores, {On("store", "store_id")})
                 .Filter(Col("place") < Col("note") && Col("owner") >= Col("city"))
                 .Aggregate({Count().As("rows"), Sum(Col("id")).As("ids")}));
  ExpectSame(sales.LeftJoin(stores, {On("store", "store_id")})
                 .Filter(Col("owner").IsNull() || Col("owner").Substring(7, 1) == "1")
                 .GroupBy({"city"})
                 .Aggregate({Count().As("rows")}));
  ExpectGolden("cuda/strings_of_sales", texts_);
}

// They point into segments, dictionaries, build rows and literals, whole or in part.
TEST_P(GpuTest, RowsLeaveWithStrings) {
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  const auto sales = client::Table("sales");
  for (int run = 0; run < 2; ++run) {  // the second one finds copies
    ExpectSame(sales.Filter(Col("id") % 3 == 0).Select({"id", "note", "remark", "city"}));
    ExpectSame(sales.Select(
        {client::Named("part", Col("note").Substring(6, 2)),
         client::Named("town", Col("village").Substring(Col("shelf"), 3)),
         client::Named("none", Col("remark").Substring(1, 0)),
         client::Named("either", client::Case().When(Col("id") < 99, "few").Else(Col("note")))}));
    ExpectSame(sales.Join(client::Table("store"), {On("store", "store_id")})
                   .Select({client::Named("last", Col("owner").Substring(-2, 2)), "id", "owner"}));
  }
  ExpectGolden("cuda/rows_with_strings", texts_);
}

// Of segments, of dictionaries and build rows in part, with nulls, beside other keys.
TEST_P(GpuTest, GroupsByStrings) {
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  const auto sales = client::Table("sales");
  const auto count = [](client::Frame frame, const std::vector<std::string>& keys) {
    return frame.GroupBy({keys.begin(), keys.end()})
        .Aggregate({Count().As("rows"), Sum(Col("id")).As("ids")});
  };
  for (int run = 0; run < 2; ++run) {  // the second one finds copies
    ExpectSame(count(sales, {"note"}));
    ExpectSame(count(sales, {"remark", "city", "note"}));
    ExpectSame(count(sales.Select({client::Named("part", Col("remark").Substring(7, 2)),
                                   client::Named("town", Col("city").Substring(1, 5)), "id"}),
                     {"part", "town"}));
    ExpectSame(
        count(sales.Select({client::Named("none", Col("note").Substring(1, 0)), "id"}), {"none"}));
    ExpectSame(count(sales.LeftJoin(client::Table("store"), {On("store", "store_id")})
                         .Select({client::Named("last", Col("owner").Substring(-2, 2)), "id"}),
                     {"last"}));
    ExpectSame(count(sales.Filter(Col("id") < 0), {"note"}));
    ExpectSame(count(sales.Filter(Col("remark").IsNull()), {"remark"}));
  }
  ExpectGolden("cuda/groups_by_strings", texts_);
}

// More than there are rows in the source: a launch that has no room for them is made again.
TEST_P(GpuTest, MoreStringsThanThereWasRoomFor) {
  AddTable("few", {{"k", Int32s(20, [](int64_t i) { return i; })}});
  AddTable("notes", {{"s", Int32s(4000, [](int64_t i) { return i % 20; })},
                     {"note", Texts(4000, [](int64_t i) { return "n " + std::to_string(i); })}});
  const client::Frame frame = client::Table("few")
                                  .Join(client::Table("notes"), {On("k", "s")})
                                  .GroupBy({"note"})
                                  .Aggregate({Count().As("rows"), Max(Col("note")).As("most")});
  const Answered there = Ask(gpu_.get(), frame);
  EXPECT_EQ(Ask(cpu_.get(), frame).rows, there.rows);
  EXPECT_EQ(there.rows.size(), 4000U);
  EXPECT_EQ(there.gpu.back().why_not, "");
}

// In one group, in dense ones and in groups by hash; of every place, with nulls and without any.
TEST_P(GpuTest, LeastAndGreatestString) {
  AddSmallTables(cpu_.get());
  AddSmallTables(gpu_.get());
  const auto sales = client::Table("sales");
  const auto both = [](const client::Expr& value) {
    return std::vector<client::Agg>{Min(value).As("least"), Max(value).As("most")};
  };
  for (int run = 0; run < 2; ++run) {
    ExpectSame(sales.Aggregate(both(Col("note"))));
    ExpectSame(sales.Aggregate(both(Col("remark").Substring(1, 0))));
    ExpectSame(sales.Filter(Col("id") < 0).Aggregate(both(Col("remark"))));
    ExpectSame(sales.GroupBy({"city"}).Aggregate(both(Col("remark"))));
    ExpectSame(sales.GroupBy({"shelf"}).Aggregate(both(Col("village"))));
    ExpectSame(sales.GroupBy({"note"}).Aggregate(both(Col("remark").Substring(3, 9))));
    ExpectSame(sales.Join(client::Table("store"), {On("store", "store_id")})
                   .GroupBy({"id"})
                   .Aggregate(both(client::Case().When(Col("id") < 99, "few").Else(Col("owner")))));
  }
  ExpectGolden("cuda/least_strings", texts_);
}

// In shared memory, in the device's, in one group and in groups by hash.
TEST_P(GpuTest, LeastAndGreatestOfWideDecimals) {
  const auto wide = [](int64_t i) -> std::optional<arrow::Decimal128> {
    if (i % 13 == 5) return std::nullopt;
    // Upper halves of either sign, and lower ones that count beside equal upper halves.
    return arrow::Decimal128((i * 7919) % 5 - 2, static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u);
  };
  AddTable(
      "amounts",
      {{"few", Int32s(kRows, [](int64_t i) { return i % 7; })},
       {"many", Int64s(kRows, [](int64_t i) { return i * 7919 % 9000 * 1'000'000'000'000; })},
       {"amount", MakeArray(arrow::Decimal128Builder(arrow::decimal128(38, 2)), kRows, wide)}});
  const auto both = [](client::Frame frame, const std::vector<std::string>& keys) {
    return frame.GroupBy({keys.begin(), keys.end()})
        .Aggregate({Min(Col("amount")).As("least"), Max(Col("amount")).As("most")});
  };
  const auto amounts = client::Table("amounts");
  ExpectSame(amounts.Aggregate({Min(Col("amount")).As("least"), Max(Col("amount")).As("most")}));
  ExpectSame(both(amounts, {"few"}));
  ExpectSame(both(amounts, {"many"}));
  ExpectSame(amounts.Filter(Col("few") > 100).Aggregate({Min(Col("amount")).As("least")}));
  ExpectGolden("cuda/wide_minima", texts_);
}

// Rows come back packed, with their nulls; and more of them than there was room for at first.
TEST_P(GpuTest, RowsLeaveThePipeline) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  ExpectSame(client::Table("facts").Filter(Col("small") < 2 && Col("k") > 100));
  ExpectSame(client::Table("facts").Filter(Col("small") > 100));
  ExpectSame(client::Table("facts")
                 .Filter(Col("k") % 3 == 0)
                 .Select({client::Named("sum", Col("value") + Col("k")),
                          client::Named("small", Col("small"))}));
  AddTable("several", {{"s", Int32s(600, [](int64_t i) { return i % 200; })},
                       {"n", Int32s(600, [](int64_t i) { return i; })}});
  ExpectSame(client::Table("facts")
                 .Join(client::Table("several"), {On("k", "s")})
                 .Select({"k", "value", "n"}));
  ExpectGolden("cuda/rows_of_facts", texts_);
}

// Few rows, or rows that would have to cross the link first, are not worth a launch.
TEST_P(GpuTest, BuildSidesOfWhichItHasCopies) {
  EngineOptions options = Options();
  options.gpu.least_build_rows = kRows;
  gpu_ = Engine::Make(std::move(options)).ValueOrDie();
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  AddTable("large", {{"id", Int32s(kRows, [](int64_t i) { return i; })},
                     {"part", Int32s(kRows, [](int64_t i) { return i % 3; })}});
  const auto joined = [](const char* build, const char* key) {
    // Rows of the build side are read.
    return client::Table("facts")
        .Join(client::Table(build), {On("k", key)})
        .Aggregate({Count().As("rows"), Sum(Col("value") + Col(key)).As("sum")});
  };
  const auto why_not = [&](const client::Frame& frame) {
    const Answered there = Ask(gpu_.get(), frame);
    EXPECT_EQ(Ask(cpu_.get(), frame).rows, there.rows);
    EXPECT_EQ(there.gpu.back().why_not, "");
    return there.gpu.front().why_not;
  };
  EXPECT_EQ(why_not(joined("dims", "d")), "a build side of few rows");
  EXPECT_EQ(why_not(joined("large", "id")), "a build side that is not in the GPU's memory");
  ExpectSame(client::Table("large").Aggregate({Sum(Col("id")).As("sum")}));
  EXPECT_EQ(why_not(joined("large", "id")), "");
}

TEST_P(GpuTest, GroupsByHash) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  ExpectSame(client::Table("facts")
                 .GroupBy({"value", "small"})
                 .Aggregate({Count().As("rows"), Sum(Col("k")).As("sum"), Min(Col("k")).As("least"),
                             Avg(Col("k")).As("average")}));
  AddTable("several", {{"s", Int32s(900, [](int64_t i) { return i % 300; })},
                       {"n", Int32s(900, [](int64_t i) { return i; })}});
  ExpectSame(client::Table("facts")
                 .Join(client::Table("several"), {On("k", "s")})
                 .Filter(Col("n") + Col("small") > 40)
                 .GroupBy({"value", "n"})
                 .Aggregate({Count().As("rows"), Sum(Col("k")).As("sum")}));
  ExpectGolden("cuda/hash_groups_of_facts", texts_);
}

// Sums that must not overflow, in one group, in dense ones and by hash: right up to the limit, and
// the query's error beyond it.
TEST_P(GpuTest, CheckedSums) {
  constexpr int64_t kMost = INT64_MAX / 64;
  const auto table = [&](int64_t last) {
    return std::vector<NamedArray>{
        {"g", Int32s(64, [](int64_t i) { return i % 2; })},
        {"wide", Int64s(64, [](int64_t i) { return i % 2 == 0 ? i << 40 : i << 41; })},
        {"v", Int64s(64, [&](int64_t i) { return i == 63      ? last
                                                 : i % 3 == 0 ? -kMost
                                                              : kMost; })}};
  };
  v1::Settings ansi;
  ansi.set_ansi(true);
  int num_failed = 0;
  for (const bool overflows : {false, true}) {
    AddTable("sums", table(overflows ? INT64_MAX : kMost));
    const client::Frame all = client::Table("sums");
    // Of 28 digits, and one of 29.
    const client::Expr decimal = Col("v").Cast(client::DecimalType(38, 0)) * 10'000'000'000;
    for (const client::Frame& frame :
         {all.Aggregate({Sum(Col("v")).As("sum")}),
          all.GroupBy({"g"}).Aggregate({Sum(Col("v")).As("sum")}),
          all.GroupBy({"wide"}).Aggregate({Sum(Col("v")).As("sum")}),
          all.Aggregate({Sum(decimal).As("sum"), Avg(decimal).As("average")}),
          all.GroupBy({"g"}).Aggregate({Sum(decimal).As("sum")}),
          all.GroupBy({"wide"}).Aggregate({Sum(decimal).As("sum")})}) {
      v1::Command command = frame.ToCommand();
      *command.mutable_settings() = ansi;
      const auto here = cpu_->Run(command);
      const auto there = gpu_->Run(command, {.mode = schedule::Mode::kGpu});
      ASSERT_EQ(here.ok(), there.ok()) << here.status() << there.status();
      num_failed += !here.ok();
      if (here.ok()) ExpectSame(frame, ansi);
    }
  }
  EXPECT_EQ(num_failed, 5);  // the last row's 'wide' is its own
  ExpectGolden("cuda/checked_sums", texts_);
}

// No room, a card that fails, a compiler that fails: the CPU answers, and the reason is kept.
TEST_P(GpuTest, WhatFailsThereRunsHere) {
  AddFacts([&](const auto& name, const auto& columns) { AddTable(name, columns); });
  const client::Frame frame =
      client::Table("facts").GroupBy({"small"}).Aggregate({Count().As("rows")});
  const Answered here = Ask(cpu_.get(), frame);
  for (const std::string fault :
       {"compile.program=always:error", "exec.gpu.run=always:oom", "exec.gpu.run=always:error"}) {
    SCOPED_TRACE(fault);
    ASSERT_TRUE(base::ArmFaults(fault).ok());
    const Answered there = Ask(gpu_.get(), frame);
    EXPECT_EQ(here.rows, there.rows);
    ASSERT_EQ(there.gpu.size(), 1u);
    EXPECT_FALSE(there.gpu[0].why_not.empty());
  }
  base::DisarmFaults();
  EXPECT_TRUE(RanThere(Ask(gpu_.get(), frame)));
}

INSTANTIATE_TEST_SUITE_P(Codes, GpuTest, testing::Values("Full", "Quick"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace shadowvm::exec
