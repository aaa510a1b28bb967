// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/pipeline_facts.h"

#include <gtest/gtest.h>

#include "engine/base/tests/test_folder.h"
#include "engine/columns/arrow_import.h"
#include "engine/exec/gpu/gpu.h"
#include "engine/exec/tests/kernel_tables.h"
#include "engine/storage/parquet_sink.h"

namespace shadowvm::exec {
namespace {

constexpr int64_t kRows = 3000;  // of a segment
constexpr int kSegments = 6;

// A pipeline over two columns of a table: narrow numbers of each segment's own, and wide ones.
class PipelineFactsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    engine_ = MakeTestEngine("", GpuKind::kEmulated);
    gpu_ = engine_->gpu();
    ASSERT_NE(gpu_, nullptr);
    context_.budget = &engine_->budget();
    context_.workers = {&engine_->device(), nullptr};
    context_.gpu = gpu_.get();
    context_.stats = &stats_;
    blueprint_.levels.emplace_back();
    blueprint_.sink.form = vkernel::SinkForm::kDenseGroups;
  }

  static std::shared_ptr<arrow::Table> Part(int64_t segment) {
    return MakeTable({{"small", Int32s(kRows, [&](int64_t i) { return segment * 100 + i % 100; })},
                      {"large", Int64s(kRows, [](int64_t i) { return i * 1'000'000'000'000; })}});
  }
  void AddSegments() {
    std::vector<columns::MemoryTable::Column> all(2);
    for (int64_t segment = 0; segment < kSegments; ++segment) {
      const auto part =
          columns::FromArrow("facts", *Part(segment), &engine_->budget()).ValueOrDie();
      for (int i = 0; i < 2; ++i) {
        all[i].layout = part->column(i).layout;
        all[i].segments.push_back(part->column(i).segments.at(0));
      }
      source_.schema = part->schema();
    }
    Read(std::make_shared<columns::MemoryTable>("facts", source_.schema, std::move(all)));
  }
  void Read(std::shared_ptr<columns::TableSource> table) {
    source_ = {table, {0, 1}, table->schema()};
    for (int i = 0; i < 2; ++i) {
      vkernel::SourceColumn column;
      column.ordinal = i;
      column.layout = table->layout(i).ValueOrDie();
      blueprint_.columns.push_back(column);
    }
  }
  schedule::PipelineFacts Facts(const std::string& why_not = "") {
    const auto binding =
        PipelineBinding::Make(context_, blueprint_, {}, source_, joins_).ValueOrDie();
    return FactsOf(context_, *binding, why_not);
  }
  // Has the GPU copy a column of all segments.
  void Bring(int ordinal) {
    auto turn = gpu_->AwaitTurn(nullptr).ValueOrDie();
    for (int segment = 0; segment < source_.table->num_segments(); ++segment) {
      const int ordinals[] = {ordinal};
      const auto read = source_.table->Read(segment, ordinals, {}, nullptr).ValueOrDie();
      const auto& data = read->columns[0]->data;
      gpu_->copies().Use({{data, data->size()}});
      const auto brought = gpu_->copies().Bring({{.buffer = data}}, 0, turn.stream());
      ASSERT_TRUE(brought.ok()) << brought.status();
    }
  }

  std::unique_ptr<Engine> engine_;
  std::shared_ptr<Gpu> gpu_;
  QueryStats stats_;
  QueryContext context_;
  vkernel::Blueprint blueprint_;
  SourceView source_;
  const std::vector<PreparedJoin> joins_;
};

TEST_F(PipelineFactsTest, RowsAndBytesOfWhatIsRead) {
  AddSegments();
  const schedule::PipelineFacts facts = Facts("a reason");
  EXPECT_EQ(facts.why_not_gpu, "a reason");
  EXPECT_EQ(facts.rows, kSegments * kRows);
  EXPECT_EQ(facts.bytes, kSegments * kRows * (1 + 8));
  EXPECT_EQ(facts.cores, 2);
  EXPECT_TRUE(facts.in_memory);
  EXPECT_EQ(facts.device_share, 0);
  blueprint_.columns.pop_back();
  EXPECT_EQ(Facts().bytes, kSegments * kRows);
}

TEST_F(PipelineFactsTest, SegmentsThatNoRowPassesAreNotCounted) {
  AddSegments();
  blueprint_.ranges.push_back(
      {.column = 0, .bounds = {{plan::Op::kLess, plan::Literal::Integer(200)}}});
  EXPECT_EQ(Facts().rows, 2 * kRows);
  EXPECT_EQ(Facts().bytes, 2 * kRows * (1 + 8));
  blueprint_.ranges[0].bounds[0].literal = plan::Literal::Integer(0);
  EXPECT_EQ(Facts().rows, 0);
}

TEST_F(PipelineFactsTest, TheShareThatTheGpuHasCopiesOf) {
  AddSegments();
  Bring(1);
  EXPECT_NEAR(Facts().device_share, 8.0 / 9, 0.01);
  Bring(0);
  EXPECT_EQ(Facts().device_share, 1);
  context_.gpu = nullptr;
  EXPECT_EQ(Facts().device_share, 0);
}

// A scan alone hands its rows on. Who looks something up, or adds up, does more.
TEST_F(PipelineFactsTest, AScanAlone) {
  AddSegments();
  EXPECT_FALSE(Facts().only_scans);
  blueprint_.sink.form = vkernel::SinkForm::kCollect;
  EXPECT_TRUE(Facts().only_scans);
  blueprint_.sink.form = vkernel::SinkForm::kTable;
  EXPECT_FALSE(Facts().only_scans);
}

TEST_F(PipelineFactsTest, RowsInFiles) {
  const base::TestFolder folder;
  const std::string path = folder / "facts.parquet";
  auto sink = storage::ParquetSink::Open(path, Part(0)->schema(), {}).ValueOrDie();
  ASSERT_TRUE(sink->Write(*Part(0)).ok() && sink->Finish().ok());
  Read(engine_->Open({{path}, ""}).ValueOrDie());
  EXPECT_FALSE(Facts().in_memory);
  EXPECT_EQ(Facts().rows, kRows);
  const int ordinals[] = {0, 1};
  ASSERT_TRUE(source_.table->Read(0, ordinals, {}, nullptr).ok());
  EXPECT_TRUE(Facts().in_memory);
}

}  // namespace
}  // namespace shadowvm::exec
