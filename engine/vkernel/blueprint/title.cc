// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/blueprint/title.h"

#include <cctype>

namespace shadowvm::vkernel {
namespace {

constexpr size_t kMostNames = 5;

std::string Printable(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ||
                       c == '.' || c == '/' || c == ' ';
    text += plain ? c : '_';
  }
  return text;
}

// "a, b, c", "a, b and 2 computed", "a, b, c, d, e and 7 more".
std::string ListOf(const std::vector<std::string>& names, size_t num_computed) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  const size_t left_out = names.size() > kMostNames ? names.size() - kMostNames : 0;
  const std::string link = text.empty() ? "" : " and ";
  if (left_out > 0) return text + link + std::to_string(left_out + num_computed) + " more";
  if (num_computed > 0) return text + link + std::to_string(num_computed) + " computed";
  return text;
}

const std::string& NameOf(const Input& input, const Blueprint& blueprint) {
  return input.is_payload ? blueprint.payloads[input.index].name
                          : blueprint.columns[input.index].name;
}

// Columns by name; other expressions are only counted: their texts hold literals.
std::string NamesOf(const std::vector<plan::ExpressionPtr>& values, const Blueprint& blueprint) {
  std::vector<std::string> names;
  for (const plan::ExpressionPtr& value : values) {
    if (value->is_column()) names.push_back(NameOf(blueprint.inputs[value->column], blueprint));
  }
  return ListOf(names, values.size() - names.size());
}

std::string SinkTitle(const Blueprint& blueprint, const std::vector<plan::ExpressionPtr>& keys) {
  switch (blueprint.sink.form) {
    case SinkForm::kSingleGroup:
      return "; one group";
    case SinkForm::kDenseGroups:
    case SinkForm::kHashGroups:
      return "; groups by " + NamesOf(keys, blueprint);
    case SinkForm::kCollect:
    case SinkForm::kTable:
      break;
  }
  std::vector<plan::ExpressionPtr> values;
  for (const OutputColumn& output : blueprint.sink.outputs) values.push_back(output.value);
  if (blueprint.sink.form == SinkForm::kTable) {
    const std::string groups = keys.empty() ? "" : ", groups by " + NamesOf(keys, blueprint);
    return "; table by " + NamesOf(values, blueprint) + groups;
  }
  return values.empty() ? "; counts rows" : "; collects " + NamesOf(values, blueprint);
}

}  // namespace

std::string MakeTitle(const Blueprint& blueprint, const std::string& source,
                      const std::vector<plan::ExpressionPtr>& keys) {
  std::vector<std::string> joins;
  for (const Join& join : blueprint.joins) {
    const bool anti = join.kind == plan::JoinKind::kLeftAnti;
    joins.push_back((anti ? "not " : join.outer() ? "perhaps " : "") + join.name);
  }
  const std::string joined = joins.empty() ? "" : ": " + ListOf(joins, 0);
  return Printable(source) + joined + SinkTitle(blueprint, keys);
}

}  // namespace shadowvm::vkernel
