// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/exec/gpu/table_sink.h"
#include "engine/exec/kernel_binding.h"
#include "engine/exec/pipeline_history.h"
#include "engine/exec/query_context.h"
#include "engine/exec/state/dense_groups.h"

namespace shadowvm::exec {

// A build side whose rows nobody has collected: a GPU makes the join's table straight from its
// source, in its own memory, once who probes it knows what it asks of it (table_launch.h).
class TableBuild {
 public:
  // What the pipeline of a build side is.
  struct BuildSide {
    vkernel::Blueprint blueprint;  // that collects its rows
    const SourceView* source;      // outlives this
    std::vector<RowColumn> columns;
    int key = 0;                            // its one key, among the columns
    std::optional<columns::Zone> key_zone;  // before any row is filtered
    bool existence_only = false;            // nobody asks which row a key has
    PipelineHistory history;                // of collecting its rows
  };
  // Null where a GPU has no words for it, or where it had better be the CPU's in mode auto.
  static base::Result<std::shared_ptr<TableBuild>> Plan(const QueryContext& context,
                                                        BuildSide side);

  // What is asked of it: a table with group codes over these columns of the build side; none:
  // existence alone. They must be the source's own, of few values: kUnsupported. Writes the
  // sentence, as a part of a kernel.
  base::Status Ask(int part, const JoinTableOptions& options, const std::vector<int>& columns);
  const std::string& text() const { return kernel_->text; }
  const std::string& title() const { return kernel_->blueprint.title; }
  const PipelineBinding& binding() const { return *kernel_->binding; }
  TableSink& sink() { return *sink_; }

  struct Made {
    std::shared_ptr<JoinTable> table;
    std::vector<int> columns;                 // that codes are of
    std::shared_ptr<const GroupCodes> codes;  // null: nobody asked
    std::shared_ptr<const RowSet> groups;     // that they stand for, in those columns
  };
  // Takes in what a launch has made. kUnsupported where keys repeat and rows of them matter.
  base::Status Take();
  // After that has gone well.
  const Made& made() const { return made_; }
  // Tells of it: what its part of the launch took. Quick code says nothing to later ones.
  void Report(const std::string& launch_text, const GpuTimes& times, const PipelineStats& stats,
              bool is_full_code);

  // It was not made; the first reason counts.
  void Fail(const std::string& why);
  // Empty as long as nothing has failed.
  const std::string& why_not() const { return why_not_; }
  // What making it took.
  const std::optional<PipelineStats>& stats() const { return stats_; }
  // Its columns, without rows.
  const std::shared_ptr<const RowSet>& no_rows() const { return no_rows_; }

 private:
  struct Kernel {
    std::vector<int> columns;
    std::vector<DenseKey> keys;
    vkernel::Blueprint blueprint;
    std::string text;
    std::unique_ptr<PipelineBinding> binding;
  };

  TableBuild(const QueryContext& context, BuildSide side)
      : context_(context), side_(std::move(side)), history_(side_.history.WhereGpu(" table")) {}
  base::Result<std::unique_ptr<Kernel>> Write(int part, const std::vector<int>& columns);
  vkernel::Blueprint BlueprintOf() const;
  base::Status AddKeys(Kernel* kernel);
  // In mode auto: whether it is the GPU's.
  base::Result<bool> IsWorthIt();
  // In mode gpu: what was to be expected of what it did.
  double PredictAsTold(const GpuTimes& times, int64_t rows);
  base::Status Refuse(const std::string& why);
  TableSink::Options SinkOptions() const;
  // The values of groups by number.
  base::Result<std::shared_ptr<const RowSet>> GroupRows(std::span<const uint32_t> groups) const;

  const QueryContext& context_;
  const BuildSide side_;
  PipelineHistory history_;
  const std::vector<PreparedJoin> no_joins_;
  std::shared_ptr<const RowSet> no_rows_;
  std::unique_ptr<Kernel> kernel_;
  JoinTableOptions options_;
  std::unique_ptr<TableSink> sink_;
  Made made_;
  double predicted_ms_ = 0;
  std::string reason_;  // mode auto
  std::string why_not_;
  std::optional<PipelineStats> stats_;
};

}  // namespace shadowvm::exec
