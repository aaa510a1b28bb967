// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/render/kernel_renderer.h"

#include "engine/vkernel/blueprint/nullability.h"
#include "engine/vkernel/render/row_scope.h"
#include "engine/vkernel/render/sink_renderer.h"

namespace shadowvm::vkernel {
namespace {

std::string Number(int number) { return std::to_string(number); }

std::string ColumnClass(const SourceColumn& column) {
  switch (column.layout.encoding) {
    case columns::Encoding::kFrame:
      return "Column<u" + Number(column.layout.width * 8) + ">";
    case columns::Encoding::kWide:
      return "WideColumn";
    case columns::Encoding::kFloat:
      return column.layout.width == 4 ? "FloatColumn<float>" : "FloatColumn<double>";
    case columns::Encoding::kCodes:
      return "CodeColumn";
    case columns::Encoding::kText:
      return "TextColumn";
  }
  return "";
}

std::string MatchedPayloadClass(const PayloadColumn& payload) {
  switch (payload.kind) {
    case RowKind::kValue:
      return std::string("Payload<") + StorageName(payload.type) + ">";
    case RowKind::kCodes:
      return "CodePayload";
    case RowKind::kText:
      return "TextPayload";
  }
  return "";
}

std::string PayloadClass(const PayloadColumn& payload, const Join& join) {
  const std::string matched = MatchedPayloadClass(payload);
  return join.outer() ? "OuterPayload<" + matched + ">" : matched;
}

std::string LiteralDeclaration(const LiteralArgument& literal, int slot) {
  std::string name = "literal_" + Number(slot) + " = call->literals[" + Number(slot) + "].";
  switch (ClassOf(literal.type)) {
    case ValueClass::kBool:
    case ValueClass::kInt:
      return "const i64 " + name + "integer;";
    case ValueClass::kWide:
      return "const i128 " + name + "wide;";
    case ValueClass::kFloat:
    case ValueClass::kDouble:
      return "const double " + name + "real;";
    case ValueClass::kText:
      return "const Text " + name + "text;";
  }
  return "";
}

// The parts of a kernel in the order they are written. The body comes before the declarations,
// because only the body knows which literals there are.
class KernelRenderer {
 public:
  KernelRenderer(const Blueprint& blueprint, Target target)
      : blueprint_(blueprint), words_(WordsFor(target)) {}

  RenderedKernel Render() {
    const std::string title = "// " + blueprint_.title + "\n";
    return {title + Head(words_) + Sentence(words_.kernel), std::move(arguments_)};
  }

  RenderedKernel RenderPart(int number) {
    const std::string head = "SVM_PART(" + Number(number) + ", call)";
    return {"// " + blueprint_.title + "\n" + Sentence(head), std::move(arguments_)};
  }

  static std::string Head(const TargetWords& words) {
    TextBuilder out;
    out.Line("#include \"" + std::string(words.verbs) + "\"");
    out.Line();
    out.Line("using namespace shadowvm::kernels;");
    out.Line();
    return out.text();
  }

 private:
  std::string Sentence(std::string_view head) {
    TextBuilder body;
    RenderTiles(&body);
    TextBuilder out;
    out.Line(std::string(head) + " {");
    RenderDeclarations(&out);
    return out.text() + body.text() + "}\n";
  }

  void RenderDeclarations(TextBuilder* out) {
    int slot = 0;
    for (const SourceColumn& column : blueprint_.columns) {
      out->Line("  const " + ColumnClass(column) + " " + column.name + "(call->columns[" +
                Number(slot++) + "]);");
    }
    for (const Join& join : blueprint_.joins) {
      const bool hash = join.form == JoinForm::kHash;
      out->Line(std::string("  const ") + (hash ? "HashView& " : "DirectView& ") + join.name +
                " = call->" + (hash ? "hashes[" : "directs[") + Number(join.slot) + "];");
    }
    slot = 0;
    for (const PayloadColumn& payload : blueprint_.payloads) {
      const std::string view = "(call->payloads[" + Number(slot++) + "]);";
      if (!payload.used) continue;
      const Join& join = blueprint_.joins[payload.join];
      out->Line("  const " + PayloadClass(payload, join) + " " + payload.name + view);
    }
    slot = 0;
    for (const LiteralArgument& literal : arguments_.literals) {
      out->Line("  " + LiteralDeclaration(literal, slot++));
    }
    for (size_t list = 0; list < arguments_.lists.size(); ++list) {
      out->Line("  const ListView list_" + std::to_string(list) + " = call->lists[" +
                std::to_string(list) + "];");
    }
  }

  void RenderTiles(TextBuilder* out) {
    TextBuilder inner = TextBuilder().Nested();
    SinkRenderer sink(blueprint_, &arguments_, &inner);
    sink.RenderStart(words_);
    {
      TextBuilder::Block tiles(&inner, "SVM_FOR_EACH_TILE(t, call)");
      for (const Join& join : blueprint_.joins) {
        if (join.form == JoinForm::kHash && NeedsMatches(join)) {
          inner.Line("u32 " + join.name + "_match[kTileRows];");
        }
      }
      RenderOrderedSteps(&inner);
      inner.Line("SVM_END_STEPS(t, call);");
      RenderLevel(1, &sink, &inner);
    }
    *out = inner;
  }

  // Matches of a hash probe are kept: finding them again would cost a second probe.
  static bool NeedsMatches(const Join& join) { return plan::GivesPairs(join.kind); }

  void RenderOrderedSteps(TextBuilder* out) {
    const std::vector<Step>& steps = blueprint_.levels[0].steps;
    if (steps.empty()) return;
    TextBuilder::Block walk(out, "SVM_FOR_EACH_STEP(step, t, call)");
    TextBuilder::Block choose(out, "switch (step)");
    for (size_t i = 0; i < steps.size(); ++i) {
      const std::string label = "case " + std::to_string(i) + ":";
      // Other steps declare something, and need a scope for it.
      if (IsOneVerb(steps[i], blueprint_)) {
        TextBuilder::Indent one(out, label);
        RenderStep(steps[i], 0, out);
        out->Line("break;");
      } else {
        TextBuilder::Block one(out, label);
        RenderStep(steps[i], 0, out);
        out->Line("break;");
      }
    }
  }

  // Level 'level' and all that is inside it; the sink lies innermost.
  void RenderLevel(size_t level, SinkRenderer* sink, TextBuilder* out) {
    if (level == blueprint_.levels.size()) {
      sink->RenderRows(static_cast<int>(level) - 1);
      return;
    }
    const Join& join = blueprint_.joins[blueprint_.levels[level].expand];
    const std::string outer = TileName(static_cast<int>(level) - 1);
    const std::string tile = TileName(static_cast<int>(level));
    RenderFirstMatches(join, static_cast<int>(level) - 1, out);
    out->Line("Expansion<decltype(" + outer + ")> expansion_" + Number(static_cast<int>(level)) +
              "(" + outer + ", " + join.name + "_match, " + join.name + ".next" +
              (join.outer() ? ", true" : "") + ");");
    out->Line("ExpandedTile " + tile + ";");
    TextBuilder::Block expanded(
        out, "while (expand(expansion_" + Number(static_cast<int>(level)) + ", " + tile + "))");
    for (const Step& step : blueprint_.levels[level].steps) {
      TextBuilder::Block one(out, "");
      RenderStep(step, static_cast<int>(level), out);
    }
    out->Line("if (" + tile + ".count == 0) continue;");
    RenderLevel(level + 1, sink, out);
  }

  // Where an expanding join's matches begin. A hash probe has written them already.
  void RenderFirstMatches(const Join& join, int level, TextBuilder* out) {
    if (join.form == JoinForm::kHash) return;
    out->Line("u32 " + join.name + "_match[kTileRows];");
    RowScope scope(blueprint_, &arguments_, out, level);
    TextBuilder::Block rows(out, "SVM_EACH_ROW(" + TileName(level) + ")");
    scope.BindRows(join.keys);
    out->Line(join.name + "_match[p] = " + scope.FirstRowOf(join) + ";");
  }

  void RenderStep(const Step& step, int level, TextBuilder* out) {
    const std::string tile = TileName(level);
    switch (step.kind) {
      case StepKind::kRange:
        out->Line("keep_range(" + tile + ", " + Name(step) + ", call->ranges[" + Number(step.slot) +
                  "]);");
        return;
      case StepKind::kPass:
        out->Line("keep_pass(" + tile + ", " + Name(step) + ", call->passes[" + Number(step.slot) +
                  "]);");
        return;
      case StepKind::kValid:
        out->Line("keep_valid(" + tile + ", " + Name(step) + ");");
        return;
      case StepKind::kNull:
        out->Line("keep_null(" + tile + ", " + Name(step) + ");");
        return;
      case StepKind::kWhere:
        RenderWhere(step, level, out);
        return;
      case StepKind::kProbe:
        RenderProbe(blueprint_.joins[step.join], level, out);
        return;
    }
  }

  const std::string& Name(const Step& step) const { return blueprint_.columns[step.column].name; }

  void RenderWhere(const Step& step, int level, TextBuilder* out) {
    RenderKeeper(level, {step.condition}, out, [&](RowScope* scope) {
      return scope->expressions().RenderCondition(*step.condition);
    });
  }

  void RenderProbe(const Join& join, int level, TextBuilder* out) {
    const bool anti = join.kind == plan::JoinKind::kLeftAnti;
    if (ProbesColumn(join)) {
      const char* verb = anti ? "keep_not_in" : "keep_in";
      const char* checked = join.form == JoinForm::kDirectChecked ? "_checked(" : "(";
      out->Line(verb + std::string(checked) + TileName(level) + ", " + join.name + ", " +
                blueprint_.columns[join.key_column].name + ");");
      return;
    }
    if (anti && AnyMayBeNull(join.keys)) {
      RenderNullableAbsent(join, level, out);
    } else if (join.outer() && AnyMayBeNull(join.keys)) {
      RenderNullableMatches(join, level, out);
    } else {
      RenderKeyProbe(join, level, out);
    }
  }

  bool AnyMayBeNull(const std::vector<plan::ExpressionPtr>& keys) const {
    for (const auto& key : keys) {
      if (MayBeNull(*key, blueprint_)) return true;
    }
    return false;
  }

  // Keys are computed for all rows that are left, then looked up together.
  void RenderKeyProbe(const Join& join, int level, TextBuilder* out) {
    const std::string tile = TileName(level);
    const bool hash = join.form == JoinForm::kHash;
    if (AnyMayBeNull(join.keys)) RenderDropNullKeys(join, level, out);
    out->Line("settle(" + tile + ");");
    const std::string words = Number(KeyWords(join.keys));
    out->Line(hash ? "Keys<" + words + "> keys;" : "i64 key[kTileRows];");
    {
      RowScope scope(blueprint_, &arguments_, out, level);
      TextBuilder::Block rows(out, "SVM_EACH_ROW(" + tile + ")");
      scope.BindRows(join.keys);
      if (hash) {
        scope.RenderKeyWords(join, "keys.word", "[j]");
      } else {
        out->Line("key[j] = " + scope.expressions().Render(*join.keys[0]).text + ";");
      }
    }
    const std::string arguments = tile + ", " + join.name + (hash ? ", keys" : ", key");
    switch (join.kind) {
      case plan::JoinKind::kInner:
        out->Line(hash ? "probe_hash<" + words + ">(" + arguments + ", " + join.name + "_match);"
                       : "keep_in_keys(" + arguments + ");");
        return;
      case plan::JoinKind::kLeftSemi:
        out->Line((hash ? "probe_hash_exists<" + words + ">(" : "keep_in_keys(") + arguments +
                  ");");
        return;
      case plan::JoinKind::kLeftAnti:
        out->Line((hash ? "probe_hash_absent<" + words + ">(" : "keep_not_in_keys(") + arguments +
                  ");");
        return;
      case plan::JoinKind::kLeftOuter:
        out->Line("match_hash<" + words + ">(" + arguments + ", " + join.name + "_match);");
        return;
    }
  }

  // An outer join keeps rows whose key is null, which meet nothing; each row is looked up on its
  // own.
  void RenderNullableMatches(const Join& join, int level, TextBuilder* out) {
    out->Line("settle(" + TileName(level) + ");");
    out->Line("Keys<" + Number(KeyWords(join.keys)) + "> keys;");
    RowScope scope(blueprint_, &arguments_, out, level);
    TextBuilder::Block rows(out, "SVM_EACH_ROW(" + TileName(level) + ")");
    scope.BindRows(join.keys);
    out->Line(join.name + "_match[p] = kNoRow;");
    TextBuilder::Block valid(out, "if (" + Not(scope.NullOf(join.keys)) + ")");
    scope.RenderKeyWords(join, "keys.word", "[j]");
    out->Line(join.name + "_match[p] = find_row(" + join.name + ", keys, j, hash_key(keys, j));");
  }

  void RenderDropNullKeys(const Join& join, int level, TextBuilder* out) {
    TextBuilder::Block drop(out, "");
    RenderKeeper(level, join.keys, out,
                 [&](RowScope* scope) { return Not(scope->NullOf(join.keys)); });
  }

  // An anti join keeps rows whose key is null, so each row is looked up on its own.
  void RenderNullableAbsent(const Join& join, int level, TextBuilder* out) {
    const bool hash = join.form == JoinForm::kHash;
    if (hash) out->Line("Keys<" + Number(KeyWords(join.keys)) + "> keys;");
    RenderKeeper(level, join.keys, out, [&](RowScope* scope) -> std::string {
      out->Line("const bool null_key = " + scope->NullOf(join.keys) + ";");
      if (!hash) {
        return "null_key || !exists(" + join.name + ", u64(" +
               scope->expressions().Render(*join.keys[0]).text + ") - u64(" + join.name + ".base))";
      }
      {
        TextBuilder::Block valid(out, "if (!null_key)");
        scope->RenderKeyWords(join, "keys.word", "[j]");
      }
      return "null_key || find_row(" + join.name + ", keys, j, hash_key(keys, j)) == kNoRow";
    });
  }

  // A filter row by row: 'condition' renders what it needs and gives the text that decides.
  template <typename Condition>
  void RenderKeeper(int level, const std::vector<plan::ExpressionPtr>& reads, TextBuilder* out,
                    const Condition& condition) {
    const std::string tile = TileName(level);
    out->Line("Keeper<decltype(" + tile + ")> keep(" + tile + ");");
    {
      RowScope scope(blueprint_, &arguments_, out, level);
      TextBuilder::Block rows(out, "SVM_EACH_ROW(" + tile + ")");
      scope.BindRows(reads);
      const std::string text = condition(&scope);
      out->Line("keep.row(j, " + text + ");");
    }
    out->Line("keep.done();");
  }

  const Blueprint& blueprint_;
  const TargetWords& words_;
  Arguments arguments_;
};

}  // namespace

RenderedKernel Render(const Blueprint& blueprint, Target target) {
  return KernelRenderer(blueprint, target).Render();
}

RenderedKernel RenderPart(const Blueprint& blueprint, int number) {
  return KernelRenderer(blueprint, Target::kCuda).RenderPart(number);
}

std::string JoinParts(const std::vector<std::string>& parts) {
  std::string text = KernelRenderer::Head(WordsFor(Target::kCuda));
  std::string run;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += parts[i] + "\n";
    run += "  SVM_RUN_PART(" + std::to_string(i) + ");\n";
  }
  return text + "SVM_KERNEL_OF_PARTS {\n" + run + "}\n";
}

}  // namespace shadowvm::vkernel
