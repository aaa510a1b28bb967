// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/answer_batches.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <string>

namespace shadowvm::node {
namespace {

std::shared_ptr<arrow::Table> Texts(int64_t rows, int64_t size) {
  arrow::StringBuilder builder;
  for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(std::string(size, 'x')).ok());
  return arrow::Table::Make(arrow::schema({arrow::field("t", arrow::utf8())}),
                            {builder.Finish().ValueOrDie()});
}

int64_t RowsOf(const arrow::RecordBatchVector& batches) {
  int64_t rows = 0;
  for (const auto& batch : batches) rows += batch->num_rows();
  return rows;
}

TEST(AnswerBatchesTest, ManyRowsAreManyBatches) {
  const auto batches = BatchesOf(*Texts(200'000, 1)).ValueOrDie();
  EXPECT_EQ(RowsOf(batches), 200'000);
  for (const auto& batch : batches) EXPECT_LE(batch->num_rows(), 64 << 10);
}

TEST(AnswerBatchesTest, LongRowsMakeShortBatches) {
  const auto table = Texts(100, 1 << 20);
  const auto batches = BatchesOf(*table).ValueOrDie();
  EXPECT_EQ(RowsOf(batches), 100);
  for (const auto& batch : batches) EXPECT_LE(StreamBytes(*batch).ValueOrDie(), 16 << 20);
  EXPECT_TRUE(arrow::Table::FromRecordBatches(batches).ValueOrDie()->Equals(*table));
}

TEST(AnswerBatchesTest, ARowLongerThanABatchIsOne) {
  EXPECT_EQ(BatchesOf(*Texts(3, 20 << 20)).ValueOrDie().size(), 3U);
}

TEST(AnswerBatchesTest, NoRowsAreOneBatch) {
  const auto batches = BatchesOf(*Texts(0, 1)).ValueOrDie();
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(batches[0]->schema()->field(0)->name(), "t");
}

}  // namespace
}  // namespace shadowvm::node
