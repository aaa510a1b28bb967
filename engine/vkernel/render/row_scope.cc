// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/render/row_scope.h"

#include <set>

namespace shadowvm::vkernel {
namespace {

void CollectJoins(const plan::Expression& expression, const Blueprint& blueprint,
                  std::set<int>* joins) {
  if (expression.is_column()) {
    const Input& input = blueprint.inputs[expression.column];
    if (input.is_payload) joins->insert(blueprint.payloads[input.index].join);
  }
  for (const auto& arg : expression.args) CollectJoins(*arg, blueprint, joins);
}

std::string Subscript(const std::string& target, int word, const std::string& index) {
  return target + "[" + std::to_string(word) + "]" + index;
}

}  // namespace

std::string TileName(int level) { return level == 0 ? "t" : "e" + std::to_string(level); }

int KeyWords(const std::vector<plan::ExpressionPtr>& keys) {
  int words = 0;
  for (const auto& key : keys) words += ClassOf(key->type) == ValueClass::kWide ? 2 : 1;
  return words;
}

void RowScope::BindRows(const std::vector<plan::ExpressionPtr>& expressions) {
  std::set<int> bound;
  BindRows(expressions, &bound);
}

void RowScope::BindRows(const std::vector<plan::ExpressionPtr>& expressions, std::set<int>* bound) {
  std::set<int> joins;
  for (const auto& expression : expressions) CollectJoins(*expression, blueprint_, &joins);
  for (const int index : joins) {
    const Join& join = blueprint_.joins[index];
    // A direct join with a computed key reads other joins' rows to compute it.
    if (join.form != JoinForm::kHash && join.key_column < 0) BindRows(join.keys, bound);
    if (!bound->insert(index).second) continue;
    out_.Line("const u32 " + join.name + "_row = " + RowOf(join) + ";");
  }
}

std::string RowScope::RowOf(const Join& join) {
  if (join.form != JoinForm::kHash && !join.expands()) return FirstRowOf(join);
  // Matches are kept by position in the tile where they were found; a deeper tile leads back
  // through its origins.
  const int found = join.match_level();
  std::string position = "p";
  for (int level = level_; level > found; --level) {
    position = TileName(level) + ".origin[" + position + "]";
  }
  return (join.expands() ? TileName(found) + ".match[" : join.name + "_match[") + position + "]";
}

std::string RowScope::FirstRowOf(const Join& join) {
  if (join.key_column < 0) {
    return "row_of_key(" + join.name + ", " + expressions_.Render(*join.keys[0]).text + ")";
  }
  const char* verb = join.form == JoinForm::kDirectChecked ? "row_of_checked(" : "row_of(";
  return verb + join.name + ", " + blueprint_.columns[join.key_column].name + ", i)";
}

std::string RowScope::NullOf(const std::vector<plan::ExpressionPtr>& keys) {
  std::string null;
  for (const auto& key : keys) null = Either(null, expressions_.Render(*key).null);
  return null;
}

std::string RowScope::JoinKeyText(const Join& join, size_t key) {
  const plan::Expression& expression = *join.keys[key];
  if (ClassOf(expression.type) != ValueClass::kText) return expressions_.Render(expression).text;
  if (join.FindsText(key)) {
    return "find_text(" + join.name + ".texts, " + expressions_.Render(expression).text + ")";
  }
  return "call->translations[" + std::to_string(join.translations[key]) + "].ids[" +
         CodeText(expression) + "]";
}

std::string RowScope::CodeText(const plan::Expression& expression) {
  if (!expression.is_column()) return "";
  const Input& input = blueprint_.inputs[expression.column];
  if (input.is_payload) {
    const PayloadColumn& payload = blueprint_.payloads[input.index];
    if (payload.kind != RowKind::kCodes) return "";
    return payload.name + ".code(" + blueprint_.joins[payload.join].name + "_row)";
  }
  const SourceColumn& column = blueprint_.columns[input.index];
  return column.layout.encoding == columns::Encoding::kCodes ? column.name + ".code(i)" : "";
}

Value RowScope::RenderGroupValue(const GroupKey& key) {
  Value value = expressions_.Render(*key.value);
  if (ClassOf(key.value->type) != ValueClass::kText) return value;
  const std::string code = CodeText(*key.value);
  value.text = code.empty() ? "intern_text(call, " + value.text + ")" : code;
  return value;
}

void RowScope::StoreWords(columns::Type type, const std::string& text, const std::string& target,
                          const std::string& index, int* word) {
  switch (ClassOf(type)) {
    case ValueClass::kWide: {
      out_.Line(Subscript(target, *word, index) + " = u64(" + text + ");");
      out_.Line(Subscript(target, *word + 1, index) + " = u64(u128(" + text + ") >> 64);");
      *word += 2;
      return;
    }
    case ValueClass::kFloat:
    case ValueClass::kDouble:
      out_.Line(Subscript(target, *word, index) + " = float_key(" + text + ");");
      break;
    default:
      out_.Line(Subscript(target, *word, index) + " = u64(" + text + ");");
  }
  *word += 1;
}

void RowScope::RenderKeyWords(const Join& join, const std::string& target,
                              const std::string& index) {
  int word = 0;
  for (size_t key = 0; key < join.keys.size(); ++key) {
    StoreWords(join.keys[key]->type, JoinKeyText(join, key), target, index, &word);
  }
}

void RowScope::RenderGroupWords(const GroupKey& key, const std::string& target,
                                const std::string& index, const Value& value) {
  int word = key.word;
  StoreWords(key.value->type, value.text, target, index, &word);
}

}  // namespace shadowvm::vkernel
