// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "engine/columns/frame.h"
#include "engine/exec/state/dispatch.h"
#include "engine/exec/state/join_table.h"

// The direct-address half of JoinTable. Workers split the keys' range, not the rows: each reads
// every key and enters those of its own range, so that no two write to the same place and chains
// come out in row order whatever the number of workers.
namespace shadowvm::exec {
namespace {

using memory::Buffer;

constexpr int64_t kParallelRows = 64 << 10;
constexpr int64_t kBytesUpTo = 32 << 10;
constexpr uint64_t kRangeUnit = 512;  // keys: a cache line of bits

struct DirectTarget {
  int64_t base;
  uint8_t* bits;
  uint32_t* rows;  // null: existence only
  uint32_t* next;
};

struct Filled {
  int64_t rows = 0;
  int64_t keys = 0;
};

// Enters the rows whose key - base lies in [begin, end), last row first.
template <typename T>
Filled FillRange(const RowData& keys, int64_t num_rows, const DirectTarget& target, uint64_t begin,
                 uint64_t end) {
  const T* values = keys.values<T>();
  const uint8_t* valid = keys.valid == nullptr ? nullptr : keys.valid->data();
  const uint64_t base = static_cast<uint64_t>(target.base);
  Filled filled;
  for (int64_t row = num_rows - 1; row >= 0; --row) {
    const uint64_t key = static_cast<uint64_t>(static_cast<int64_t>(values[row])) - base;
    if (key - begin >= end - begin || (valid != nullptr && valid[row] == 0)) continue;
    uint8_t& byte = target.bits[key / 8];
    const auto bit = static_cast<uint8_t>(1u << (key % 8));
    ++filled.rows;
    filled.keys += (byte & bit) == 0;
    byte |= bit;
    if (target.rows != nullptr) {
      target.next[row] = target.rows[key];
      target.rows[key] = static_cast<uint32_t>(row);
    }
  }
  return filled;
}

template <typename T>
void FillCodes(const RowData& keys, std::span<const uint16_t> codes, int64_t base, uint64_t size,
               uint16_t* out) {
  const T* values = keys.values<T>();
  for (size_t row = 0; row < codes.size(); ++row) {
    const uint64_t key =
        static_cast<uint64_t>(static_cast<int64_t>(values[row])) - static_cast<uint64_t>(base);
    if (key < size && keys.is_valid(row)) out[key] = codes[row];
  }
}

}  // namespace

std::unique_ptr<JoinTable> JoinTable::OnDevice(std::shared_ptr<const RowSet> rows,
                                               JoinTableOptions options, DeviceMade made,
                                               memory::MemoryBudget* budget) {
  std::unique_ptr<JoinTable> table(new JoinTable(std::move(rows), std::move(options), budget));
  table->base_ = made.view.base;
  table->size_ = made.view.size;
  table->bits_ = made.bits;
  table->made_ = std::move(made);
  table->CountBits();
  return table;
}

// Every row in the table has a bit of its own.
void JoinTable::CountBits() {
  for (uint64_t at = 0; at < size_; at += 64) {
    uint64_t word;
    std::memcpy(&word, bits_->data() + at / 8, sizeof word);
    if (word == 0) continue;
    const int64_t first = base_ + static_cast<int64_t>(at);
    if (!key_zone_.known) key_zone_ = {.known = true, .min = first + std::countr_zero(word)};
    key_zone_.max = first + 63 - std::countl_zero(word);
    num_keys_ += std::popcount(word);
  }
  num_rows_ = num_keys_;
}

base::Status JoinTable::BuildDirect(const schedule::Workers& workers) {
  SVM_RETURN_NOT_OK(ChooseSpan());
  const auto bytes = static_cast<int64_t>((size_ + 7) / 8) + 8;
  SVM_ASSIGN_OR_RETURN(bits_, Buffer::Make(budget_, bytes, "join bits", Buffer::Fill::kZero));
  if (options_.rows) {
    const auto row_bytes = static_cast<int64_t>(size_ * 4);
    SVM_ASSIGN_OR_RETURN(row_numbers_, Buffer::Make(budget_, row_bytes, "join rows"));
    std::memset(row_numbers_->data(), 0xff, row_bytes);
  }
  SVM_RETURN_NOT_OK(MakeNext());
  SVM_RETURN_NOT_OK(FillDirect(workers));
  if (unique()) next_.reset();
  if (static_cast<int64_t>(size_) <= kBytesUpTo) {
    SVM_ASSIGN_OR_RETURN(bytes_, Buffer::Make(budget_, size_, "join bytes"));
    MakeBytes();
  }
  return base::Status::OK();
}

base::Status JoinTable::ChooseSpan() {
  key_zone_ = ZoneOf(rows_->columns[options_.keys[0]], rows_->num_rows);
  const columns::Zone span = shape().checked ? key_zone_ : options_.probe_zone.value_or(key_zone_);
  if (!span.known) return base::Status::OK();
  base_ = span.min;
  const uint64_t range = columns::RangeOf(span.min, span.max);
  if (range >= uint64_t{1} << 40) {
    return base::MakeError(base::ErrorCode::kOutOfMemory,
                           "a direct join table over " + std::to_string(range) + " keys");
  }
  size_ = range + 1;
  return base::Status::OK();
}

base::Status JoinTable::FillDirect(const schedule::Workers& workers) {
  const RowData& keys = rows_->columns[options_.keys[0]];
  const DirectTarget target{base_, bits_->data(),
                            options_.rows ? row_numbers_->as<uint32_t>() : nullptr,
                            options_.rows ? next_->as<uint32_t>() : nullptr};
  const bool large = rows_->num_rows > kParallelRows;
  const int64_t units = static_cast<int64_t>((size_ + kRangeUnit - 1) / kRangeUnit);
  std::atomic<int64_t> entered{0};
  std::atomic<int64_t> distinct{0};
  const auto fill = [&](int, int64_t begin, int64_t end) {
    const Filled filled = DispatchInteger(keys.column.width(), [&](auto zero) {
      return FillRange<decltype(zero)>(keys, rows_->num_rows, target, begin * kRangeUnit,
                                       std::min(end * kRangeUnit, size_));
    });
    entered += filled.rows;
    distinct += filled.keys;
    return base::Status::OK();
  };
  SVM_RETURN_NOT_OK(schedule::ParallelRanges(workers, units, large ? 1 : units + 1, fill));
  num_rows_ = entered;
  num_keys_ = distinct;
  return base::Status::OK();
}

void JoinTable::MakeBytes() {
  for (uint64_t key = 0; key < size_; ++key) {
    bytes_->data()[key] = bits_->data()[key / 8] >> (key % 8) & 1;
  }
}

bool JoinTable::covers_probes() const {
  return shape().kind == JoinShape::Kind::kDirect && !shape().checked &&
         static_cast<uint64_t>(num_keys_) == size_;
}

base::Status JoinTable::AddCodes(std::span<const uint16_t> codes,
                                 const schedule::Workers& workers) {
  const bool direct = shape().kind == JoinShape::Kind::kDirect;
  const auto bytes = static_cast<int64_t>(direct ? size_ * 2 : codes.size_bytes());
  SVM_ASSIGN_OR_RETURN(codes_,
                       Buffer::Make(budget_, bytes, "join group codes", Buffer::Fill::kZero));
  if (!direct) {
    if (!codes.empty()) std::memcpy(codes_->data(), codes.data(), codes.size_bytes());
    return base::Status::OK();
  }
  const RowData& keys = rows_->columns[options_.keys[0]];
  DispatchInteger(keys.column.width(), [&](auto zero) {
    FillCodes<decltype(zero)>(keys, codes, base_, size_, codes_->as<uint16_t>());
  });
  return base::Status::OK();
}

}  // namespace shadowvm::exec
