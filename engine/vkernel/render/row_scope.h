// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/vkernel/render/expression_renderer.h"

namespace shadowvm::vkernel {

// "t" for the source's rows, "e1", "e2", … for the matches of expanding joins.
std::string TileName(int level);

// Words that the keys of a hash table take.
int KeyWords(const std::vector<plan::ExpressionPtr>& keys);

// The inside of one loop over the rows of a level, where j, p and i are the row's numbers (see
// SVM_EACH_ROW).
class RowScope {
 public:
  RowScope(const Blueprint& blueprint, Arguments* arguments, TextBuilder* out, int level)
      : blueprint_(blueprint), out_(*out), level_(level), expressions_(blueprint, arguments, out) {}

  // Declares the matched build row of every join whose payload the expressions read.
  void BindRows(const std::vector<plan::ExpressionPtr>& expressions);

  // The matched build row, as text.
  std::string RowOf(const Join& join);
  // The build row with a key, for direct joins, as text.
  std::string FirstRowOf(const Join& join);

  // Renders a join's keys and stores them as words: "<target>[w]…". The keys must not be null.
  void RenderKeyWords(const Join& join, const std::string& target, const std::string& index);
  // A group key's value: strings as codes of their dictionary, or as ids of the query's interner.
  Value RenderGroupValue(const GroupKey& key);
  // Stores a group key's words.
  void RenderGroupWords(const GroupKey& key, const std::string& target, const std::string& index,
                        const Value& value);

  // The code of a coded input as text; empty for an expression that is not one.
  std::string CodeText(const plan::Expression& expression);
  // "a || b" over the keys that may be null; empty if none may.
  std::string NullOf(const std::vector<plan::ExpressionPtr>& keys);

  ExpressionRenderer& expressions() { return expressions_; }

 private:
  // 'bound' are the joins that have their row already.
  void BindRows(const std::vector<plan::ExpressionPtr>& expressions, std::set<int>* bound);
  std::string JoinKeyText(const Join& join, size_t key);
  void StoreWords(columns::Type type, const std::string& text, const std::string& target,
                  const std::string& index, int* word);

  const Blueprint& blueprint_;
  TextBuilder& out_;
  int level_;
  ExpressionRenderer expressions_;
};

}  // namespace shadowvm::vkernel
