// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/literal_cast.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string_view>

#include "engine/plan/type_rules.h"

namespace shadowvm::plan {
namespace {

using columns::Type;
using columns::TypeKind;

int DigitsOf(__int128 value) {
  int digits = 1;
  for (value /= 10; value != 0; value /= 10) ++digits;
  return digits;
}

bool FitsInteger(__int128 value, TypeKind kind) {
  const int bits = 8 << (static_cast<int>(kind) - static_cast<int>(TypeKind::kInt8));
  const __int128 limit = static_cast<__int128>(1) << (bits - 1);
  return value >= -limit && value < limit;
}

// value × 10^(to - from), where that is exact and fits 38 digits.
std::optional<__int128> Rescale(__int128 value, int from, int to) {
  for (; from > to; --from) {
    if (value % 10 != 0) return std::nullopt;
    value /= 10;
  }
  if (value != 0 && DigitsOf(value) + (to - from) > kMaxPrecision) return std::nullopt;
  for (; from < to && value != 0; ++from) value *= 10;
  return value;
}

std::optional<int> ReadDigits(std::string_view text, size_t least, size_t most) {
  if (text.size() < least || text.size() > most) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text[0] == '-')
    return std::nullopt;
  return value;
}

std::optional<Literal> ReadDate(std::string_view text) {
  const size_t first = text.find('-');
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = text.find('-', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto year = ReadDigits(text.substr(0, first), 4, 4);
  const auto month = ReadDigits(text.substr(first + 1, second - first - 1), 1, 2);
  const auto day = ReadDigits(text.substr(second + 1), 1, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return Literal::Integer(std::chrono::sys_days(date).time_since_epoch().count());
}

std::optional<Literal> FromExact(__int128 value, int scale, Type to) {
  if (to.is_float()) {
    constexpr __int128 kExactDouble = static_cast<__int128>(1) << 53;
    constexpr __int128 kExactFloat = static_cast<__int128>(1) << 24;
    const __int128 limit = to.kind == TypeKind::kDouble ? kExactDouble : kExactFloat;
    if (scale != 0 || value > limit || value < -limit) return std::nullopt;
    return Literal::Number(static_cast<double>(value));
  }
  const auto scaled = Rescale(value, scale, to.is_decimal() ? to.scale : 0);
  if (!scaled) return std::nullopt;
  const bool fits =
      to.is_decimal() ? DigitsOf(*scaled) <= to.precision : FitsInteger(*scaled, to.kind);
  if (!fits) return std::nullopt;
  return Literal::Integer(*scaled);
}

}  // namespace

std::optional<Literal> CastLiteral(const Literal& literal, Type from, Type to) {
  if (literal.is_null || from == to) return literal;
  if (from.kind == TypeKind::kString) {
    return to.kind == TypeKind::kDate ? ReadDate(literal.text) : std::nullopt;
  }
  if (!IsNumeric(to)) return std::nullopt;
  if (from.is_integer() || from.is_decimal()) return FromExact(literal.integer, from.scale, to);
  // Every float is a double; the other way only where nothing is lost.
  if (!from.is_float() || !to.is_float()) return std::nullopt;
  const bool same = to.kind == TypeKind::kDouble || std::isnan(literal.number) ||
                    static_cast<double>(static_cast<float>(literal.number)) == literal.number;
  return same ? std::optional(literal) : std::nullopt;
}

Type DecimalOf(const Literal& integer) { return Type::Decimal(DigitsOf(integer.integer), 0); }

}  // namespace shadowvm::plan
