// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <charconv>
#include <cmath>
#include <string_view>

#include "engine/exec/interpret/operations.h"
#include "engine/kernels/common/attempt.h"
#include "engine/kernels/common/date.h"

namespace shadowvm::exec {
namespace {

using base::ErrorCode;
using columns::Type;
using columns::TypeKind;
using kernels::i128;
using kernels::i64;
using plan::EvalMode;
using plan::Expression;

bool IsTime(Type type) {
  return type.kind == TypeKind::kDate || type.kind == TypeKind::kTimestamp ||
         type.kind == TypeKind::kTimestampNtz;
}

base::Result<Value> ToBool(Type from, const Value& value) {
  return Value::Integer(from.is_float() ? kernels::to_bool(value.number)
                                        : kernels::to_bool(value.integer));
}

// The digits and the exponent of ten of the shortest text that reads back as 'value', as Spark
// takes them; false when it is not finite.
bool ShortestDigits(double value, bool narrow, i128* digits, int* exponent) {
  if (!std::isfinite(value)) return false;
  char text[64];
  const auto format = std::chars_format::scientific;
  const auto end = narrow ? std::to_chars(text, text + 64, static_cast<float>(value), format)
                          : std::to_chars(text, text + 64, value, format);
  const std::string_view view(text, end.ptr - text);
  const size_t e = view.find('e');
  const char* number = view.data() + e + (view[e + 1] == '+' ? 2 : 1);
  std::from_chars(number, end.ptr, *exponent);
  *digits = 0;
  bool fraction = false;
  for (const char c : view.substr(0, e)) {
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    *digits = *digits * 10 + (c - '0');
    if (fraction) --*exponent;
  }
  if (view[0] == '-') *digits = -*digits;
  return true;
}

bool FloatToDecimal(double value, bool narrow, Type to, i128* out) {
  i128 digits = 0;
  int exponent = 0;
  if (!ShortestDigits(value, narrow, &digits, &exponent)) return false;
  if (digits == 0) return *out = 0, true;
  // digits × 10^exponent is a decimal of scale -exponent. It has at most 17 digits, so far below
  // the target's scale it rounds to 0.
  if (exponent > static_cast<int>(kernels::kMaxPrecision)) return false;
  if (-exponent - to.scale > static_cast<int>(kernels::kMaxPrecision)) return *out = 0, true;
  if (exponent <= 0) {
    return kernels::decimal_rescale(digits, -exponent, to.scale, to.precision, out);
  }
  i128 scaled = 0;
  return kernels::decimal_rescale(digits, 0, exponent, kernels::kMaxPrecision, &scaled) &&
         kernels::decimal_rescale(scaled, 0, to.scale, to.precision, out);
}

base::Result<Value> ToDecimal(const Expression& cast, const Value& value) {
  const Type from = cast.arg(0).type;
  const Type to = cast.type;
  i128 result = 0;
  const bool fits = from.is_float()
                        ? FloatToDecimal(value.number, from.kind == TypeKind::kFloat, to, &result)
                        : kernels::try_to_decimal(value.integer, from.is_decimal() ? from.scale : 0,
                                                  to.scale, to.precision, &result);
  if (!fits) return Missing(cast, ErrorCode::kOverflow);
  return Value::Integer(result);
}

base::Result<Value> ToFloat(const Expression& cast, const Value& value) {
  const Type from = cast.arg(0).type;
  double number = value.number;
  if (from.is_decimal()) number = kernels::decimal_to_double(value.integer, from.scale);
  if (cast.type.kind == TypeKind::kDouble) {
    if (!from.is_float() && !from.is_decimal()) number = static_cast<double>(value.int64());
    return Value::Number(number);
  }
  if (!from.is_float() && !from.is_decimal())
    return Value::Number(static_cast<float>(value.int64()));
  return Value::Number(static_cast<float>(number));
}

template <class T>
base::Result<Value> ToIntegerOf(const Expression& cast, const Value& value) {
  const Type from = cast.arg(0).type;
  if (cast.mode == EvalMode::kLegacy) {
    if (from.is_float()) return Value::Integer(kernels::double_to<T>(value.number));
    if (from.is_decimal()) return Value::Integer(kernels::decimal_to<T>(value.integer, from.scale));
    return Value::Integer(kernels::wrap_to<T>(value.int64()));
  }
  i64 result = 0;
  bool fits = false;
  if (from.is_float()) {
    fits = kernels::try_double_to<T>(value.number, &result);
  } else if (from.is_decimal()) {
    fits = kernels::try_decimal_to<T>(value.integer, from.scale, &result);
  } else {
    fits = kernels::try_to<T>(value.int64(), &result);
  }
  if (!fits) return Missing(cast, ErrorCode::kCastOverflow);
  return Value::Integer(result);
}

base::Result<Value> ToInteger(const Expression& cast, const Value& value) {
  switch (cast.type.kind) {
    case TypeKind::kInt8:
      return ToIntegerOf<kernels::i8>(cast, value);
    case TypeKind::kInt16:
      return ToIntegerOf<kernels::i16>(cast, value);
    case TypeKind::kInt32:
      return ToIntegerOf<kernels::i32>(cast, value);
    default:
      return ToIntegerOf<i64>(cast, value);
  }
}

// Between the two kinds of timestamp the session's zone decides; only UTC is let through, where
// they agree.
base::Result<Value> ToTime(const Expression& cast, const Value& value) {
  const bool from_date = cast.arg(0).type.kind == TypeKind::kDate;
  if (cast.type.kind == TypeKind::kDate) {
    return Value::Integer(kernels::days_of_micros(value.int64()));
  }
  return from_date ? Value::Integer(value.integer * kernels::kMicrosOfDay) : value;
}

}  // namespace

base::Result<Value> EvaluateCast(const Expression& cast, const Value& value) {
  const Type from = cast.arg(0).type;
  const Type to = cast.type;
  if (from == to || (from.is_text() && to.is_text())) return value;
  if (from.is_text() || to.is_text() || IsTime(from) != IsTime(to)) {
    return base::MakeError(ErrorCode::kUnsupported,
                           "cast from " + from.ToString() + " to " + to.ToString());
  }
  if (to.kind == TypeKind::kBool) return ToBool(from, value);
  if (to.is_decimal()) return ToDecimal(cast, value);
  if (to.is_float()) return ToFloat(cast, value);
  return IsTime(to) ? ToTime(cast, value) : ToInteger(cast, value);
}

}  // namespace shadowvm::exec
