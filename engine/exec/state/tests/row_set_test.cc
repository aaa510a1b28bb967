// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/api.h>

#include <numeric>

#include "engine/columns/arrow_export.h"
#include "engine/exec/state/row_buffer.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/exec/state/tests/state_test.h"

namespace shadowvm::exec {
namespace {

class RowSetTest : public StateTest {
 protected:
  std::vector<RowColumn> TwoColumns() {
    return {RowColumn::Value(kInt32, false), RowColumn::Value(kInt64, true)};
  }
  // Appends 'rows' rows as a kernel would: (first + i, null when odd).
  static base::Status Append(RowBuffer* buffer, int64_t first, int64_t rows) {
    kernels::KernelCall call{};
    call.output = buffer;
    if (!buffer->reserve(&call, rows)) return buffer->status();
    for (int64_t i = 0; i < rows; ++i) {
      static_cast<int32_t*>(buffer->columns[0])[buffer->count + i] = static_cast<int>(first + i);
      static_cast<int64_t*>(buffer->columns[1])[buffer->count + i] = first + i;
      buffer->valid[1][buffer->count + i] = (first + i) % 2 == 0;
    }
    buffer->count += rows;
    return base::Status::OK();
  }
  static void ExpectCounting(const RowSet& rows) {
    for (int64_t i = 0; i < rows.num_rows; ++i) {
      ASSERT_EQ(rows.columns[0].Integer(i), i);
      ASSERT_EQ(rows.columns[1].is_valid(i), i % 2 == 0);
      if (i % 2 == 0) {
        ASSERT_EQ(rows.columns[1].Integer(i), i);
      }
    }
  }
};

TEST_F(RowSetTest, BuffersGrowAndConcatenateInOrder) {
  for (const int64_t rows : {0, 1, 2048, 100000}) {
    std::vector<std::unique_ptr<RowBuffer>> buffers;
    for (int worker = 0; worker < 3; ++worker) {
      buffers.push_back(std::make_unique<RowBuffer>(&budget_, TwoColumns()));
      EXPECT_EQ(buffers.back()->valid[0], nullptr);
      for (int64_t at = 0; at < rows; at += 2048) {
        ASSERT_TRUE(
            Append(buffers.back().get(), worker * rows + at, std::min<int64_t>(2048, rows - at))
                .ok());
      }
    }
    const RowSet all = Concatenate(buffers, &budget_, workers_).ValueOrDie();
    EXPECT_EQ(all.num_rows, 3 * rows);
    ExpectCounting(all);
    EXPECT_EQ(buffers[0]->num_rows(), 0);
  }
}

TEST_F(RowSetTest, ConcatenateKeepsToTheLimit) {
  for (const int64_t limit : {0, 1, 100, 150, 1000}) {
    std::vector<std::unique_ptr<RowBuffer>> buffers;
    for (int worker = 0; worker < 2; ++worker) {
      buffers.push_back(std::make_unique<RowBuffer>(&budget_, TwoColumns()));
      ASSERT_TRUE(Append(buffers.back().get(), worker * 100, 100).ok());
    }
    const RowSet all = Concatenate(buffers, &budget_, workers_, limit).ValueOrDie();
    EXPECT_EQ(all.num_rows, std::min<int64_t>(limit, 200));
    ExpectCounting(all);
  }
}

// One holds all that is asked for, but not as it is asked for: with rows between that nobody wants,
// or in another order.
TEST_F(RowSetTest, ConcatenateLeavesRowsOut) {
  const auto buffer = [&] {
    std::vector<std::unique_ptr<RowBuffer>> buffers;
    buffers.push_back(std::make_unique<RowBuffer>(&budget_, TwoColumns()));
    EXPECT_TRUE(Append(buffers[0].get(), 100, 50).ok());
    EXPECT_TRUE(Append(buffers[0].get(), 0, 100).ok());
    return buffers;
  };
  const auto ask = [&](std::vector<RowStretch> stretches) {
    return Concatenate(buffer(), stretches, &budget_, workers_).ValueOrDie();
  };
  const RowSet turned = ask({{0, 50, 150}, {0, 0, 50}});
  EXPECT_EQ(turned.num_rows, 150);
  ExpectCounting(turned);
  const RowSet behind = ask({{0, 50, 80}, {0, 80, 80}, {0, 80, 150}});
  EXPECT_EQ(behind.num_rows, 100);
  ExpectCounting(behind);
}

TEST_F(RowSetTest, ABufferTakesRowsOver) {
  std::vector<std::unique_ptr<RowBuffer>> buffers;
  for (int64_t first : {0, 64}) {
    RowBuffer filled(&budget_, TwoColumns());
    ASSERT_TRUE(Append(&filled, first, 64).ok());
    buffers.push_back(std::make_unique<RowBuffer>(&budget_, TwoColumns()));
    buffers.back()->Put(filled.Take());
    EXPECT_EQ(buffers.back()->num_rows(), 64);
  }
  const RowSet all = Concatenate(buffers, &budget_, workers_).ValueOrDie();
  EXPECT_EQ(all.num_rows, 128);
  ExpectCounting(all);
}

TEST_F(RowSetTest, ReserveFailsCleanly) {
  ExpectCleanAtEveryAllocation([&]() -> base::Status {
    std::vector<std::unique_ptr<RowBuffer>> buffers;
    for (int worker = 0; worker < 2; ++worker) {
      buffers.push_back(std::make_unique<RowBuffer>(&budget_, TwoColumns()));
      SVM_RETURN_NOT_OK(Append(buffers.back().get(), 0, 10));
      SVM_RETURN_NOT_OK(Append(buffers.back().get(), 10, 20000));
    }
    return Concatenate(buffers, &budget_, workers_).status();
  });
  RowBuffer buffer(&budget_, TwoColumns());
  ASSERT_TRUE(base::ArmFaults("exec.output.reserve=always:oom").ok());
  kernels::KernelCall call{};
  call.output = &buffer;
  EXPECT_FALSE(buffer.reserve(&call, 1));
  EXPECT_EQ(call.error, kernels::kErrorOutOfMemory);
}

TEST_F(RowSetTest, GatherAndSlice) {
  const auto rows = Rows(
      {Values<int32_t>(kInt32, {{5}, {}, {7}, {8}}), Texts({{"a"}, {"bb"}, {}, {"dddddd"}})}, 4);
  const std::vector<uint32_t> indexes = {3, 3, 1, 2};
  const RowSet picked = Gather(*rows, indexes, &budget_, workers_).ValueOrDie();
  EXPECT_EQ(picked.num_rows, 4);
  EXPECT_EQ(picked.columns[0].Integer(1), 8);
  EXPECT_FALSE(picked.columns[0].is_valid(2));
  EXPECT_EQ(View(picked.columns[1].TextAt(0)), "dddddd");
  EXPECT_FALSE(picked.columns[1].is_valid(3));

  const RowSet middle = Slice(picked, 1, 2, &budget_, workers_).ValueOrDie();
  EXPECT_EQ(middle.num_rows, 2);
  EXPECT_EQ(middle.columns[0].Integer(0), 8);
  EXPECT_EQ(View(middle.columns[1].TextAt(1)), "bb");
  EXPECT_EQ(Slice(picked, 10, 5, &budget_, workers_).ValueOrDie().num_rows, 0);
  EXPECT_EQ(Slice(picked, 0, 3, &budget_, workers_).ValueOrDie().num_rows, 3);
}

TEST_F(RowSetTest, ZoneOfSkipsNulls) {
  const columns::Zone zone = ZoneOf(Values<int32_t>(kInt32, {{-5}, {}, {9}}), 3);
  EXPECT_TRUE(zone.known);
  EXPECT_EQ(zone.min, -5);
  EXPECT_EQ(zone.max, 9);
  EXPECT_EQ(zone.null_count, 1);
  EXPECT_FALSE(ZoneOf(Values<int32_t>(kInt32, Nullable<int32_t>{{}, {}}), 2).known);
}

TEST_F(RowSetTest, TablesAndBack) {
  using columns::Type;
  auto dictionary = columns::Dictionary::Make(&budget_).ValueOrDie();
  const Nullable<std::string> strings = {{"x"}, {}, {""}, {"longer than twelve bytes"}};
  const auto rows =
      Rows({Values<int64_t>(kInt64, {{INT64_MIN}, {}, {INT64_MAX}, {0}}),
            Values<int32_t>(kInt32, {{1000}, {1001}, {1255}, {1100}}),
            Values<double>(kDouble, {{1.5}, {}, {-0.0}, {2}}),
            Values<__int128>(Type::Decimal(30, 2), Nullable<__int128>{{-1}, {}, {5}, {6}}),
            Codes(dictionary, strings), Texts(strings),
            Values<int8_t>(Type::Of(columns::TypeKind::kBool), Nullable<int8_t>{{}, {}, {}, {}})},
           4);
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g"};
  auto table = ToMemoryTable(*rows, "t", names, &budget_, workers_).ValueOrDie();
  EXPECT_EQ(table->num_rows(), 4);
  // The type's width, though one byte would hold these values.
  EXPECT_EQ(table->column(1).layout.width, 4);
  EXPECT_EQ(table->zone(0, 1).min, 1000);
  EXPECT_EQ(table->zone(0, 1).max, 1255);
  EXPECT_EQ(table->zone(0, 0).null_count, 1);
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6};
  const RowSet back = FromSource(table.get(), all, &budget_, workers_).ValueOrDie();
  ASSERT_EQ(back.num_rows, 4);
  for (int64_t row = 0; row < 4; ++row) {
    for (const int c : all) {
      ASSERT_EQ(back.columns[c].is_valid(row), rows->columns[c].is_valid(row));
    }
    if (row == 1) continue;
    EXPECT_EQ(back.columns[0].Integer(row), rows->columns[0].Integer(row));
    EXPECT_EQ(back.columns[1].Integer(row), rows->columns[1].Integer(row));
    EXPECT_EQ(back.columns[2].values<double>()[row], rows->columns[2].values<double>()[row]);
    EXPECT_TRUE(back.columns[3].values<__int128>()[row] ==
                rows->columns[3].values<__int128>()[row]);
    EXPECT_EQ(View(back.columns[4].TextAt(row)), *strings[row]);
    EXPECT_EQ(View(back.columns[5].TextAt(row)), *strings[row]);
  }
  ExpectCleanAtEveryAllocation(
      [&] { return ToMemoryTable(*rows, "t", names, &budget_, workers_).status(); });
}

TEST_F(RowSetTest, AnswersAreWhatTheirTablesHold) {
  using columns::Type;
  using columns::TypeKind;
  auto dictionary = columns::Dictionary::Make(&budget_).ValueOrDie();
  const Nullable<std::string> strings = {{"x"}, {}, {""}, {"longer than twelve bytes"}};
  const Nullable<std::string> all_there = {{"x"}, {"yy"}, {""}, {"x"}};
  auto rows = Rows(
      {Values<int64_t>(kInt64, {{INT64_MIN}, {}, {INT64_MAX}, {0}}),
       Values<int16_t>(Type::Of(TypeKind::kInt16), {{-1}, {2}, {-3}, {4}}),
       Values<double>(kDouble, {{1.5}, {}, {-0.0}, {2}}),
       Values<float>(Type::Of(TypeKind::kFloat), {{1.5}, {-7}, {0}, {2}}),
       Values<__int128>(Type::Decimal(30, 2), Nullable<__int128>{{-1}, {}, {5}, {6}}),
       Values<int64_t>(Type::Decimal(18, 2), {{-1}, {}, {INT64_MIN / 10}, {6}}),
       Values<int32_t>(Type::Of(TypeKind::kDate), {{-1}, {0}, {20000}, {6}}),
       Values<int8_t>(Type::Of(TypeKind::kBool), Nullable<int8_t>{{1}, {}, {0}, {1}}),
       Codes(dictionary, strings), Codes(dictionary, all_there), Texts(strings), Texts(all_there)},
      4);
  // Null rows hold any value at all.
  rows->columns[8].data->as<uint32_t>()[1] = 0xffffffff;
  rows->columns[0].data->as<int64_t>()[1] = 77;
  std::vector<std::string> names;
  for (size_t i = 0; i < rows->columns.size(); ++i) names.push_back("c" + std::to_string(i));
  for (const int64_t count : {4, 2, 0}) {
    rows->num_rows = count;
    const auto answer = ToArrow(*rows, names, &budget_, workers_).ValueOrDie();
    ASSERT_TRUE(answer->ValidateFull().ok()) << answer->ValidateFull().ToString();
    const auto table = ToMemoryTable(*rows, "t", names, &budget_, workers_).ValueOrDie();
    const auto expected = columns::ToArrow(*table).ValueOrDie();
    EXPECT_TRUE(answer->Equals(*expected, true)) << answer->ToString() << expected->ToString();
  }
  rows->num_rows = 4;
  ASSERT_TRUE(base::ArmFaults("columns.export=nth:9:oom").ok());
  EXPECT_EQ(base::CodeOf(ToArrow(*rows, names, &budget_, workers_).status()),
            base::ErrorCode::kOutOfMemory);
}

// Also those of strings that a dictionary holds once.
TEST_F(RowSetTest, AnswersThatDoNotFitAreAnError) {
  auto dictionary = columns::Dictionary::Make(&budget_).ValueOrDie();
  const auto rows =
      Rows({Codes(dictionary, Nullable<std::string>(100, std::string(1000, 'x')))}, 100);
  for (const int64_t bytes : {100 * 1000, 101 * 1000}) {
    memory::MemoryBudget little(bytes);
    const auto answer = ToArrow(*rows, {"a"}, &little, workers_);
    EXPECT_EQ(answer.ok(), bytes > 100 * 1000);
    EXPECT_EQ(little.used(), 0);
    if (answer.ok()) continue;
    EXPECT_EQ(base::CodeOf(answer.status()), base::ErrorCode::kOutOfMemory);
  }
}

TEST_F(RowSetTest, LongAnswersComeInPieces) {
  std::vector<int32_t> values(columns::kSegmentRows + 5);
  std::iota(values.begin(), values.end(), 0);
  const auto count = static_cast<int64_t>(values.size());
  const auto rows = Rows({Values(kInt32, values), Values(kInt32, values)}, count);
  const auto answer = ToArrow(*rows, {"a", "b"}, &budget_, workers_).ValueOrDie();
  ASSERT_EQ(answer->num_rows(), count);
  for (const auto& column : answer->columns()) {
    ASSERT_EQ(column->num_chunks(), 2);
    const auto& last = static_cast<const arrow::Int32Array&>(*column->chunk(1));
    EXPECT_EQ(last.Value(4), values.back());
  }
}

TEST_F(RowSetTest, TablesOfSeveralSegmentsHaveOneWidth) {
  std::vector<int32_t> values(columns::kSegmentRows + 5);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i % 3);
  values.back() = 70000;
  const auto count = static_cast<int64_t>(values.size());
  const auto rows = Rows({Values(kInt32, values)}, count);
  auto table = ToMemoryTable(*rows, "t", {"a"}, &budget_, workers_).ValueOrDie();
  EXPECT_EQ(table->num_segments(), 2);
  EXPECT_EQ(table->column(0).layout.width, 4);
  EXPECT_EQ(table->zone(0, 0).max, 2);
  const std::vector<int> first = {0};
  const RowSet back = FromSource(table.get(), first, &budget_, workers_).ValueOrDie();
  for (int64_t i = 0; i < count; ++i) ASSERT_EQ(back.columns[0].Integer(i), values[i]);
}

TEST_F(RowSetTest, NoRows) {
  auto table = ToMemoryTable(*Rows({Values<int32_t>(kInt32, std::vector<int32_t>{})}, 0), "t",
                             {"a"}, &budget_, workers_)
                   .ValueOrDie();
  EXPECT_EQ(table->num_rows(), 0);
  const std::vector<int> first = {0};
  EXPECT_EQ(FromSource(table.get(), first, &budget_, workers_).ValueOrDie().num_rows, 0);
}

}  // namespace
}  // namespace shadowvm::exec
