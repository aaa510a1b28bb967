// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>

#include "engine/vkernel/render/row_scope.h"
#include "engine/vkernel/render/target.h"

namespace shadowvm::vkernel {

// Renders what happens to the rows that are left: appended to the output, or accumulated in groups.
class SinkRenderer {
 public:
  SinkRenderer(const Blueprint& blueprint, Arguments* arguments, TextBuilder* out)
      : blueprint_(blueprint), sink_(blueprint.sink), arguments_(arguments), out_(*out) {}

  void RenderStart(const TargetWords& words);  // before the loop over tiles
  void RenderRows(int level);                  // inside it, for the rows of a level

 private:
  void RenderCollect(int level);
  void RenderOutput(const OutputColumn& output, int index, int level);
  const SourceColumn* PlainColumn(const plan::Expression& expression,
                                  columns::Encoding encoding) const;
  bool TryAppendColumn(const OutputColumn& output, int index, int level);
  std::string OutputText(const OutputColumn& output, RowScope* scope, std::string* null);
  void RenderDenseGroups(int level);
  void RenderTable(int level);
  // Declares 'g', the group of each row by its dense keys.
  void RenderSlots(int level);
  void RenderDenseKey(const GroupKey& key, int index, int level);
  void RenderHashGroups(int level);
  void RenderAccumulates(int level, const std::string& row);
  void RenderAccumulate(const Accumulate& accumulate, int level, const std::string& row);
  std::string AccumulateText(const Accumulate& accumulate, const std::string& row,
                             const std::string& value);
  // True when a string lives as long as the query without a copy: a dictionary's entry or a
  // literal.
  bool IsStableText(const plan::Expression& expression) const;

  const Blueprint& blueprint_;
  const Sink& sink_;
  Arguments* arguments_;
  TextBuilder& out_;
};

}  // namespace shadowvm::vkernel
