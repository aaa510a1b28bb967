// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/segment_cache.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "engine/base/fault.h"
#include "engine/memory/buffer.h"
#include "engine/storage/tests/parquet_fixture.h"

namespace shadowvm::storage {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

class SegmentCacheTest : public ParquetFixture {
 protected:
  // Asks for a segment of a MiB; true when it had to be loaded.
  bool Ask(SegmentCache* cache, const SegmentKey& key, uint64_t generation) {
    bool loaded = false;
    const auto load = [&]() -> base::Result<SegmentCache::Segment> {
      loaded = true;
      auto segment = std::make_shared<columns::ColumnSegment>();
      SVM_ASSIGN_OR_RETURN(segment->data, memory::Buffer::Make(&budget_, kMiB, "test"));
      return SegmentCache::Segment(segment);
    };
    EXPECT_TRUE(cache->GetOrLoad(key, generation, load).ok());
    return loaded;
  }
};

TEST_F(SegmentCacheTest, KeepsWhatFitsAndCounts) {
  SegmentCache cache(&budget_, 4 * kMiB);
  EXPECT_TRUE(Ask(&cache, {1, 0, 0, 0}, 1));
  EXPECT_FALSE(Ask(&cache, {1, 0, 0, 0}, 1));
  EXPECT_TRUE(Ask(&cache, {1, 0, 0, 1}, 1));
  EXPECT_EQ(cache.counters().hits, 1);
  EXPECT_EQ(cache.counters().misses, 2);
  EXPECT_EQ(cache.counters().bytes, 2 * kMiB);
  cache.DropColumn(1, 0);
  EXPECT_EQ(cache.counters().bytes, 0);
}

TEST_F(SegmentCacheTest, ALargeTableKeepsAPartInsteadOfThrashing) {
  SegmentCache cache(&budget_, 4 * kMiB);
  for (uint64_t query = 1; query <= 3; ++query) {
    int loads = 0;
    for (int s = 0; s < 10; ++s) loads += Ask(&cache, {1, 0, s, 0}, query);
    EXPECT_EQ(loads, query == 1 ? 10 : 6);
  }
  EXPECT_EQ(cache.counters().evictions, 0);
}

TEST_F(SegmentCacheTest, MakesRoomAtTheCostOfOthersAndOfThePast) {
  SegmentCache cache(&budget_, 4 * kMiB);
  for (int s = 0; s < 4; ++s) Ask(&cache, {1, 0, s, 0}, 1);
  for (int s = 0; s < 2; ++s) EXPECT_TRUE(Ask(&cache, {2, 0, s, 0}, 1));
  EXPECT_EQ(cache.counters().evictions, 2);
  EXPECT_FALSE(Ask(&cache, {1, 0, 3, 0}, 1));
  for (int s = 0; s < 4; ++s) EXPECT_TRUE(Ask(&cache, {1, 7, s, 0}, 2));
  EXPECT_FALSE(Ask(&cache, {1, 7, 0, 0}, 2));
  EXPECT_EQ(cache.counters().entries, 4);
}

TEST_F(SegmentCacheTest, LoadsOnceForAllWhoAsk) {
  SegmentCache cache(&budget_, 4 * kMiB);
  std::atomic<int> loads{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] { loads += Ask(&cache, {1, 0, 0, 0}, 1); });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(loads, 1);
}

TEST_F(SegmentCacheTest, GivesMemoryBackUnderPressure) {
  memory::MemoryBudget budget(8 * kMiB);
  SegmentCache cache(&budget, 8 * kMiB);
  const auto load = [&]() -> base::Result<SegmentCache::Segment> {
    auto segment = std::make_shared<columns::ColumnSegment>();
    SVM_ASSIGN_OR_RETURN(segment->data, memory::Buffer::Make(&budget, kMiB, "test"));
    return SegmentCache::Segment(segment);
  };
  for (int s = 0; s < 6; ++s) ASSERT_TRUE(cache.GetOrLoad({1, 0, s, 0}, 1, load).ok());
  EXPECT_TRUE(memory::Buffer::Make(&budget, 6 * kMiB, "hash table").ok());
  EXPECT_GT(cache.counters().evictions, 0);
}

TEST_F(SegmentCacheTest, ASecondQueryReadsNothing) {
  const auto table =
      TableOf({{"k", Int32s(5000, [](int64_t i) { return int32_t(i); })},
               {"s", Strings(5000, [](int64_t i) { return std::to_string(i % 9); })}});
  const std::vector<std::string> paths{WriteFile("t.parquet", *table)};
  SegmentCache cache(&budget_, 64 * kMiB);
  TableRegistry registry({&budget_, &cache});
  ASSERT_TRUE(columns::ToArrow(*registry.Open(paths).ValueOrDie()).ValueOrDie()->Equals(*table));
  const int64_t misses = cache.counters().misses;
  // Nothing may touch the file now.
  ASSERT_TRUE(base::ArmFaults("storage.open=always:error").ok());
  const auto again = columns::ToArrow(*registry.Open(paths).ValueOrDie());
  base::DisarmFaults();
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_TRUE((*again)->Equals(*table));
  EXPECT_EQ(cache.counters().misses, misses);
}

TEST_F(SegmentCacheTest, AChangedFileIsReadAgain) {
  const auto numbers = [](int32_t from) {
    return TableOf({{"k", Int32s(5000, [=](int64_t i) { return int32_t(from + i); })}});
  };
  const std::vector<std::string> paths{WriteFile("t.parquet", *numbers(0))};
  SegmentCache cache(&budget_, 64 * kMiB);
  TableRegistry registry({&budget_, &cache});
  const auto read = [&] {
    return columns::ToArrow(*registry.Open(paths).ValueOrDie()).ValueOrDie();
  };
  EXPECT_TRUE(read()->Equals(*numbers(0)));
  WriteFile("t.parquet", *numbers(77));
  // Times of files are coarse, and this one is as large as the one before.
  namespace fs = std::filesystem;
  fs::last_write_time(paths[0], fs::last_write_time(paths[0]) + std::chrono::seconds(1));
  EXPECT_TRUE(read()->Equals(*numbers(77)));
  EXPECT_EQ(cache.counters().entries, 1);
}

TEST_F(SegmentCacheTest, AnInsertThatFailsIsAnError) {
  const auto table = TableOf({{"k", Int32s(10, [](int64_t i) { return int32_t(i); })}});
  const std::vector<std::string> paths{WriteFile("t.parquet", *table)};
  SegmentCache cache(&budget_, 64 * kMiB);
  TableRegistry registry({&budget_, &cache});
  ASSERT_TRUE(base::ArmFaults("storage.cache.insert=nth:1:error").ok());
  const auto failed = columns::ToArrow(*registry.Open(paths).ValueOrDie());
  base::DisarmFaults();
  EXPECT_EQ(base::CodeOf(failed.status()), base::ErrorCode::kInjected);
  EXPECT_TRUE(columns::ToArrow(*registry.Open(paths).ValueOrDie()).ok());
}

}  // namespace
}  // namespace shadowvm::storage
