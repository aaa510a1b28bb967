// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/join_table.h"

#include <cmath>
#include <map>

#include "engine/exec/state/tests/state_test.h"
#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/hash.h"
#include "engine/kernels/common/text_index.h"

namespace shadowvm::exec {
namespace {

using Kind = JoinShape::Kind;
constexpr JoinShape kDirectChecked{Kind::kDirect, true};
constexpr JoinShape kDirectUnchecked{Kind::kDirect, false};
constexpr JoinShape kHashed{Kind::kHash, true};

columns::Zone ZoneFrom(int64_t min, int64_t max) { return {true, min, max, 0}; }

class JoinTableTest : public StateTest {
 protected:
  std::unique_ptr<JoinTable> Build(std::shared_ptr<RowSet> rows, JoinTableOptions options) {
    return JoinTable::Build(std::move(rows), std::move(options), &budget_, workers_).ValueOrDie();
  }

  // The chain of build rows from 'row' on.
  static std::vector<uint32_t> Chain(uint32_t row, const kernels::u32* next) {
    std::vector<uint32_t> rows;
    for (; row != kernels::kNoRow; row = next[row]) {
      rows.push_back(row);
      if (next == nullptr) break;
    }
    return rows;
  }
  static std::vector<uint32_t> ProbeDirect(const kernels::DirectView& view, int64_t key) {
    const uint64_t offset = static_cast<uint64_t>(key) - static_cast<uint64_t>(view.base);
    if (offset >= view.size) return {};
    const bool exists = view.bits[offset / 8] >> (offset % 8) & 1;
    if (view.bytes != nullptr) {
      EXPECT_EQ(view.bytes[offset], exists);
    }
    EXPECT_EQ(view.rows[offset] != kernels::kNoRow, exists);
    return exists ? Chain(view.rows[offset], view.next) : std::vector<uint32_t>{};
  }
  static std::vector<uint32_t> ProbeHash(const kernels::HashView& view,
                                         const std::vector<kernels::u64>& key) {
    const uint64_t hash = kernels::hash_words(key.data(), key.size());
    for (uint64_t slot = hash & view.mask;; slot = (slot + 1) & view.mask) {
      const uint64_t entry = view.slots[slot];
      if (entry == 0) return {};
      const uint64_t row = (entry & kernels::kSlotPayload) - 1;
      if (kernels::same_tag(entry, hash) &&
          std::equal(key.begin(), key.end(), view.keys + row * key.size())) {
        return Chain(static_cast<uint32_t>(row), view.next);
      }
    }
  }
  static std::vector<uint32_t> Probe(const JoinTable& table, int64_t key) {
    if (table.shape().kind == Kind::kDirect) return ProbeDirect(table.direct(), key);
    return ProbeHash(table.hash(), {static_cast<kernels::u64>(key)});
  }

  void ExpectMatches(const JoinTable& table, const Nullable<int64_t>& keys, int64_t low,
                     int64_t high) {
    std::map<int64_t, std::vector<uint32_t>> expected;
    for (size_t row = 0; row < keys.size(); ++row) {
      if (keys[row]) expected[*keys[row]].push_back(static_cast<uint32_t>(row));
    }
    for (int64_t key = low; key <= high; ++key) {
      const auto found = expected.find(key);
      const std::vector<uint32_t> rows =
          found == expected.end() ? std::vector<uint32_t>{} : found->second;
      ASSERT_EQ(Probe(table, key), rows) << key;
    }
  }
};

TEST_F(JoinTableTest, ShapeFollowsZonesNotRows) {
  JoinFacts facts{true, false, 1000, {}, {}};
  EXPECT_EQ(ChooseJoinShape(facts), kHashed);
  facts.build_zone = ZoneFrom(0, 1 << 20);
  EXPECT_EQ(ChooseJoinShape(facts), kDirectChecked);
  facts.probe_zone = ZoneFrom(-5, 1 << 20);
  EXPECT_EQ(ChooseJoinShape(facts), kDirectUnchecked);
  facts.probe_zone = ZoneFrom(INT64_MIN, INT64_MAX);
  EXPECT_EQ(ChooseJoinShape(facts), kDirectChecked);
  facts.build_zone = ZoneFrom(0, (8 << 20) - 1);  // 32 MiB of rows exactly
  EXPECT_EQ(ChooseJoinShape(facts), kDirectChecked);
  facts.build_zone = ZoneFrom(0, 8 << 20);
  EXPECT_EQ(ChooseJoinShape(facts), kHashed);
  facts.existence_only = true;  // a bit a key
  EXPECT_EQ(ChooseJoinShape(facts), kDirectChecked);
  facts.existence_only = false;
  facts.build_rows = 4 << 20;  // the hash table would be as large
  EXPECT_EQ(ChooseJoinShape(facts), kDirectChecked);
  facts.integer_key = false;
  EXPECT_EQ(ChooseJoinShape(facts), kHashed);
}

TEST_F(JoinTableTest, RandomKeysWithDuplicatesAndNulls) {
  for (const int64_t count : {0, 1, 5000, 200000}) {
    Nullable<int64_t> keys(count);
    Nullable<int32_t> narrow(count);
    for (int64_t i = 0; i < count; ++i) {
      if (random_() % 10 == 0) continue;
      keys[i] = static_cast<int64_t>(random_() % 50000) - 1000;
      narrow[i] = static_cast<int32_t>(*keys[i]);
    }
    for (const JoinShape& shape : {kDirectChecked, kDirectUnchecked, kHashed}) {
      const auto rows = Rows({Values<int32_t>(kInt32, narrow)}, count);
      const auto table = Build(rows, {shape, {0}, true, ZoneFrom(-2000, 60000)});
      ExpectMatches(*table, keys, -2000, 60000);
      EXPECT_EQ(table->unique(), count < 2);
      EXPECT_FALSE(table->covers_probes());
    }
  }
}

TEST_F(JoinTableTest, UncheckedTableDropsKeysOutsideTheProbeZone) {
  const auto rows = Rows({Values<int64_t>(kInt64, {{5}, {INT64_MIN}, {7}, {INT64_MAX}, {6}})}, 5);
  const auto table = Build(rows, {kDirectUnchecked, {0}, true, ZoneFrom(5, 7)});
  EXPECT_EQ(table->direct().size, 3u);
  EXPECT_EQ(table->direct().base, 5);
  EXPECT_TRUE(table->unique());
  EXPECT_TRUE(table->covers_probes());
  EXPECT_EQ(table->num_keys(), 3);
  EXPECT_EQ(Probe(*table, 6), std::vector<uint32_t>{4});
}

TEST_F(JoinTableTest, AllKeysEqual) {
  const std::vector<int32_t> keys(100000, 7);
  for (const JoinShape& shape : {kDirectChecked, kHashed}) {
    const auto table = Build(Rows({Values(kInt32, keys)}, 100000), {shape, {0}, true, {}});
    EXPECT_EQ(table->num_keys(), 1);
    const auto rows = Probe(*table, 7);
    ASSERT_EQ(rows.size(), 100000u);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_TRUE(Probe(*table, 8).empty());
  }
}

TEST_F(JoinTableTest, ExistenceBuildsNoRows) {
  const auto rows = Rows({Values<int32_t>(kInt32, {{3}, {3}, {9}})}, 3);
  const auto direct = Build(rows, {kDirectChecked, {0}, false, {}});
  EXPECT_EQ(direct->direct().rows, nullptr);
  EXPECT_EQ(direct->direct().next, nullptr);
  EXPECT_EQ(direct->num_keys(), 2);
  EXPECT_EQ(direct->direct().bits[0], 0b1000001);
  EXPECT_EQ(direct->key_zone().max, 9);
  const auto hashed = Build(rows, {kHashed, {0}, false, {}});
  EXPECT_EQ(hashed->hash().next, nullptr);
  EXPECT_FALSE(Probe(*hashed, 9).empty());
  EXPECT_TRUE(Probe(*hashed, 4).empty());
}

TEST_F(JoinTableTest, BytesOnlyForSmallSpans) {
  const auto rows = Rows({Values<int32_t>(kInt32, {{0}})}, 1);
  const int64_t limit = 32 << 10;
  const auto small = Build(rows, {kDirectUnchecked, {0}, true, ZoneFrom(0, limit - 1)});
  EXPECT_NE(small->direct().bytes, nullptr);
  const auto large = Build(rows, {kDirectUnchecked, {0}, true, ZoneFrom(0, limit)});
  EXPECT_EQ(large->direct().bytes, nullptr);
}

TEST_F(JoinTableTest, CodesFollowKeys) {
  const auto rows = Rows({Values<int32_t>(kInt32, {{10}, {}, {12}})}, 3);
  const std::vector<uint16_t> codes = {4, 5, 6};
  const auto direct = Build(rows, {kDirectUnchecked, {0}, false, ZoneFrom(9, 12)});
  ASSERT_TRUE(direct->AddCodes(codes, workers_).ok());
  const kernels::u16* by_key = direct->direct().codes;
  EXPECT_EQ(std::vector<int>(by_key, by_key + 4), (std::vector<int>{0, 4, 0, 6}));
  const auto hashed = Build(rows, {kHashed, {0}, true, {}});
  ASSERT_TRUE(hashed->AddCodes(codes, workers_).ok());
  EXPECT_EQ(hashed->hash().codes[2], 6);
  const std::vector<uint16_t> others = {7, 8, 9};
  const auto shared = hashed->WithCodes(others, workers_).ValueOrDie();
  EXPECT_EQ(shared->hash().codes[2], 9);
  EXPECT_EQ(shared->hash().slots, hashed->hash().slots);
  EXPECT_EQ(hashed->hash().codes[2], 6);
}

TEST_F(JoinTableTest, KernelsFindStringsOfKeys) {
  std::vector<std::string> names(1000);
  Nullable<std::string> texts;
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = std::string(i % 4 / 2, 'x') + std::to_string(i / 3);  // some twice, some not
    texts.emplace_back(names[i]);
  }
  const auto table = Build(Rows({Texts(texts)}, 1000), {kHashed, {0}, true, {}});
  const auto index = table->IndexTexts().ValueOrDie();
  EXPECT_EQ(table->IndexTexts().ValueOrDie(), index);
  for (const std::string& name : names) {
    const uint32_t id = kernels::find_text(index->view(), MakeText(name));
    EXPECT_NE(id, kernels::kNoRow);
    EXPECT_EQ(id, table->FindText(MakeText(name)));
  }
  for (const std::string name : {"", "x", "1000", "x1"}) {
    EXPECT_EQ(kernels::find_text(index->view(), MakeText(name)), table->FindText(MakeText(name)));
  }
  const auto none = Build(Rows({Texts({})}, 0), {kHashed, {0}, true, {}});
  EXPECT_EQ(kernels::find_text(none->IndexTexts().ValueOrDie()->view(), MakeText("")),
            kernels::kNoRow);
}

// A table may outlive those who probe it, and the next one's dictionary may lie where theirs did.
TEST_F(JoinTableTest, ADictionaryThatHasGoneIsForgotten) {
  auto own = columns::Dictionary::Make(&budget_).ValueOrDie();
  const auto table = Build(Rows({Codes(own, {{"a"}})}, 1), {kHashed, {0}, true, {}});
  for (const bool has_key : {true, false, true}) {
    const auto dictionary = columns::Dictionary::Make(&budget_).ValueOrDie();
    const std::vector<std::string_view> texts = {has_key ? "a" : "b"};
    ASSERT_TRUE(dictionary->Intern(texts).ok());
    const auto ids = table->Translate(dictionary).ValueOrDie();
    EXPECT_EQ(ids->as<uint32_t>()[0] != kernels::kNoRow, has_key);
  }
}

TEST_F(JoinTableTest, StringAndMixedKeys) {
  auto build_dictionary = columns::Dictionary::Make(&budget_).ValueOrDie();
  auto probe_dictionary = columns::Dictionary::Make(&budget_).ValueOrDie();
  const auto rows = Rows({Codes(build_dictionary, {{"b"}, {"a"}, {"b"}, {}, {"c"}}),
                          Values<int32_t>(kInt32, {{1}, {1}, {1}, {1}, {-3}}),
                          Texts({{"x"}, {"x"}, {"x"}, {"x"}, {"y"}})},
                         5);
  const auto table = Build(rows, {kHashed, {0, 1, 2}, true, {}});
  const std::vector<std::string_view> first = {"z", "b"};
  ASSERT_TRUE(probe_dictionary->Intern(first).ok());
  const auto before = table->Translate(probe_dictionary).ValueOrDie();
  EXPECT_EQ(before->as<uint32_t>()[0], kernels::kNoRow);
  const std::vector<std::string_view> more = {"c"};
  ASSERT_TRUE(probe_dictionary->Intern(more).ok());
  const auto ids = table->Translate(probe_dictionary).ValueOrDie();
  EXPECT_EQ(ids->as<uint32_t>()[1], before->as<uint32_t>()[1]);
  const uint64_t x = table->FindText(MakeText("x"));
  const uint64_t y = table->FindText(MakeText("y"));
  EXPECT_EQ(ProbeHash(table->hash(), {ids->as<uint32_t>()[1], 1, x}),
            (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(ProbeHash(table->hash(), {ids->as<uint32_t>()[2], static_cast<uint64_t>(-3), y}),
            (std::vector<uint32_t>{4}));
  EXPECT_TRUE(ProbeHash(table->hash(), {ids->as<uint32_t>()[2], 1, y}).empty());
}

TEST_F(JoinTableTest, FloatAndWideKeys) {
  const auto rows = Rows({Values<double>(kDouble, {{-0.0}, {std::nan("1")}, {2.5}}),
                          Values<__int128>(columns::Type::Decimal(38, 0),
                                           Nullable<__int128>{{-1}, {__int128{1} << 100}, {7}})},
                         3);
  const auto table = Build(rows, {kHashed, {0, 1}, true, {}});
  const uint64_t ones = ~uint64_t{0};
  EXPECT_EQ(ProbeHash(table->hash(), {kernels::float_key(0.0), ones, ones}),
            std::vector<uint32_t>{0});
  EXPECT_EQ(ProbeHash(table->hash(), {kernels::float_key(-std::nan("7")), 0, uint64_t{1} << 36}),
            std::vector<uint32_t>{1});
}

// Keys whose hashes fall on the last slots: chains run over the ends of the workers' ranges and of
// the table.
TEST_F(JoinTableTest, CollidingKeys) {
  constexpr int64_t kRows = 70000;
  const uint64_t mask = HashSlots(kRows) - 1;
  std::vector<int64_t> keys;
  Nullable<int64_t> expected;
  for (uint64_t key = 0; keys.size() < kRows; ++key) {
    const uint64_t slot = kernels::hash_words(reinterpret_cast<kernels::u64*>(&key), 1) & mask;
    const bool near_an_end = slot % (mask / 3) > mask / 3 - mask / 8 || slot > mask - 50;
    if (near_an_end || keys.size() > 60000) keys.push_back(static_cast<int64_t>(key));
  }
  std::shuffle(keys.begin(), keys.end(), random_);
  const auto table = Build(Rows({Values(kInt64, keys)}, kRows), {kHashed, {0}, true, {}});
  EXPECT_TRUE(table->unique());
  for (size_t row = 0; row < keys.size(); ++row) {
    ASSERT_EQ(Probe(*table, keys[row]), std::vector<uint32_t>{static_cast<uint32_t>(row)});
  }
}

TEST_F(JoinTableTest, FailsCleanly) {
  for (const JoinShape& shape : {kDirectUnchecked, kHashed}) {
    const auto rows = Rows({Values<int32_t>(kInt32, {{3}, {3}, {9}})}, 3);
    ExpectCleanAtEveryAllocation([&]() -> base::Status {
      SVM_ASSIGN_OR_RETURN(auto table, JoinTable::Build(rows, {shape, {0}, true, ZoneFrom(0, 9)},
                                                        &budget_, workers_));
      const std::vector<uint16_t> codes = {1, 1, 2};
      return table->AddCodes(codes, workers_);
    });
  }
}

// What the host knows of a table that a device has made: the keys that are there.
TEST_F(JoinTableTest, MadeByADevice) {
  const auto no_rows = Rows({Values<int32_t>(kInt32, std::vector<int32_t>())}, 0);
  const auto made = [&](const std::vector<uint64_t>& keys, uint64_t size) {
    auto bits = memory::Buffer::Make(&budget_, 16, "bits", memory::Buffer::Fill::kZero);
    for (const uint64_t key : keys) (*bits)->data()[key / 8] |= 1 << key % 8;
    kernels::DirectView view{};
    view.base = -5;
    view.size = size;
    return JoinTable::OnDevice(no_rows, {kDirectUnchecked, {0}, false, ZoneFrom(-5, 14)},
                               {view, nullptr, *bits}, &budget_);
  };
  const auto some = made({2, 8, 17}, 20);
  ASSERT_TRUE(some->on_device());
  EXPECT_TRUE(some->unique());
  EXPECT_EQ(some->num_keys(), 3);
  EXPECT_EQ(some->key_zone().min, -3);
  EXPECT_EQ(some->key_zone().max, 12);
  EXPECT_FALSE(some->covers_probes());
  EXPECT_EQ(some->direct().bits[1], 1);
  const auto none = made({}, 20);
  EXPECT_EQ(none->num_keys(), 0);
  EXPECT_FALSE(none->key_zone().known);
  EXPECT_TRUE(made({0, 1, 2, 3, 4, 5, 6, 7, 8}, 9)->covers_probes());
}

TEST_F(JoinTableTest, StopsWhenCancelled) {
  cancel_.Cancel();
  const auto rows = Rows({Values<int32_t>(kInt32, {{3}, {3}, {9}})}, 3);
  for (const JoinShape& shape : {kDirectUnchecked, kHashed}) {
    const auto table =
        JoinTable::Build(rows, {shape, {0}, true, ZoneFrom(0, 9)}, &budget_, workers_);
    EXPECT_EQ(base::CodeOf(table.status()), base::ErrorCode::kCancelled);
  }
}

}  // namespace
}  // namespace shadowvm::exec
