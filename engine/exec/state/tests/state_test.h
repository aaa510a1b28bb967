// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/fault.h"
#include "engine/device/cpu_device.h"
#include "engine/exec/state/row_set.h"
#include "engine/exec/state/text_arena.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

// A budget, workers, and short ways to make rows. Every test ends with the budget empty again.
class StateTest : public ::testing::Test {
 protected:
  template <typename T>
  using Nullable = std::vector<std::optional<T>>;

  ~StateTest() override {
    base::DisarmFaults();
    EXPECT_EQ(budget_.used(), 0) << "bytes leaked";
  }

  // A column of fixed-width values; nullable when any is missing.
  template <typename T>
  RowData Values(columns::Type type, const Nullable<T>& values) {
    RowData data{RowColumn::Value(type, false), nullptr, nullptr};
    return Fill<T>(std::move(data), values);
  }
  template <typename T>
  RowData Values(columns::Type type, const std::vector<T>& values) {
    return Values<T>(type, Nullable<T>(values.begin(), values.end()));
  }
  RowData Texts(const Nullable<std::string>& values) {
    Nullable<kernels::Text> texts;
    for (const auto& value : values) {
      texts.push_back(value ? std::optional(KeptText(*value)) : std::nullopt);
    }
    return Fill<kernels::Text>({RowColumn::Text(kString, false), nullptr, nullptr}, texts);
  }
  RowData Codes(std::shared_ptr<columns::Dictionary> dictionary,
                const Nullable<std::string>& values) {
    Nullable<uint32_t> codes;
    for (const auto& value : values) {
      const std::string_view view = value ? *value : std::string_view();
      codes.push_back(value ? std::optional(dictionary->Intern({&view, 1}).ValueOrDie()[0])
                            : std::nullopt);
    }
    return Fill<uint32_t>({RowColumn::Codes(kString, false, dictionary), nullptr, nullptr}, codes);
  }
  std::shared_ptr<RowSet> Rows(std::vector<RowData> columns, int64_t num_rows) {
    auto rows = std::make_shared<RowSet>();
    rows->columns = std::move(columns);
    rows->num_rows = num_rows;
    return rows;
  }
  kernels::Text KeptText(const std::string& value) {
    strings_.push_back(std::make_unique<std::string>(value));
    return MakeText(*strings_.back());
  }

  // Calls action() with the n-th buffer failing, n = 1, 2, … until it succeeds: every failure must
  // be kOutOfMemory and leave nothing behind.
  template <typename Action>
  void ExpectCleanAtEveryAllocation(Action&& action) {
    const int64_t before = budget_.used();
    for (int n = 1; n < 10000; ++n) {
      ASSERT_TRUE(base::ArmFaults("memory.buffer=nth:" + std::to_string(n) + ":oom").ok());
      const base::Status status = action();
      base::DisarmFaults();
      ASSERT_EQ(budget_.used(), before) << "after failure " << n;
      if (status.ok()) {
        EXPECT_GT(n, 1) << "nothing was allocated";
        return;
      }
      ASSERT_EQ(base::CodeOf(status), base::ErrorCode::kOutOfMemory) << status.ToString();
    }
    FAIL() << "never succeeded";
  }

  static constexpr columns::Type kInt32{columns::TypeKind::kInt32, 0, 0};
  static constexpr columns::Type kInt64{columns::TypeKind::kInt64, 0, 0};
  static constexpr columns::Type kDouble{columns::TypeKind::kDouble, 0, 0};
  static constexpr columns::Type kString{columns::TypeKind::kString, 0, 0};

  memory::MemoryBudget budget_{int64_t{4} << 30};
  device::CpuDevice device_{3};
  schedule::CancelToken cancel_;
  schedule::Workers workers_{&device_, &cancel_};
  std::mt19937_64 random_{42};

 private:
  template <typename T>
  RowData Fill(RowData data, const Nullable<T>& values) {
    const auto rows = static_cast<int64_t>(values.size());
    data.data = memory::Buffer::Make(&budget_, rows * data.column.width(), "test").ValueOrDie();
    for (int64_t i = 0; i < rows; ++i) data.data->as<T>()[i] = values[i].value_or(T{});
    const bool nulls = std::find(values.begin(), values.end(), std::nullopt) != values.end();
    if (!nulls) return data;
    data.column.nullable = true;
    data.valid = memory::Buffer::Make(&budget_, rows, "test").ValueOrDie();
    for (int64_t i = 0; i < rows; ++i) data.valid->data()[i] = values[i].has_value();
    return data;
  }

  std::vector<std::unique_ptr<std::string>> strings_;
};

}  // namespace shadowvm::exec
