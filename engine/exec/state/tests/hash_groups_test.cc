// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/hash_groups.h"

#include <map>

#include "engine/exec/state/tests/state_test.h"
#include "engine/kernels/common/hash.h"

namespace shadowvm::exec {
namespace {

using Kind = AccumulatorKind;

class HashGroupsTest : public StateTest {
 protected:
  // Row: two key words (value, null bits), then a count, a sum and a maximum.
  const std::vector<Accumulator> accumulators_ = {
      {Kind::kCount, 0}, {Kind::kSumI64, 1}, {Kind::kMaxI64, 2}};
  const std::vector<AggregateOutput> outputs_ = {
      {RowColumn::Value(kInt64, false), 0, false, -1, 0, {}},
      {RowColumn::Value(kInt64, false), 1, false, -1, 0, {}},
      {RowColumn::Value(kInt64, false), 2, false, -1, 0, {}}};
  const std::vector<HashKeyColumn> keys_ = {{RowColumn::Value(kInt64, true), 0, 1, 0}};

  // What a kernel's find_groups does with one row.
  static base::Status Add(WorkerGroups* groups, int64_t key, bool null, int64_t value) {
    const int64_t words[2] = {null ? 0 : key, null ? 1 : 0};
    const uint64_t hash = groups->HashOf(words);
    const uint32_t index = kernels::part_of(hash);
    int64_t* row = groups->Find(words, hash);
    if (row == nullptr) {
      kernels::KernelCall call{};
      call.groups = groups;
      kernels::GroupPart& part = groups->parts[index];
      while (part.count >= part.limit ||
             part.end_row - part.free_row < int64_t{groups->row_words}) {
        if (!groups->grow(&call, index)) {
          EXPECT_NE(call.error, 0u);
          return groups->status();
        }
      }
      row = reinterpret_cast<int64_t*>(part.free_row);
      part.free_row += groups->row_words;
      std::copy_n(groups->initial, groups->row_words, row);
      std::copy_n(words, 2, row);
      SVM_RETURN_NOT_OK(groups->Adopt(row, hash));
    }
    row[2] += 1;
    row[3] += value;
    row[4] = std::max(row[4], value);
    return base::Status::OK();
  }

  struct Entry {
    int64_t count = 0;
    int64_t sum = 0;
    int64_t max = INT64_MIN;
  };
  using Expected = std::map<std::optional<int64_t>, Entry>;

  static void Note(Expected* expected, std::optional<int64_t> key, int64_t value) {
    Entry& entry = (*expected)[key];
    ++entry.count;
    entry.sum += value;
    entry.max = std::max(entry.max, value);
  }
  static void ExpectRows(const RowSet& rows, const Expected& expected) {
    ASSERT_EQ(rows.num_rows, static_cast<int64_t>(expected.size()));
    for (int64_t row = 0; row < rows.num_rows; ++row) {
      std::optional<int64_t> key;
      if (rows.columns[0].is_valid(row)) key = rows.columns[0].Integer(row);
      const auto found = expected.find(key);
      ASSERT_NE(found, expected.end());
      ASSERT_EQ(rows.columns[1].Integer(row), found->second.count);
      ASSERT_EQ(rows.columns[2].Integer(row), found->second.sum);
      ASSERT_EQ(rows.columns[3].Integer(row), found->second.max);
    }
  }
};

TEST_F(HashGroupsTest, RandomKeysOverWorkers) {
  for (const int64_t distinct : {1, 100, 60000}) {
    HashGroups groups(&budget_, accumulators_, 2, 3);
    Expected expected;
    for (int i = 0; i < 100000; ++i) {
      const auto key = static_cast<int64_t>(random_() % distinct) - 50;
      const auto value = static_cast<int64_t>(random_() % 1000);
      const bool null = random_() % 50 == 0;
      ASSERT_TRUE(Add(groups.worker(static_cast<int>(random_() % 3)), key, null, value).ok());
      Note(&expected, null ? std::nullopt : std::optional(key), value);
    }
    ASSERT_TRUE(groups.Merge(workers_).ok());
    EXPECT_EQ(groups.num_groups(), static_cast<int64_t>(expected.size()));
    ExpectRows(groups.Emit(keys_, outputs_, nullptr, workers_).ValueOrDie(), expected);
  }
}

// Rows that lie one behind another, some of keys that are there.
TEST_F(HashGroupsTest, RowsAreAddedAndEmitted) {
  HashGroups groups(&budget_, accumulators_, 2, 2);
  Expected expected, of_rows;
  for (int64_t key = 0; key < 600; ++key) {
    ASSERT_TRUE(Add(groups.worker(static_cast<int>(key % 2)), key, false, key).ok());
    Note(&expected, key, key);
  }
  std::vector<int64_t> rows;
  for (int64_t key = 300; key < 40'000; ++key) {
    rows.insert(rows.end(), {key, 0, 1, -key, -key});
    Note(&of_rows, key, -key);
    for (int times = 0; times < 2; ++times) Note(&expected, key, -key);
  }
  ExpectRows(groups.EmitRows(rows, keys_, outputs_, nullptr, workers_).ValueOrDie(), of_rows);
  EXPECT_EQ(groups.EmitRows({}, keys_, outputs_, nullptr, workers_).ValueOrDie().num_rows, 0);
  auto added = groups.MakeGroups();
  for (int times = 0; times < 2; ++times) {
    ASSERT_TRUE(groups.MergeRows(rows.data(), std::ssize(rows) / 5, added.get()).ok());
  }
  groups.AddGroups(std::move(added));
  ASSERT_TRUE(groups.Merge(workers_).ok());
  ExpectRows(groups.Emit(keys_, outputs_, nullptr, workers_).ValueOrDie(), expected);
}

// Many keys of one part with one tag and one first slot.
TEST_F(HashGroupsTest, CollidingKeys) {
  HashGroups groups(&budget_, accumulators_, 2, 2);
  Expected expected;
  int found = 0;
  for (int64_t key = 0; found < 300; ++key) {
    const int64_t words[2] = {key, 0};
    const uint64_t hash = groups.worker(0)->HashOf(words);
    if (kernels::part_of(hash) != 5 || (hash & 63) != 63) continue;
    ++found;
    for (int worker = 0; worker < 2; ++worker) {
      ASSERT_TRUE(Add(groups.worker(worker), key, false, key).ok());
      Note(&expected, key, key);
    }
  }
  ASSERT_TRUE(groups.Merge(workers_).ok());
  ExpectRows(groups.Emit(keys_, outputs_, nullptr, workers_).ValueOrDie(), expected);
}

TEST_F(HashGroupsTest, NoRows) {
  HashGroups groups(&budget_, accumulators_, 2, 3);
  ASSERT_TRUE(groups.Merge(workers_).ok());
  EXPECT_EQ(groups.Emit(keys_, outputs_, nullptr, workers_).ValueOrDie().num_rows, 0);
}

TEST_F(HashGroupsTest, TextKeysComeBack) {
  auto groups = std::make_shared<HashGroups>(&budget_, accumulators_, 2, 2);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = "key " + std::to_string(i % 10);
    const uint32_t id = groups->interner()->Intern(MakeText(text)).ValueOrDie();
    ASSERT_TRUE(Add(groups->worker(i / 5 % 2), id, false, 1).ok());
  }
  ASSERT_TRUE(Add(groups->worker(0), 0, true, 1).ok());
  ASSERT_TRUE(groups->Merge(workers_).ok());
  const std::vector<HashKeyColumn> keys = {{RowColumn::Text(kString, true), 0, 1, 0}};
  const RowSet rows = groups->Emit(keys, outputs_, groups, workers_).ValueOrDie();
  groups.reset();
  ASSERT_EQ(rows.num_rows, 11);
  std::map<std::string, int64_t> counts;
  for (int64_t row = 0; row < 11; ++row) {
    const RowData& key = rows.columns[0];
    counts[key.is_valid(row) ? std::string(View(key.TextAt(row))) : "null"] =
        rows.columns[1].Integer(row);
  }
  EXPECT_EQ(counts["key 3"], 100);
  EXPECT_EQ(counts["null"], 1);
}

TEST_F(HashGroupsTest, FailsCleanly) {
  ExpectCleanAtEveryAllocation([&]() -> base::Status {
    HashGroups groups(&budget_, accumulators_, 2, 2);
    for (int64_t key = 0; key < 40; ++key) {
      SVM_RETURN_NOT_OK(Add(groups.worker(key % 2), key, false, 1));
    }
    SVM_RETURN_NOT_OK(groups.Merge(workers_));
    return groups.Emit(keys_, outputs_, nullptr, workers_).status();
  });
  HashGroups groups(&budget_, accumulators_, 2, 1);
  ASSERT_TRUE(base::ArmFaults("exec.groups.grow=always:oom;exec.merge=always:error").ok());
  EXPECT_EQ(base::CodeOf(Add(groups.worker(0), 1, false, 1)), base::ErrorCode::kOutOfMemory);
  EXPECT_EQ(base::CodeOf(groups.Merge(workers_)), base::ErrorCode::kInjected);
}

TEST_F(HashGroupsTest, StopsWhenCancelled) {
  HashGroups groups(&budget_, accumulators_, 2, 2);
  cancel_.Cancel();
  EXPECT_EQ(base::CodeOf(groups.Merge(workers_)), base::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace shadowvm::exec
