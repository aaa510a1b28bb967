// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <string>
#include <utility>
#include <vector>

#include "engine/plan/typing.h"

namespace shadowvm::plan {
namespace {

using base::Result;
using columns::Type;
using columns::TypeKind;

// The parts of a pattern between its % signs, when it holds no _ and no escape; what most patterns
// are.
struct PlainPattern {
  bool plain = true;
  std::vector<std::string> parts{""};
};

PlainPattern Split(const std::string& pattern, char32_t escape) {
  PlainPattern split;
  // An escape outside ASCII is left to the matcher, which reads code points.
  split.plain = escape < 0x80;
  for (const char character : pattern) {
    if (character == '_' ||
        static_cast<char32_t>(static_cast<unsigned char>(character)) == escape) {
      split.plain = false;
    }
    if (character == '%') {
      split.parts.emplace_back();
    } else {
      split.parts.back() += character;
    }
  }
  return split;
}

// The operation that does for the whole pattern, with its text in 'text'; kLike when none does.
Op PlainerOperation(const PlainPattern& split, std::string* text) {
  const auto& parts = split.parts;
  if (!split.plain || parts.size() > 3) return Op::kLike;
  if (parts.size() == 1) {
    *text = parts[0];
    return Op::kEqual;
  }
  if (parts.size() == 3) {
    *text = parts[1];
    return parts[0].empty() && parts[2].empty() ? Op::kContains : Op::kLike;
  }
  *text = parts[0].empty() ? parts[1] : parts[0];
  if (parts[1].empty()) return Op::kStartsWith;
  return parts[0].empty() ? Op::kEndsWith : Op::kLike;
}

}  // namespace

Result<ExpressionPtr> MakeLike(ExpressionPtr value, const std::string& pattern, char32_t escape) {
  std::string text = pattern;
  const Op op = PlainerOperation(Split(pattern, escape), &text);
  if (op == Op::kLike) text = pattern;
  const Type string_type = Type::Of(TypeKind::kString);
  std::vector<ExpressionPtr> args{std::move(value), MakeLiteral(string_type, Literal::Text(text))};
  SVM_ASSIGN_OR_RETURN(auto node, MakeTyped(Op::kLike, std::move(args), EvalMode::kLegacy, {}));
  auto like = std::make_shared<Expression>(*node);
  like->op = op;
  like->escape = op == Op::kLike ? escape : 0;
  return like;
}

}  // namespace shadowvm::plan
