// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shadowvm::columns {

enum class TypeKind : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kDecimal,       // precision 1–38, scale 0–precision; 64 bits up to 18 digits, 128 bits beyond
  kDate,          // days since 1970-01-01
  kTimestamp,     // microseconds since the epoch, an instant (Arrow: with time zone UTC)
  kTimestampNtz,  // microseconds, a wall clock without zone
  kString,        // UTF-8
  kBinary,
};

// A logical type. What a value looks like in memory follows from it (see Layout); what an operation
// on it means lies in engine/kernels/common.
struct Type {
  TypeKind kind = TypeKind::kInt64;
  uint8_t precision = 0;  // decimals only
  uint8_t scale = 0;      // decimals only

  static Type Of(TypeKind kind) { return Type{kind, 0, 0}; }
  static Type Decimal(int precision, int scale) {
    return Type{TypeKind::kDecimal, static_cast<uint8_t>(precision), static_cast<uint8_t>(scale)};
  }
  bool operator==(const Type&) const = default;

  bool is_text() const { return kind == TypeKind::kString || kind == TypeKind::kBinary; }
  bool is_float() const { return kind == TypeKind::kFloat || kind == TypeKind::kDouble; }
  bool is_decimal() const { return kind == TypeKind::kDecimal; }
  bool is_integer() const { return kind >= TypeKind::kInt8 && kind <= TypeKind::kInt64; }
  // Held in 128 bits: decimals of more than 18 digits.
  bool is_wide() const { return is_decimal() && precision > 18; }
  // Held in a frame of reference of at most 64 bits: everything but floats, wide decimals and text.
  bool is_framed() const { return !is_text() && !is_float() && !is_wide(); }

  std::string ToString() const;  // "decimal(12,2)", "int32", …
};

struct Field {
  std::string name;
  Type type;
  bool nullable = true;
  bool operator==(const Field&) const = default;
};

// A column that the data has and a schema leaves out, because no type of ours holds it.
struct LeftOutField {
  std::string name;
  std::string type;  // as the data calls it: "list<element: string>"
  bool operator==(const LeftOutField&) const = default;
};

// Fields in order. Names need not be unique after a join; look-up by name reports ambiguity.
struct Schema {
  std::vector<Field> fields;
  std::vector<LeftOutField> left_out = {};
  int num_fields() const { return static_cast<int>(fields.size()); }
  // The ordinal of the only field of that name, -1 if there is none, -2 if there are several.
  int Find(const std::string& name) const;
  bool operator==(const Schema&) const = default;
};

}  // namespace shadowvm::columns
