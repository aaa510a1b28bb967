// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <map>
#include <memory>
#include <optional>
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

// A column of the source as a dense key.
struct DenseColumn {
  vkernel::GroupKey key;
  DenseKey dense;
  RowColumn column;
};
// Nothing where it has too many values, or nobody knows how many. 'index' is in the blueprint.
std::optional<DenseColumn> DenseColumnOf(const vkernel::Blueprint& blueprint, int index,
                                         const SourceView& source);

// Whether groups can be dense as far as the keys go that no join gives.
bool MayBeDense(const vkernel::Blueprint& blueprint, const std::vector<vkernel::KeyOrigin>& origins,
                const SourceView& source);
// Of group keys those that are columns of a join's build side, by join.
std::map<int, std::vector<int>> PayloadKeys(const std::vector<vkernel::KeyOrigin>& origins);
// Whether group codes of a join's table can be looked up by its key.
bool GivesCodesByKey(const vkernel::Join& join);

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
