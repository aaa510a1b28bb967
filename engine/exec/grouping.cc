// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/grouping.h"

#include <algorithm>

namespace shadowvm::exec {
namespace {

using vkernel::GroupKey;
using vkernel::GroupKeyKind;
using vkernel::KeyOrigin;

std::shared_ptr<columns::Dictionary> DictionaryOf(const vkernel::Blueprint& blueprint,
                                                  const vkernel::Input& input,
                                                  const SourceView& source,
                                                  const std::vector<PreparedJoin>& joins) {
  if (!input.is_payload) return source.table->dictionary(blueprint.columns[input.index].ordinal);
  const vkernel::PayloadColumn& payload = blueprint.payloads[input.index];
  return joins[payload.join].build->rows->columns[payload.column].column.dictionary;
}

// Tries to make all keys dense; says at each key whether it could.
class DenseChooser {
 public:
  DenseChooser(const vkernel::Blueprint& blueprint, const SourceView& source,
               const std::vector<PreparedJoin>& joins)
      : blueprint_(blueprint), source_(source), joins_(joins) {}

  bool Choose(const std::vector<KeyOrigin>& origins) {
    if (!ChooseJoins(origins)) return false;
    for (size_t i = 0; i < origins.size(); ++i) {
      const KeyOrigin& origin = origins[i];
      if (origin.kind == KeyOrigin::kPayload) {
        AddPayloadColumn(origin);
      } else if (origin.kind != KeyOrigin::kColumn || !AddColumnKey(origin.column)) {
        return false;
      }
    }
    return DenseGroups::NumSlots(grouping_.dense_keys).has_value();
  }

  Grouping Take() {
    grouping_.form = vkernel::SinkForm::kDenseGroups;
    return std::move(grouping_);
  }

 private:
  // One key per join, over all its columns among the keys.
  bool ChooseJoins(const std::vector<KeyOrigin>& origins) {
    for (const auto& [join, columns] : PayloadKeys(origins)) {
      if (!CanGiveCodes(blueprint_.joins[join])) return false;
      const auto codes = joins_[join].CodesOf(columns);
      if (codes == nullptr) return false;
      key_of_join_[join] = static_cast<int>(grouping_.keys.size());
      grouping_.keys.push_back({.kind = GroupKeyKind::kJoinCode, .join = join});
      grouping_.dense_keys.push_back(DenseKey::Join(codes, joins_[join].code_rows()));
      grouping_.join_codes.push_back({join, columns, codes});
    }
    return true;
  }

  // Codes of a direct table are looked up by the key column again; those of a hash table need its
  // matches, which are by position in the source's tile.
  bool CanGiveCodes(const vkernel::Join& join) const {
    // Code 0 is a row to be dropped; in an outer join it would be a group.
    if (!join.unique || join.kind == plan::JoinKind::kLeftOuter) return false;
    if (join.form == vkernel::JoinForm::kHash) return blueprint_.levels.size() == 1;
    return GivesCodesByKey(join);
  }

  void AddPayloadColumn(const KeyOrigin& origin) {
    const RowData& data = joins_[origin.join].build->rows->columns[origin.payload];
    grouping_.key_columns.push_back({data.column, key_of_join_[origin.join], origin.payload});
  }

  bool AddColumnKey(int index) {
    std::optional<DenseColumn> dense = DenseColumnOf(blueprint_, index, source_);
    if (!dense) return false;
    const int number = static_cast<int>(grouping_.keys.size());
    grouping_.key_columns.push_back({std::move(dense->column), number, 0});
    grouping_.keys.push_back(std::move(dense->key));
    grouping_.dense_keys.push_back(std::move(dense->dense));
    return true;
  }

  const vkernel::Blueprint& blueprint_;
  const SourceView& source_;
  const std::vector<PreparedJoin>& joins_;
  std::map<int, int> key_of_join_;
  Grouping grouping_;
};

}  // namespace

std::optional<DenseColumn> DenseColumnOf(const vkernel::Blueprint& blueprint, int index,
                                         const SourceView& source) {
  const vkernel::SourceColumn& column = blueprint.columns[index];
  const bool nullable = column.layout.nullable;
  GroupKey key{.column = index, .nullable = nullable};
  if (column.layout.encoding == columns::Encoding::kFrame) {
    const columns::Zone zone = source.table->zone(column.ordinal);
    if (!zone.known || static_cast<uint64_t>(zone.max) - static_cast<uint64_t>(zone.min) >=
                           DenseGroups::kMaxSlots) {
      return std::nullopt;
    }
    key.kind = GroupKeyKind::kColumn;
    return DenseColumn{std::move(key), DenseKey::Column(zone.min, zone.max, nullable),
                       RowColumn::Value(column.type, nullable)};
  }
  if (column.layout.encoding != columns::Encoding::kCodes ||
      !source.table->dictionary_complete(column.ordinal)) {
    return std::nullopt;
  }
  auto dictionary = source.table->dictionary(column.ordinal);
  if (dictionary->size() == 0 || dictionary->size() >= DenseGroups::kMaxSlots) return std::nullopt;
  key.kind = GroupKeyKind::kCode;
  return DenseColumn{std::move(key), DenseKey::Column(0, dictionary->size() - 1, nullable),
                     RowColumn::Codes(column.type, nullable, dictionary)};
}

bool MayBeDense(const vkernel::Blueprint& blueprint, const std::vector<KeyOrigin>& origins,
                const SourceView& source) {
  return std::all_of(origins.begin(), origins.end(), [&](const KeyOrigin& origin) {
    if (origin.kind == KeyOrigin::kPayload) return true;
    return origin.kind == KeyOrigin::kColumn &&
           DenseColumnOf(blueprint, origin.column, source).has_value();
  });
}

std::map<int, std::vector<int>> PayloadKeys(const std::vector<KeyOrigin>& origins) {
  std::map<int, std::vector<int>> payloads;
  for (const KeyOrigin& origin : origins) {
    if (origin.kind == KeyOrigin::kPayload) payloads[origin.join].push_back(origin.payload);
  }
  return payloads;
}

bool GivesCodesByKey(const vkernel::Join& join) {
  return join.form == vkernel::JoinForm::kDirect && join.key_column >= 0;
}

Grouping ChooseGrouping(const plan::AggregateNode& node,
                        const vkernel::PipelineTranslator& translator, const SourceView& source,
                        const std::vector<PreparedJoin>& joins) {
  Grouping grouping;
  if (node.keys.empty()) {
    grouping.form = vkernel::SinkForm::kSingleGroup;
    return grouping;
  }
  DenseChooser chooser(translator.blueprint(), source, joins);
  return chooser.Choose(translator.OriginsOf(node)) ? chooser.Take() : grouping;
}

RowColumn RowColumnOf(const vkernel::Blueprint& blueprint, const plan::Expression& value,
                      bool nullable, const SourceView& source,
                      const std::vector<PreparedJoin>& joins) {
  if (!value.type.is_text()) return RowColumn::Value(value.type, nullable);
  if (value.is_column()) {
    auto dictionary = DictionaryOf(blueprint, blueprint.inputs[value.column], source, joins);
    if (dictionary != nullptr) return RowColumn::Codes(value.type, nullable, std::move(dictionary));
  }
  return RowColumn::Text(value.type, nullable);
}

}  // namespace shadowvm::exec
