// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/placed_scans.h"

#include <algorithm>
#include <utility>

#include "engine/exec/kernel_binding.h"
#include "engine/storage/parquet_table.h"

namespace shadowvm::exec {
namespace {

// One search looks at every scan, and this many is more than a workload has.
constexpr size_t kMostScans = 64;

}  // namespace

ScanKey ScanKey::Of(const PipelineBinding& binding) {
  ScanKey key;
  const std::shared_ptr<columns::TableSource>& table = binding.source().table;
  const auto files = std::dynamic_pointer_cast<storage::ParquetTable>(table);
  // A table of files is opened anew by each query; what it shows is shared.
  key.contents = files != nullptr ? std::shared_ptr<const void>(files->shared_contents()) : table;
  for (const vkernel::SourceColumn& column : binding.blueprint().columns) {
    // A table in memory has its columns for itself, so that their numbers name them.
    const auto* const number = reinterpret_cast<const void*>(static_cast<intptr_t>(column.ordinal));
    key.columns.push_back(files != nullptr ? &files->column(column.ordinal) : number);
    key.layouts.push_back(column.layout);
  }
  const std::vector<vkernel::RangeSlot>& ranges = binding.blueprint().ranges;
  for (size_t i = 0; i < ranges.size(); ++i) {
    key.range_columns.push_back(ranges[i].column);
    key.ranges.push_back(binding.range(static_cast<int>(i)));
  }
  return key;
}

bool ScanKey::operator==(const ScanKey& other) const {
  const auto same_owner =
      !contents.owner_before(other.contents) && !other.contents.owner_before(contents);
  return same_owner && columns == other.columns && layouts == other.layouts &&
         range_columns == other.range_columns && ranges == other.ranges;
}

PlacedScans::ScanPtr PlacedScans::Find(const ScanKey& key) {
  Scans dead;
  std::lock_guard lock(mutex_);
  ForgetDeadLocked(&dead);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  found->scan->uses.fetch_add(1, std::memory_order_relaxed);
  return found->scan;
}

void PlacedScans::Keep(ScanKey key, ScanPtr scan) {
  Scans dead;
  std::lock_guard lock(mutex_);
  // Two queries may have placed it at the same time.
  const auto same = [&](const Kept& kept) { return kept.key == key; };
  if (std::any_of(kept_.begin(), kept_.end(), same)) return;
  kept_.push_front({std::move(key), std::move(scan)});
  if (kept_.size() > kMostScans) dead.splice(dead.begin(), kept_, std::prev(kept_.end()));
}

std::vector<PlacedScans::ScanPtr> PlacedScans::TakeUnused() {
  std::vector<ScanPtr> taken;
  std::lock_guard lock(mutex_);
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    const auto next = std::next(kept);
    if (kept->scan.use_count() == 1) {
      taken.push_back(std::move(kept->scan));
      kept_.erase(kept);
    }
    kept = next;
  }
  return taken;
}

void PlacedScans::Clear() {
  Scans dead;
  std::lock_guard lock(mutex_);
  dead.swap(kept_);
}

int64_t PlacedScans::size() {
  std::lock_guard lock(mutex_);
  return static_cast<int64_t>(kept_.size());
}

void PlacedScans::ForgetDeadLocked(Scans* dead) {
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    const auto next = std::next(kept);
    if (kept->key.contents.expired()) dead->splice(dead->end(), kept_, kept);
    kept = next;
  }
}

}  // namespace shadowvm::exec
