// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/client/types.h"
#include "shadowvm/v1/expression.pb.h"

// Expressions, written as C++: Col("lo_discount").Between(1, 3) && Col("lo_quantity") < 25. They
// hold names and no types; what is wrong with them is said when the query is planned.
namespace shadowvm::client {

class Expr {
 public:
  // Constants become literals where an expression is wanted: Col("x") + 1.
  Expr(bool value);                // NOLINT(google-explicit-constructor)
  Expr(int value);                 // NOLINT(google-explicit-constructor): int32
  Expr(long value);                // NOLINT(google-explicit-constructor): int64
  Expr(long long value);           // NOLINT(google-explicit-constructor): int64
  Expr(float value);               // NOLINT(google-explicit-constructor)
  Expr(double value);              // NOLINT(google-explicit-constructor)
  Expr(const char* value);         // NOLINT(google-explicit-constructor)
  Expr(std::string_view value);    // NOLINT(google-explicit-constructor)
  Expr(const std::string& value);  // NOLINT(google-explicit-constructor)
  explicit Expr(v1::Expression proto) : proto_(std::move(proto)) {}

  Expr Between(const Expr& low, const Expr& high) const;  // both ends included
  // Items must be constants; others make the query fail when it is planned.
  Expr In(const std::vector<Expr>& items) const;
  Expr NotIn(const std::vector<Expr>& items) const;
  Expr IsNull() const;
  Expr IsNotNull() const;
  Expr EqualNullSafe(const Expr& other) const;
  Expr Like(std::string_view pattern, std::string_view escape = "") const;
  Expr NotLike(std::string_view pattern, std::string_view escape = "") const;
  Expr StartsWith(const Expr& prefix) const;
  Expr EndsWith(const Expr& suffix) const;
  Expr Contains(const Expr& part) const;
  // 'length' characters from the first-th: 1 is the first, -1 the last.
  Expr Substring(const Expr& first, const Expr& length) const;
  Expr Cast(const v1::Type& type) const;
  Expr TryCast(const v1::Type& type) const;  // null where the value does not fit

  const v1::Expression& proto() const { return proto_; }

 private:
  v1::Expression proto_;
};

Expr Col(std::string_view name);
template <typename T>
Expr Lit(T&& value) {
  return Expr(std::forward<T>(value));
}
Expr NullLit(const v1::Type& type);
Expr DateLit(int year, int month, int day);
// unscaled × 10^-scale: DecimalLit(1250, 10, 2) is 12.50 as decimal(10,2).
Expr DecimalLit(__int128 unscaled, int precision, int scale);

Expr operator+(const Expr& left, const Expr& right);
Expr operator-(const Expr& left, const Expr& right);
Expr operator*(const Expr& left, const Expr& right);
Expr operator/(const Expr& left, const Expr& right);  // integers give a double
Expr operator%(const Expr& left, const Expr& right);
Expr operator-(const Expr& arg);
Expr operator==(const Expr& left, const Expr& right);
Expr operator!=(const Expr& left, const Expr& right);
Expr operator<(const Expr& left, const Expr& right);
Expr operator<=(const Expr& left, const Expr& right);
Expr operator>(const Expr& left, const Expr& right);
Expr operator>=(const Expr& left, const Expr& right);
Expr operator&&(const Expr& left, const Expr& right);  // three-valued; builds both sides, always
Expr operator||(const Expr& left, const Expr& right);
Expr operator!(const Expr& arg);

Expr Coalesce(const std::vector<Expr>& args);
Expr If(const Expr& condition, const Expr& then, const Expr& otherwise);
Expr Year(const Expr& date);
Expr Month(const Expr& date);
Expr Day(const Expr& date);

// Case().When(a, x).When(b, y).Else(z); End() in place of Else gives null.
class CaseBuilder {
 public:
  CaseBuilder When(const Expr& condition, const Expr& value) const;
  Expr Else(const Expr& value) const;
  Expr End() const;

 private:
  v1::Expression proto_;
};
inline CaseBuilder Case() { return {}; }

// An expression with the name of its result. A bare name is that column; an expression without a
// name gets the column's name or its text.
struct Named {
  Named(const char* column) : Named(column, Col(column)) {}  // NOLINT(google-explicit-constructor)
  Named(const std::string& column)
      : Named(column, Col(column)) {}          // NOLINT(google-explicit-constructor)
  Named(Expr expr) : expr(std::move(expr)) {}  // NOLINT(google-explicit-constructor)
  Named(std::string name, Expr expr) : name(std::move(name)), expr(std::move(expr)) {}

  std::string name;
  Expr expr;
};

}  // namespace shadowvm::client
