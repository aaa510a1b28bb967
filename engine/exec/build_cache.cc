// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/build_cache.h"

#include <algorithm>
#include <utility>

namespace shadowvm::exec {
namespace {

// One search looks at every entry, and this many is more than a workload has dimensions.
constexpr size_t kMaxEntries = 256;

void AddList(const std::vector<int>& list, std::vector<int>* shape) {
  shape->push_back(static_cast<int>(list.size()));
  shape->insert(shape->end(), list.begin(), list.end());
}

// False for a step whose rows do not follow from its input alone.
bool AddStep(const plan::Step& step, BuildKey* key) {
  key->shape.push_back(static_cast<int>(step.kind));
  switch (step.kind) {
    case plan::StepKind::kFilter:
      key->shape.push_back(static_cast<int>(step.filter->conjuncts.size()));
      for (const auto& conjunct : step.filter->conjuncts) key->expressions.push_back(conjunct);
      AddList(step.filter->kept, &key->shape);
      return true;
    case plan::StepKind::kMap:
      key->shape.push_back(static_cast<int>(step.map->expressions.size()));
      for (const auto& named : step.map->expressions) key->expressions.push_back(named.expression);
      return true;
    default:
      return false;
  }
}

// Every setting may change rows. One that is added does not compile before it is compared here.
bool SameSettings(const plan::Settings& left, const plan::Settings& right) {
  const auto& [ansi, time_zone, case_sensitive, strict_float, precision_loss] = left;
  return ansi == right.ansi && time_zone == right.time_zone &&
         case_sensitive == right.case_sensitive && strict_float == right.strict_float &&
         precision_loss == right.allow_decimal_precision_loss;
}

bool HoldsText(const RowSet& rows) {
  return std::any_of(rows.columns.begin(), rows.columns.end(), [](const RowData& data) {
    return data.column.kind == RowColumn::Kind::kText;
  });
}

}  // namespace

std::optional<BuildKey> BuildKey::Of(const plan::Pipeline& pipeline, const plan::Settings& settings,
                                     const std::shared_ptr<columns::TableSource>& table,
                                     bool in_memory) {
  if (pipeline.sink != plan::SinkKind::kBuild || pipeline.source.scan == nullptr) return {};
  const auto& join = plan::As<plan::JoinNode>(*pipeline.node);
  BuildKey key;
  key.table = std::dynamic_pointer_cast<storage::ParquetTable>(table);
  const plan::ScanNode& scan = *pipeline.source.scan;
  key.source = scan.source;
  if (key.table != nullptr) {
    for (const int ordinal : scan.columns) key.columns.push_back(&key.table->column(ordinal));
  } else if (in_memory) {
    key.memory = table;
    key.ordinals = scan.columns;
  } else {
    return {};
  }
  key.input = scan.output;
  key.settings = settings;
  for (const plan::Step& step : pipeline.steps) {
    if (!AddStep(step, &key)) return {};
  }
  for (const auto& expression : join.right_keys) key.expressions.push_back(expression);
  key.output = join.right().output;
  return key;
}

bool BuildKey::HasSameContents(const BuildKey& other) const {
  return storage::HasSameValues(*source_table(), *other.source_table());
}

bool BuildKey::operator==(const BuildKey& other) const {
  return HasSameContents(other) && columns == other.columns && ordinals == other.ordinals &&
         input == other.input && SameSettings(settings, other.settings) && shape == other.shape &&
         output == other.output &&
         std::equal(expressions.begin(), expressions.end(), other.expressions.begin(),
                    other.expressions.end(), [](const auto& left, const auto& right) {
                      return plan::Equals(*left, *right);
                    });
}

BuildCache::BuildCache(memory::MemoryBudget* budget, int64_t limit, bool in_memory)
    : budget_(budget), limit_(limit), in_memory_(in_memory) {
  budget_->AddReclaimer(this);
}

BuildCache::~BuildCache() { budget_->RemoveReclaimer(this); }

std::optional<PipelineOutput> BuildCache::Find(const BuildKey& key) {
  Entries changed, dropped;
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->key == key) {
      entries_.splice(entries_.begin(), entries_, entry);
      // Tables were made of others meanwhile.
      ShrinkLocked(limit_, /*least=*/1, &dropped);
      return entries_.front().output;
    }
    if (entry->key.source == key.source && !entry->key.HasSameContents(key)) {
      changed.splice(changed.end(), entries_, entry);
    }
    entry = next;
  }
  return {};
}

void BuildCache::Keep(BuildKey key, const PipelineOutput& output) {
  const int64_t bytes = output.rows->bytes();
  if (bytes > limit_ / 2 || HoldsText(*output.rows)) return;
  Entry entry{std::move(key), output, bytes};
  // No string of these rows lies in a segment, so none need be held.
  RowSet rows = *output.rows;
  rows.keepers.clear();
  entry.output.rows = std::make_shared<const RowSet>(std::move(rows));
  entry.output.kept = std::make_shared<KeptJoins>();
  Entries dropped;
  std::lock_guard lock(mutex_);
  // Two queries may have built it at the same time.
  const auto same = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const Entry& other) { return other.key == entry.key; });
  if (same != entries_.end()) return;
  ShrinkLocked(limit_ - bytes, /*least=*/0, &dropped);
  entries_.push_front(std::move(entry));
}

int64_t BuildCache::BytesOf(const Entry& entry) {
  return entry.bytes + entry.output.kept->table_bytes();
}

int64_t BuildCache::BytesLocked() const {
  int64_t bytes = 0;
  for (const Entry& entry : entries_) bytes += BytesOf(entry);
  return bytes;
}

void BuildCache::ShrinkLocked(int64_t bytes, size_t least, Entries* dropped) {
  int64_t held = BytesLocked();
  while (entries_.size() > least && (held > bytes || entries_.size() >= kMaxEntries)) {
    held -= BytesOf(entries_.back());
    dropped->splice(dropped->begin(), entries_, std::prev(entries_.end()));
  }
}

void BuildCache::SetInMemory(bool in_memory) {
  in_memory_ = in_memory;
  Clear();
}

void BuildCache::Clear() {
  Entries dropped;
  std::lock_guard lock(mutex_);
  dropped.swap(entries_);
}

void BuildCache::Reclaim(int64_t bytes) {
  Entries dropped;
  std::lock_guard lock(mutex_);
  const int64_t held = BytesLocked();
  // Tables are made anew from rows.
  for (const Entry& entry : entries_) entry.output.kept->Clear();
  ShrinkLocked(std::max<int64_t>(held - bytes, 0), /*least=*/0, &dropped);
}

int64_t BuildCache::bytes() const {
  std::lock_guard lock(mutex_);
  return BytesLocked();
}

}  // namespace shadowvm::exec
