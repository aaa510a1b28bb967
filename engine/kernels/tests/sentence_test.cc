// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/kernels/tests/tiles.h"

// Whole sentences, written as the renderer writes them, against plain loops.
namespace shadowvm::kernels::tests {
namespace {

void StarKernel(KernelCall* call) {
  const Column<u16> suppkey(call->columns[0]);
  const Column<u32> partkey(call->columns[1]);
  const Column<u8> quantity(call->columns[2]);
  const Column<u32> revenue(call->columns[3]);
  const Direct supplier(call->directs[0]), part(call->directs[1]);
  SVM_FOR_EACH_TILE(t, call) {
    SVM_FOR_EACH_STEP(step, t, call) {
      switch (step) {
        case 0:
          keep_in(t, supplier, suppkey);
          break;
        case 1:
          keep_in(t, part, partkey);
          break;
        case 2:
          keep_range(t, quantity, call->ranges[0]);
          break;
      }
    }
    SVM_END_STEPS(t, call);
    Slots g;
    start_slots(t, g);
    add_join_code(t, g, supplier, suppkey, call->strides[0]);
    add_join_code(t, g, part, partkey, call->strides[1]);
    i64* const dense = call->dense;
    SVM_EACH_ROW(t) { count_row(dense_row(dense, g, j, 2)); }
    SVM_EACH_ROW(t) { sum_i64(dense_row(dense, g, j, 2) + 1, revenue[i]); }
  }
}

struct StarData {
  Random random{51};
  static constexpr u32 kRows = 20011, kSuppliers = 2000, kParts = 30000;
  ColumnData<u16> suppkey = MakeColumn<u16>(random, kRows, kSuppliers - 1, false, 1);
  ColumnData<u32> partkey = MakeColumn<u32>(random, kRows, kParts - 1, false, 1);
  ColumnData<u8> quantity = MakeColumn<u8>(random, kRows, 49, false, 1);
  ColumnData<u32> revenue = MakeColumn<u32>(random, kRows, 600000, false, 100);
  std::vector<u8> supplier_bytes, supplier_bits, part_bits;
  std::vector<u16> supplier_codes, part_codes;
  std::vector<ColumnView> columns = {suppkey.view(), partkey.view(), quantity.view(),
                                     revenue.view()};
  RangeView range = {10, 30};
  const u64 strides[2] = {1, 8};
  DirectView directs[2] = {};
  KernelCall call = {};

  StarData()
      : supplier_bytes(kSuppliers),
        supplier_bits(kSuppliers / 8 + 9),
        part_bits(kParts / 8 + 9),
        supplier_codes(kSuppliers),
        part_codes(kParts) {
    Fill(supplier_codes, supplier_bits, 7);
    Fill(part_codes, part_bits, 25);
    for (u32 k = 0; k < kSuppliers; ++k) supplier_bytes[k] = supplier_codes[k] != 0;
    directs[0] = {supplier_bits.data(),
                  supplier_bytes.data(),
                  supplier_codes.data(),
                  nullptr,
                  nullptr,
                  1,
                  kSuppliers};
    directs[1] = {part_bits.data(), nullptr, part_codes.data(), nullptr, nullptr, 1, kParts};
    call.columns = columns.data();
    call.ranges = &range;
    call.directs = directs;
    call.strides = strides;
    call.row_begin = 3;
    call.row_end = kRows;
  }
  void Fill(std::vector<u16>& codes, std::vector<u8>& bits, u32 groups) {
    for (u32 k = 0; k < codes.size(); ++k) {
      codes[k] = Chance(random, 0.2) ? static_cast<u16>(1 + random() % groups) : u16(0);
      bits[k / 8] = static_cast<u8>(bits[k / 8] | (codes[k] != 0) << (k % 8));
    }
  }
  std::vector<i64> Naive(const std::vector<u8>& order) const {
    std::vector<i64> dense(2 * 8 * 26);
    for (u32 i = call.row_begin; i < kRows; ++i) {
      const u32 s = supplier_codes[suppkey.values[i]], p = part_codes[partkey.values[i]];
      bool keep = true;
      for (u8 step : order) {
        if (step == 0) keep = keep && s != 0;
        if (step == 1) keep = keep && p != 0;
        if (step == 2) keep = keep && quantity.values[i] >= 10 && quantity.values[i] <= 40;
      }
      if (!keep) continue;
      dense[2 * (s + 8 * p)] += 1;
      dense[2 * (s + 8 * p) + 1] += revenue.values[i] + 100;
    }
    return dense;
  }
};

TEST(SentenceTest, StarJoinInEveryOrder) {
  StarData data;
  const std::vector<std::vector<u8>> orders = {{0, 1, 2}, {2, 1, 0}, {1, 0}, {2}, {}};
  for (const auto& order : orders) {
    std::vector<i64> dense(2 * 8 * 26);
    data.call.order = order.data();
    data.call.num_steps = static_cast<u32>(order.size());
    data.call.dense = dense.data();
    StarKernel(&data.call);
    EXPECT_EQ(dense, data.Naive(order));
  }
}

struct Output {
  std::vector<i64> values;
  std::vector<u8> valid;
  void* columns[1] = {};
  u8* valids[1] = {};
  OutputView view = {};
  u32 reserves_left = ~u32(0);

  Output() { view = {columns, valids, 0, 0, Reserve}; }
  static bool Reserve(KernelCall* call, u64 rows) {
    auto* self = static_cast<Output*>(call->interner);
    if (self->reserves_left-- == 0) {
      raise(call, kErrorOutOfMemory);
      return false;
    }
    self->view.capacity = self->view.count + rows;
    self->values.resize(self->view.capacity);
    self->valid.resize(self->view.capacity);
    self->columns[0] = self->values.data();
    self->valids[0] = self->valid.data();
    return true;
  }
};

void AppendKernel(KernelCall* call) {
  const Column<u16> keys(call->columns[0]);
  SVM_FOR_EACH_TILE(t, call) {
    SVM_FOR_EACH_STEP(step, t, call) { keep_range(t, keys, call->ranges[0]); }
    SVM_END_STEPS(t, call);
    if (!reserve(t, call)) break;
    i64* const out = output_column<i64>(call, 0);
    u8* const out_valid = output_valid(call, 0);
    SVM_EACH_ROW(t) { out[j] = keys[i] * 2; }
    SVM_EACH_ROW(t) { out_valid[j] = i % 2 == 0; }
    append_done(t, call);
  }
}

TEST(SentenceTest, AppendsSurvivorsInOrder) {
  StarData data;
  Output output;
  const u8 order[] = {0};
  data.call.order = order;
  data.call.num_steps = 1;
  data.call.output = &output.view;
  data.call.interner = &output;
  AppendKernel(&data.call);
  u64 n = 0;
  for (u32 i = data.call.row_begin; i < StarData::kRows; ++i) {
    if (data.suppkey.values[i] < 10 || data.suppkey.values[i] > 40) continue;
    ASSERT_LT(n, output.view.count);
    ASSERT_EQ(output.values[n], 2 * (data.suppkey.values[i] + 1));
    ASSERT_EQ(output.valid[n], i % 2 == 0);
    ++n;
  }
  EXPECT_EQ(n, output.view.count);
}

TEST(SentenceTest, NoRoomForOutputStopsTheKernel) {
  StarData data;
  Output output;
  output.reserves_left = 2;
  data.call.output = &output.view;
  data.call.interner = &output;
  AppendKernel(&data.call);
  EXPECT_EQ(data.call.error, kErrorOutOfMemory);
  EXPECT_EQ(output.view.count, 2u * kTileRows);
}

TEST(ColumnsTest, ValuesOfEveryLayout) {
  const std::vector<i128> wide = {i128(1) << 100, -5};
  const std::vector<float> floats = {1.5f, -2};
  const std::string bytes = "onetwo";
  const std::vector<u32> offsets = {0, 3, 3, 6}, codes = {1, 0};
  const Text texts[] = {make_text("ab", 2), make_text("abcdef", 6)};
  const u64 validity = 0b01;
  ColumnView view = {};
  view.validity = &validity;
  view.data = wide.data();
  EXPECT_TRUE(WideColumn(view)[0] == wide[0] && WideColumn(view)[1] == -5);
  EXPECT_TRUE(WideColumn(view).valid(0) && !WideColumn(view).valid(1));
  view.data = floats.data();
  EXPECT_EQ(FloatColumn<float>(view)[1], -2);
  view.data = bytes.data();
  view.offsets = offsets.data();
  EXPECT_TRUE(text_equal(TextColumn(view)[2], make_text("two", 3)));
  EXPECT_EQ(TextColumn(view)[1].size, 0u);
  view.data = codes.data();
  view.texts = texts;
  EXPECT_TRUE(text_equal(CodeColumn(view)[0], texts[1]));
}

TEST(PayloadTest, ValuesByBuildRow) {
  const std::vector<i8> bytes = {-5, 7};
  const std::vector<u8> valid = {1, 0};
  const std::vector<i128> wide = {i128(-1) << 90};
  const std::vector<u32> codes = {1};
  const Text texts[] = {make_text("ab", 2), make_text("abcdef", 6)};
  const i64 value = Payload<i8>(PayloadView{bytes.data(), nullptr, nullptr})[0];
  EXPECT_EQ(value, -5);
  EXPECT_FALSE(Payload<i8>(PayloadView{bytes.data(), valid.data(), nullptr}).valid(1));
  EXPECT_TRUE(Payload<i8>(PayloadView{bytes.data(), nullptr, nullptr}).valid(1));
  EXPECT_TRUE(Payload<i128>(PayloadView{wide.data(), nullptr, nullptr})[0] == wide[0]);
  EXPECT_EQ(CodePayload(PayloadView{codes.data(), nullptr, texts})[0].size, 6u);
  EXPECT_EQ(TextPayload(PayloadView{texts, nullptr, nullptr})[1].size, 6u);
  const OuterPayload<CodePayload> outer(PayloadView{codes.data(), nullptr, texts});
  EXPECT_TRUE(outer.valid(0));
  EXPECT_EQ(outer[0].size, 6u);
  EXPECT_FALSE(outer.valid(kNoRow));
  EXPECT_EQ(outer[kNoRow].size, 0u);
  EXPECT_EQ(outer.code(kNoRow), 0u);
}

}  // namespace
}  // namespace shadowvm::kernels::tests
