// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/render/sink_renderer.h"

#include <algorithm>

namespace shadowvm::vkernel {
namespace {

std::string Number(int number) { return std::to_string(number); }

const char* VerbOf(AccumulateOp op) {
  switch (op) {
    case AccumulateOp::kCountValid:
      return "count_row";
    case AccumulateOp::kSumInt:
      return "sum_i64";
    case AccumulateOp::kSumWide:
      return "sum_i128";
    case AccumulateOp::kSumDouble:
      return "sum_double";
    case AccumulateOp::kMinInt:
      return "min_i64";
    case AccumulateOp::kMaxInt:
      return "max_i64";
    case AccumulateOp::kMinWide:
      return "min_i128";
    case AccumulateOp::kMaxWide:
      return "max_i128";
    case AccumulateOp::kMinDouble:
      return "min_double";
    case AccumulateOp::kMaxDouble:
      return "max_double";
    case AccumulateOp::kMinText:
      return "min_text";
    case AccumulateOp::kMaxText:
      return "max_text";
  }
  return "";
}

std::string Offset(const std::string& row, int word) {
  return word == 0 ? row : row + " + " + Number(word);
}

}  // namespace

void SinkRenderer::RenderStart(const TargetWords& words) {
  if (sink_.form == SinkForm::kSingleGroup) out_.Line(words.single_group);
  if (sink_.form == SinkForm::kDenseGroups) out_.Line("i64* const dense = call->dense;");
}

void SinkRenderer::RenderRows(int level) {
  switch (sink_.form) {
    case SinkForm::kCollect:
      RenderCollect(level);
      return;
    case SinkForm::kSingleGroup:
      out_.Line("count_rows(group, " + TileName(level) + ".count);");
      RenderAccumulates(level, "group");
      return;
    case SinkForm::kDenseGroups:
      RenderDenseGroups(level);
      return;
    case SinkForm::kHashGroups:
      RenderHashGroups(level);
      return;
    case SinkForm::kTable:
      RenderTable(level);
      return;
  }
}

void SinkRenderer::RenderCollect(int level) {
  const std::string tile = TileName(level);
  out_.Line("if (!reserve(" + tile + ", call)) return;");
  int index = 0;
  for (const OutputColumn& output : sink_.outputs) RenderOutput(output, index++, level);
  out_.Line("append_done(" + tile + ", call);");
}

std::string SinkRenderer::OutputText(const OutputColumn& output, RowScope* scope,
                                     std::string* null) {
  const Value value = scope->expressions().Render(*output.value);
  *null = value.null;
  if (output.kind == RowKind::kCodes) {
    // The code itself goes out; the dictionary goes with the column.
    return scope->CodeText(*output.value);
  }
  if (output.kind == RowKind::kText && !IsStableText(*output.value)) {
    const std::string guard = value.nullable() ? Enclosed(value.null) + " ? Text{} : " : "";
    return guard + "keep_text(call, " + value.text + ")";
  }
  return Bare(value.text);
}

// A framed or coded column of the source that is never null, as it is: verbs take it whole.
const SourceColumn* SinkRenderer::PlainColumn(const plan::Expression& expression,
                                              columns::Encoding encoding) const {
  const plan::Expression& inner = plan::WithoutWidening(expression);
  if (!inner.is_column() || blueprint_.inputs[inner.column].is_payload) return nullptr;
  const SourceColumn& column = blueprint_.columns[blueprint_.inputs[inner.column].index];
  return column.layout.encoding == encoding && !column.layout.nullable ? &column : nullptr;
}

bool SinkRenderer::TryAppendColumn(const OutputColumn& output, int index, int level) {
  const std::string arguments = "(" + TileName(level) + ", call, " + Number(index) + ", ";
  if (output.kind == RowKind::kCodes) {
    const SourceColumn* column = PlainColumn(*output.value, columns::Encoding::kCodes);
    if (column != nullptr) out_.Line("append_codes" + arguments + column->name + ");");
    return column != nullptr;
  }
  const SourceColumn* column = PlainColumn(*output.value, columns::Encoding::kFrame);
  if (column == nullptr) return false;
  out_.Line(std::string("append_column<") + StorageName(output.type) + ">" + arguments +
            column->name + ");");
  return true;
}

void SinkRenderer::RenderOutput(const OutputColumn& output, int index, int level) {
  if (TryAppendColumn(output, index, level)) return;
  const std::string storage = output.kind == RowKind::kCodes  ? "u32"
                              : output.kind == RowKind::kText ? "Text"
                                                              : StorageName(output.type);
  const std::string out = "out_" + Number(index);
  out_.Line(storage + "* const " + out + " = output_column<" + storage + ">(call, " +
            Number(index) + ");");
  if (output.nullable)
    out_.Line("u8* const valid_" + Number(index) + " = output_valid(call, " + Number(index) + ");");
  RowScope scope(blueprint_, arguments_, &out_, level);
  TextBuilder::Block rows(&out_, "SVM_EACH_ROW(" + TileName(level) + ")");
  scope.BindRows({output.value});
  std::string null;
  const std::string text = OutputText(output, &scope, &null);
  out_.Line(out + "[j] = " + text + ";");
  if (output.nullable) {
    out_.Line("valid_" + Number(index) + "[j] = " + (null.empty() ? "1" : Not(null)) + ";");
  }
}

void SinkRenderer::RenderSlots(int level) {
  out_.Line("Slots g;");
  out_.Line("start_slots(" + TileName(level) + ", g);");
  int index = 0;
  for (const GroupKey& key : sink_.keys) RenderDenseKey(key, index++, level);
}

// A row whose key is null is in no table.
void SinkRenderer::RenderTable(int level) {
  if (!sink_.keys.empty()) RenderSlots(level);
  const plan::ExpressionPtr& key = sink_.outputs[0].value;
  RowScope scope(blueprint_, arguments_, &out_, level);
  TextBuilder::Block rows(&out_, "SVM_EACH_ROW(" + TileName(level) + ")");
  scope.BindRows({key});
  const Value value = scope.expressions().Render(*key);
  const std::string guard = value.nullable() ? "if (" + Not(value.null) + ") " : "";
  out_.Line(guard + (sink_.keys.empty()
                         ? "enter_key(call, " + Bare(value.text) + ");"
                         : "enter_key_of_group(call, " + Bare(value.text) + ", g.slot[j]);"));
}

void SinkRenderer::RenderDenseGroups(int level) {
  const std::string tile = TileName(level);
  RenderSlots(level);
  const std::string words = Number(sink_.row_words);
  for (const Accumulate& accumulate : sink_.accumulates) {
    const SourceColumn* column = accumulate.op == AccumulateOp::kSumInt && !accumulate.checked
                                     ? PlainColumn(*accumulate.argument, columns::Encoding::kFrame)
                                     : nullptr;
    if (column != nullptr) {
      out_.Line("sum_slots(" + tile + ", g, " + Offset("dense", accumulate.word) + ", " + words +
                ", " + column->name + ");");
    } else {
      RenderAccumulate(accumulate, level, "dense_row(dense, g, j, " + words + ")");
    }
  }
  // Last: on a GPU what is summed is then on its way while codes are looked up.
  out_.Line("count_slots(" + tile + ", g, dense, " + words + ");");
}

void SinkRenderer::RenderDenseKey(const GroupKey& key, int index, int level) {
  const std::string tile = TileName(level);
  const std::string stride = "call->strides[" + Number(index) + "]";
  const std::string null_code = "call->origins[" + Number(2 * index + 1) + "]";
  switch (key.kind) {
    case GroupKeyKind::kColumn: {
      const std::string& column = blueprint_.columns[key.column].name;
      const std::string origin = "call->origins[" + Number(2 * index) + "]";
      out_.Line(key.nullable ? "add_nullable_column_code(" + tile + ", g, " + column + ", " +
                                   origin + ", " + stride + ", " + null_code + ");"
                             : "add_column_code(" + tile + ", g, " + column + ", " + origin + ", " +
                                   stride + ");");
      return;
    }
    case GroupKeyKind::kCode: {
      const std::string& column = blueprint_.columns[key.column].name;
      out_.Line(key.nullable ? "add_nullable_code(" + tile + ", g, " + column + ", " + stride +
                                   ", " + null_code + ");"
                             : "add_code(" + tile + ", g, " + column + ", " + stride + ");");
      return;
    }
    case GroupKeyKind::kJoinCode: {
      const Join& join = blueprint_.joins[key.join];
      if (join.form == JoinForm::kHash) {
        out_.Line("add_hash_join_code(" + tile + ", g, " + join.name + ".codes, " + join.name +
                  "_match, " + stride + ");");
        return;
      }
      out_.Line("add_join_code(" + tile + ", g, " + join.name + ", " +
                blueprint_.columns[join.key_column].name + ", " + stride + ");");
      return;
    }
    case GroupKeyKind::kWords:
      return;
  }
}

void SinkRenderer::RenderHashGroups(int level) {
  const std::string tile = TileName(level);
  const std::string words = Number(sink_.key_words);
  out_.Line("Keys<" + words + "> keys;");
  {
    RowScope scope(blueprint_, arguments_, &out_, level);
    std::vector<plan::ExpressionPtr> values;
    for (const GroupKey& key : sink_.keys) values.push_back(key.value);
    TextBuilder::Block rows(&out_, "SVM_EACH_ROW(" + tile + ")");
    scope.BindRows(values);
    const bool any_nullable = std::any_of(sink_.keys.begin(), sink_.keys.end(),
                                          [](const GroupKey& key) { return key.nullable; });
    if (any_nullable) out_.Line("u64 nulls = 0;");
    int bit = 0;
    for (const GroupKey& key : sink_.keys) {
      Value value = scope.RenderGroupValue(key);
      if (value.nullable()) {
        const std::string null = "null_key_" + Number(bit);
        out_.Line("const bool " + null + " = " + value.null + ";");
        out_.Line("nulls |= u64(" + null + ") << " + Number(bit) + ";");
        value.text = null + " ? 0 : " + value.text;
      }
      scope.RenderGroupWords(key, "keys.word", "[j]", value);
      ++bit;
    }
    if (any_nullable) out_.Line("keys.word[0][j] = nulls;");
  }
  out_.Line("i64* group[kTileRows];");
  out_.Line("find_groups(" + tile + ", call, keys, group);");
  out_.Line("SVM_EACH_ROW(" + tile + ") count_row(group[j]);");
  RenderAccumulates(level, "group[j]");
}

void SinkRenderer::RenderAccumulates(int level, const std::string& row) {
  for (const Accumulate& accumulate : sink_.accumulates) RenderAccumulate(accumulate, level, row);
}

void SinkRenderer::RenderAccumulate(const Accumulate& accumulate, int level,
                                    const std::string& row) {
  RowScope scope(blueprint_, arguments_, &out_, level);
  TextBuilder::Block rows(&out_, "SVM_EACH_ROW(" + TileName(level) + ")");
  scope.BindRows({accumulate.argument});
  const Value value = scope.expressions().Render(*accumulate.argument);
  const bool counts_only = accumulate.op == AccumulateOp::kCountValid;
  const std::string statement =
      counts_only ? "" : AccumulateText(accumulate, Offset(row, accumulate.word), value.text);
  if (accumulate.valid_word < 0 || (counts_only && !value.nullable())) {
    out_.Line(counts_only ? "count_row(" + Offset(row, accumulate.word) + ");" : statement);
    return;
  }
  TextBuilder::Block valid(&out_, value.nullable() ? "if (" + Not(value.null) + ")" : "");
  out_.Line("count_row(" + Offset(row, accumulate.valid_word) + ");");
  if (!counts_only) out_.Line(statement);
}

std::string SinkRenderer::AccumulateText(const Accumulate& accumulate, const std::string& row,
                                         const std::string& value) {
  std::string verb = VerbOf(accumulate.op);
  std::string arguments = "(";
  if (accumulate.checked) {
    verb += "_checked";
    arguments += "call, ";
  }
  if (accumulate.op == AccumulateOp::kMinText || accumulate.op == AccumulateOp::kMaxText) {
    if (IsStableText(*accumulate.argument)) {
      verb.insert(4, "stable_");
    } else {
      arguments += "call, ";
    }
  }
  return verb + arguments + row + ", " + value + ");";
}

// A text made by an operation that is not listed here lives no longer than its tile.
bool SinkRenderer::IsStableText(const plan::Expression& expression) const {
  const auto is_stable = [&](const plan::ExpressionPtr& arg) { return IsStableText(*arg); };
  switch (expression.op) {
    case plan::Op::kLiteral:
      return true;
    case plan::Op::kColumn: {
      const Input& input = blueprint_.inputs[expression.column];
      // Build rows live until the query ends, whatever way they hold their strings.
      return input.is_payload ||
             blueprint_.columns[input.index].layout.encoding == columns::Encoding::kCodes;
    }
    case plan::Op::kCoalesce:
      return std::all_of(expression.args.begin(), expression.args.end(), is_stable);
    case plan::Op::kSubstring:
      return is_stable(expression.args[0]);
    case plan::Op::kCase:  // when, then, …, else: a value stands in every second place, and last
      for (size_t i = 1; i < expression.args.size(); i += 2) {
        if (!is_stable(expression.args[i])) return false;
      }
      return is_stable(expression.args.back());
    default:
      return false;
  }
}

}  // namespace shadowvm::vkernel
