// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/api.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/base/status.h"
#include "engine/columns/type.h"
#include "engine/memory/budget.h"

// What Arrow arrays of answers are made of, wherever their values lie.
namespace shadowvm::columns {

// Counts what arrays take, until it goes: they belong to whoever asked, who may outlive the budget.
// Thread-safe.
class ArrowRoom {
 public:
  // Null: nobody counts.
  explicit ArrowRoom(memory::MemoryBudget* budget = nullptr) : budget_(budget) {}
  ~ArrowRoom();
  ArrowRoom(const ArrowRoom&) = delete;
  ArrowRoom& operator=(const ArrowRoom&) = delete;

  // Contents are undefined. kOutOfMemory where the budget or the machine has no such room.
  base::Result<std::shared_ptr<arrow::Buffer>> Allocate(int64_t size);
  // One bit a row, all zero.
  base::Result<std::shared_ptr<arrow::Buffer>> AllocateBits(int64_t rows);

 private:
  memory::MemoryBudget* const budget_;
  std::atomic<int64_t> reserved_{0};
};

// Of ToArrow(type); a null validity: all rows are valid.
std::shared_ptr<arrow::Array> MakeArrowArray(Type type, int64_t rows, arrow::BufferVector buffers);

// The bits of is_valid(0 … rows - 1).
template <typename IsValid>
base::Result<std::shared_ptr<arrow::Buffer>> MakeValidity(int64_t rows, ArrowRoom* room,
                                                          IsValid&& is_valid) {
  SVM_ASSIGN_OR_RETURN(auto validity, room->AllocateBits(rows));
  uint8_t* const bits = validity->mutable_data();
  for (int64_t i = 0; i < rows; ++i) bits[i / 8] |= static_cast<uint8_t>(is_valid(i)) << (i % 8);
  return validity;
}

// That an array holds, of texts with 32-bit offsets.
inline constexpr int64_t kMostText = arrow::kBinaryMemoryLimit;
// kUnsupported, for a string that no array holds.
base::Status TextTooLong(int64_t size);
inline base::Status CheckText(int64_t size) {
  return size <= kMostText ? base::Status::OK() : TextTooLong(size);
}

// What memcpy does, without a call where strings are short, as most are.
inline void CopyText(const char* from, size_t size, uint8_t* to) {
  struct Half {
    uint64_t words[2];
  };
  // The first and the last bytes, which may overlap.
  const auto copy_ends = [=](auto end) {
    auto last = end;
    std::memcpy(&end, from, sizeof end);
    std::memcpy(&last, from + size - sizeof last, sizeof last);
    std::memcpy(to, &end, sizeof end);
    std::memcpy(to + size - sizeof last, &last, sizeof last);
  };
  if (size >= 8 && size <= 16) {
    copy_ends(uint64_t{});
  } else if (size > 16 && size <= 32) {
    copy_ends(Half{});
  } else if (size > 0) {
    std::memcpy(to, from, size);
  }
}

// The array of as many strings from 'begin' on as 'most' bytes hold, or of all up to 'end': at
// least of one. 'nullable' says whether is_valid has to be asked.
template <typename IsValid, typename TextAt>
base::Result<std::shared_ptr<arrow::Array>> MakeTextArray(Type type, int64_t begin, int64_t end,
                                                          int64_t most, bool nullable,
                                                          ArrowRoom* room, IsValid&& is_valid,
                                                          TextAt&& text_at) {
  SVM_ASSIGN_OR_RETURN(auto offsets, room->Allocate((end - begin + 1) * 4));
  auto* const starts = reinterpret_cast<int32_t*>(offsets->mutable_data());
  const auto size_at = [&](int64_t row) {
    return nullable && !is_valid(row) ? 0 : static_cast<int64_t>(text_at(row).size());
  };
  int64_t rows = end - begin, bytes = 0;
  for (int64_t i = 0; i < rows; ++i) {
    starts[i] = static_cast<int32_t>(bytes);
    bytes += size_at(begin + i);
  }
  // Almost never.
  while (bytes > most) {
    const int64_t last = size_at(begin + rows - 1);
    SVM_RETURN_NOT_OK(CheckText(last));
    if (rows == 1) break;
    bytes -= last;
    --rows;
  }
  starts[rows] = static_cast<int32_t>(bytes);
  SVM_ASSIGN_OR_RETURN(auto data, room->Allocate(bytes));
  uint8_t* const out = data->mutable_data();
  for (int64_t i = 0; i < rows; ++i) {
    const int32_t size = starts[i + 1] - starts[i];
    if (size > 0) CopyText(text_at(begin + i).data(), static_cast<size_t>(size), out + starts[i]);
  }
  std::shared_ptr<arrow::Buffer> validity;
  if (nullable) {
    SVM_ASSIGN_OR_RETURN(validity,
                         MakeValidity(rows, room, [&](int64_t i) { return is_valid(begin + i); }));
  }
  return MakeArrowArray(type, rows, {std::move(validity), std::move(offsets), std::move(data)});
}

// Rows [begin, end) of strings, in several arrays where they would pass kMostText.
template <typename IsValid, typename TextAt>
base::Result<arrow::ArrayVector> MakeTextArrays(Type type, int64_t begin, int64_t end,
                                                bool nullable, ArrowRoom* room, IsValid&& is_valid,
                                                TextAt&& text_at, int64_t most = kMostText) {
  arrow::ArrayVector arrays;
  do {
    SVM_ASSIGN_OR_RETURN(auto array,
                         MakeTextArray(type, begin, end, most, nullable, room, is_valid, text_at));
    begin += array->length();
    arrays.push_back(std::move(array));
  } while (begin < end);
  return arrays;
}

}  // namespace shadowvm::columns
