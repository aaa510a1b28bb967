// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/prepared_join.h"

#include "engine/exec/column_trace.h"
#include "engine/exec/gpu/table_build.h"
#include "engine/exec/hash_fill.h"

namespace shadowvm::exec {
namespace {

vkernel::RowKind KindOf(const RowColumn& column) {
  switch (column.kind) {
    case RowColumn::Kind::kCodes:
      return vkernel::RowKind::kCodes;
    case RowColumn::Kind::kText:
      return vkernel::RowKind::kText;
    default:
      return vkernel::RowKind::kValue;
  }
}

JoinFacts FactsOf(const plan::JoinNode& node, const PipelineOutput& build,
                  const std::optional<columns::Zone>& probe_zone) {
  JoinFacts facts;
  // Rows without a match stay in an outer join, so its matches are kept, as those of a hash table
  // are; one addressed by key would find them anew for every column.
  facts.integer_key = node.join_kind != plan::JoinKind::kLeftOuter && build.keys.size() == 1 &&
                      build.rows->columns[build.keys[0]].column.is_integer();
  facts.existence_only = !plan::GivesPairs(node.join_kind);
  facts.build_rows = build.most_rows;
  facts.build_zone = build.key_zone;
  facts.probe_zone = probe_zone;
  return facts;
}

std::optional<columns::Zone> ProbeZone(const plan::Pipeline& pipeline, size_t step,
                                       const SourceView& source) {
  const plan::JoinNode& node = *pipeline.steps[step].join;
  const int column = TraceColumn(pipeline, source.schema.num_fields(), step, *node.left_keys[0]);
  if (column < 0) return std::nullopt;
  const columns::Zone zone = source.zone(column);
  return zone.known ? std::optional(zone) : std::nullopt;
}

base::Result<PreparedJoin> Prepare(const QueryContext& context, const plan::Pipeline& pipeline,
                                   size_t step, const SourceView& source,
                                   const PipelineOutput& build) {
  const plan::JoinNode& node = *pipeline.steps[step].join;
  PreparedJoin join;
  join.build = &build;
  join.pipeline = pipeline.id;
  join.step = static_cast<int>(step);
  join.options.keys = build.keys;
  join.options.probe_zone = ProbeZone(pipeline, step, source);
  join.options.shape = ChooseJoinShape(FactsOf(node, build, join.options.probe_zone));
  join.options.rows = join.options.shape.kind == JoinShape::Kind::kHash;
  if (!join.is_for_device()) SVM_RETURN_NOT_OK(join.MakeTable(context));
  return join;
}

}  // namespace

vkernel::BuildFacts PreparedJoin::Facts() const {
  vkernel::BuildFacts facts;
  facts.name = build->name;
  // A GPU makes no other.
  facts.unique = is_for_device() || table->unique();
  if (options.shape.kind == JoinShape::Kind::kHash) {
    facts.form = vkernel::JoinForm::kHash;
  } else {
    facts.form =
        options.shape.checked ? vkernel::JoinForm::kDirectChecked : vkernel::JoinForm::kDirect;
  }
  for (const RowData& data : build->rows->columns) {
    facts.kinds.push_back(KindOf(data.column));
    facts.nullable.push_back(data.column.nullable);
  }
  return facts;
}

base::Status PreparedJoin::AddRows(const QueryContext& context) {
  if (options.rows) return base::Status::OK();
  options.rows = true;
  return MakeTable(context);
}

base::Status PreparedJoin::MakeTable(const QueryContext& context) {
  table = can_keep_table() ? build->kept->FindTable(options, {}) : nullptr;
  if (table != nullptr) return base::Status::OK();
  std::optional<HashFillRun> filler;
  if (context.gpu != nullptr && options.shape.kind == JoinShape::Kind::kHash) {
    filler.emplace(context,
                   HashFillRun::Table{*build->rows, options.keys, build->name, pipeline, step});
  }
  const base::Span span(&context.stats->spans, base::Stage::kMerge);
  SVM_ASSIGN_OR_RETURN(table, JoinTable::Build(build->rows, options, context.budget,
                                               context.workers, filler ? &*filler : nullptr));
  if (can_keep_table()) build->kept->KeepTable(options, {}, table);
  return base::Status::OK();
}

std::shared_ptr<const GroupCodes> PreparedJoin::CodesOf(const std::vector<int>& columns) const {
  if (is_for_device()) {
    const TableBuild::Made& made = build->table_build->made();
    return columns == made.columns ? made.codes : nullptr;
  }
  std::shared_ptr<const GroupCodes> found;
  if (build->kept != nullptr) found = build->kept->FindCodes(columns);
  if (found != nullptr) return found;
  std::optional<GroupCodes> codes = MakeGroupCodes(*build->rows, columns);
  if (!codes.has_value()) return nullptr;
  found = std::make_shared<const GroupCodes>(std::move(*codes));
  if (build->kept != nullptr) build->kept->KeepCodes(columns, found);
  return found;
}

// A table that is kept may be in use by others: the one with codes is another, of the same keys.
base::Status PreparedJoin::AddCodes(const QueryContext& context, const std::vector<int>& columns,
                                    const GroupCodes& codes) {
  if (is_for_device()) return base::Status::OK();
  if (!can_keep_table()) return table->AddCodes(codes.codes, context.workers);
  std::shared_ptr<JoinTable> found = build->kept->FindTable(options, columns);
  if (found == nullptr) {
    SVM_ASSIGN_OR_RETURN(found, table->WithCodes(codes.codes, context.workers));
    build->kept->KeepTable(options, columns, found);
  }
  table = std::move(found);
  return base::Status::OK();
}

const std::shared_ptr<const RowSet>& PreparedJoin::code_rows() const {
  return is_for_device() ? build->table_build->made().groups : build->rows;
}

void PreparedJoin::TakeMade() { table = build->table_build->made().table; }

base::Result<std::vector<PreparedJoin>> PrepareJoins(const QueryContext& context,
                                                     const plan::Pipeline& pipeline,
                                                     const SourceView& source,
                                                     const std::vector<PipelineOutput>& outputs) {
  std::vector<PreparedJoin> joins;
  for (size_t step = 0; step < pipeline.steps.size(); ++step) {
    if (pipeline.steps[step].kind != plan::StepKind::kProbe) continue;
    SVM_ASSIGN_OR_RETURN(PreparedJoin join, Prepare(context, pipeline, step, source,
                                                    outputs[pipeline.steps[step].build]));
    joins.push_back(std::move(join));
  }
  return joins;
}

}  // namespace shadowvm::exec
