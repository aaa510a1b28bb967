// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/replay/row_digest.h"

#include <arrow/array.h>
#include <arrow/table.h>
#include <arrow/type_traits.h>
#include <arrow/visit_array_inline.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace shadowvm::cli {
namespace {

constexpr uint64_t kSeed = 0x9e3779b97f4a7c15;
constexpr uint64_t kNull = 0x6e756c6c6e756c6c;

// The finaliser of MurmurHash3: every bit of the input changes half of the output's.
uint64_t Scramble(uint64_t word) {
  word = (word ^ (word >> 33)) * 0xff51afd7ed558ccd;
  word = (word ^ (word >> 33)) * 0xc4ceb9fe1a85ec53;
  return word ^ (word >> 33);
}

uint64_t Join(uint64_t hash, uint64_t word) { return Scramble(hash * 31 + word + kSeed); }

uint64_t WordOf(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
}

uint64_t WordOf(std::string_view bytes) {
  uint64_t hash = bytes.size();
  for (const char byte : bytes) hash = Join(hash, static_cast<unsigned char>(byte));
  return hash;
}

// Joins the values of one column to the hashes of their rows.
class RowHasher {
 public:
  explicit RowHasher(uint64_t* rows) : rows_(rows) {}

  template <typename ArrayType>
  base::Status Visit(const ArrayType& array) {
    using Type = typename ArrayType::TypeClass;
    if constexpr (std::is_same_v<Type, arrow::HalfFloatType>) {
      return Refuse(array);
    } else if constexpr (arrow::is_floating_type<Type>::value) {
      return Add(array, [&](int64_t i) { return WordOf(static_cast<double>(array.Value(i))); });
    } else if constexpr (arrow::is_base_binary_type<Type>::value ||
                         arrow::is_fixed_size_binary_type<Type>::value) {
      return Add(array, [&](int64_t i) { return WordOf(array.GetView(i)); });
    } else if constexpr (arrow::is_integer_type<Type>::value ||
                         arrow::is_boolean_type<Type>::value || arrow::is_date_type<Type>::value ||
                         arrow::is_timestamp_type<Type>::value) {
      return Add(array, [&](int64_t i) { return static_cast<uint64_t>(array.Value(i)); });
    } else {
      return Refuse(array);
    }
  }

 private:
  template <typename WordAt>
  base::Status Add(const arrow::Array& array, WordAt word_at) {
    for (int64_t i = 0; i < array.length(); ++i) {
      rows_[i] = Join(rows_[i], array.IsNull(i) ? kNull : Scramble(word_at(i)));
    }
    return base::Status::OK();
  }

  static base::Status Refuse(const arrow::Array& array) {
    return base::MakeError(base::ErrorCode::kUnsupportedType,
                           "no digest of " + array.type()->ToString());
  }

  uint64_t* rows_;
};

}  // namespace

base::Result<RowDigest> DigestOf(const arrow::Table& table) {
  std::vector<uint64_t> rows(static_cast<size_t>(table.num_rows()), kSeed);
  for (const auto& column : table.columns()) {
    uint64_t* next = rows.data();
    for (const auto& chunk : column->chunks()) {
      RowHasher hasher(next);
      SVM_RETURN_NOT_OK(arrow::VisitArrayInline(*chunk, &hasher));
      next += chunk->length();
    }
  }
  RowDigest digest{Scramble(rows.size()), Scramble(rows.size())};
  for (const uint64_t row : rows) {
    digest.ordered = Join(digest.ordered, row);
    digest.unordered += Scramble(row);
  }
  return digest;
}

std::string ToHex(uint64_t digest) {
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, digest >>= 4) text[i] = "0123456789abcdef"[digest & 15];
  return text;
}

}  // namespace shadowvm::cli
