// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <vector>

#include "engine/exec/prepared_join.h"
#include "engine/exec/source_view.h"
#include "engine/exec/state/dense_groups.h"
#include "engine/exec/state/hash_groups.h"
#include "engine/vkernel/blueprint/translator.h"

namespace shadowvm::exec {

// How an aggregate's groups are addressed.
struct Grouping {
  vkernel::SinkForm form = vkernel::SinkForm::kHashGroups;
  // In arrays, one group included.
  bool is_dense() const {
    return form == vkernel::SinkForm::kSingleGroup || form == vkernel::SinkForm::kDenseGroups;
  }

  // Dense groups only.
  std::vector<vkernel::GroupKey> keys;      // for the kernel's text
  std::vector<DenseKey> dense_keys;         // what their codes mean
  std::vector<DenseKeyColumn> key_columns;  // one per key of the aggregate
  struct JoinCodes {
    int join;
    std::vector<int> columns;  // of its build side
    std::shared_ptr<const GroupCodes> codes;
  };
  std::vector<JoinCodes> join_codes;  // to be added to the joins' tables
};

// Dense where every key is a column of small known range or comes from a join, and all combinations
// fit the slots; else by hash. The translator has done the steps.
Grouping ChooseGrouping(const plan::AggregateNode& node,
                        const vkernel::PipelineTranslator& translator, const SourceView& source,
                        const std::vector<PreparedJoin>& joins);

// The column of materialised rows that holds an expression's values as a kernel writes them out.
RowColumn RowColumnOf(const vkernel::Blueprint& blueprint, const plan::Expression& value,
                      bool nullable, const SourceView& source,
                      const std::vector<PreparedJoin>& joins);

}  // namespace shadowvm::exec
