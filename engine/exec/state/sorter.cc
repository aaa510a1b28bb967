// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/sorter.h"

#include <algorithm>
#include <functional>

#include "engine/base/fault.h"
#include "engine/exec/state/prefix_sort.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/exec/state/sort_order.h"

namespace shadowvm::exec {
namespace {

using memory::Buffer;

constexpr int64_t kRunRows = 32 << 10;  // below this a run is not worth a worker
constexpr size_t kDigitRows = 64;       // below this digits are not worth being counted

struct Run {
  int64_t begin;
  int64_t end;
};

base::Result<std::shared_ptr<Buffer>> MakeEntries(memory::MemoryBudget* budget, int64_t rows) {
  return Buffer::Make(budget, rows * static_cast<int64_t>(sizeof(SortEntry)), "sort keys");
}

std::vector<Run> CutIntoRuns(int64_t rows, const schedule::Workers& workers) {
  const int64_t count = std::clamp<int64_t>(rows / kRunRows, 1, workers.count());
  std::vector<Run> runs;
  for (int64_t i = 0; i < count; ++i) runs.push_back({rows * i / count, rows * (i + 1) / count});
  return runs;
}

// Fills the entries run by run and calls finish(begin, end) on each.
template <typename Finish>
base::Status MakeRuns(const SortOrder& order, std::span<const Run> runs, SortEntry* entries,
                      const schedule::Workers& workers, Finish&& finish) {
  const auto task = [&](int, int64_t index) {
    order.Fill(runs[index].begin, runs[index].end, entries);
    finish(entries + runs[index].begin, entries + runs[index].end);
    return base::Status::OK();
  };
  return schedule::ParallelFor(workers, static_cast<int64_t>(runs.size()), task);
}

// Sorts the entries of one run, filled in the order of their rows.
void SortRun(const SortOrder& order, std::span<SortEntry> entries, std::span<SortEntry> room) {
  // By reference: algorithms hand their order from call to call by value.
  if (entries.size() < kDigitRows) {
    std::sort(entries.begin(), entries.end(), std::cref(order));
    return;
  }
  SortByPrefix(entries, room);
  if (order.is_exact()) return;
  const auto differs = [](const SortEntry& a, const SortEntry& b) { return a.prefix != b.prefix; };
  for (auto begin = entries.begin(); begin != entries.end();) {
    auto end = std::adjacent_find(begin, entries.end(), differs);
    if (end != entries.end()) ++end;
    std::sort(begin, end, std::cref(order));
    begin = end;
  }
}

// Merges neighbouring runs, pairs in parallel, from one buffer to the other until one is left.
base::Result<std::shared_ptr<Buffer>> MergeRuns(const SortOrder& order, std::vector<Run> runs,
                                                std::shared_ptr<Buffer> entries,
                                                std::shared_ptr<Buffer> other,
                                                const schedule::Workers& workers) {
  while (runs.size() > 1) {
    std::vector<Run> merged((runs.size() + 1) / 2);
    const auto merge = [&](int, int64_t index) {
      const Run& left = runs[2 * index];
      const Run right = 2 * index + 1 < static_cast<int64_t>(runs.size()) ? runs[2 * index + 1]
                                                                          : Run{left.end, left.end};
      const auto* from = entries->as<SortEntry>();
      std::merge(from + left.begin, from + left.end, from + right.begin, from + right.end,
                 other->as<SortEntry>() + left.begin, std::cref(order));
      merged[index] = {left.begin, right.end};
      return base::Status::OK();
    };
    SVM_RETURN_NOT_OK(schedule::ParallelFor(workers, static_cast<int64_t>(merged.size()), merge));
    runs = std::move(merged);
    std::swap(entries, other);
  }
  return entries;
}

base::Result<RowSet> GatherEntries(const RowSet& rows, std::span<const SortEntry> entries,
                                   memory::MemoryBudget* budget, const schedule::Workers& workers) {
  const auto count = static_cast<int64_t>(entries.size());
  SVM_ASSIGN_OR_RETURN(auto indexes, Buffer::Make(budget, count * 4, "sorted rows"));
  for (int64_t i = 0; i < count; ++i) indexes->as<uint32_t>()[i] = entries[i].row;
  return Gather(rows, {indexes->as<uint32_t>(), entries.size()}, budget, workers);
}

base::Status CheckSize(const RowSet& rows) {
  if (rows.num_rows < UINT32_MAX) return base::Status::OK();
  return base::MakeError(base::ErrorCode::kCardinality, "a sort takes at most 2^32 - 2 rows");
}

}  // namespace

base::Result<RowSet> Sort(const RowSet& rows, std::span<const SortColumn> keys,
                          memory::MemoryBudget* budget, const schedule::Workers& workers) {
  SVM_FAULT_POINT("exec.sort");
  SVM_RETURN_NOT_OK(CheckSize(rows));
  const SortOrder order(rows, keys);
  SVM_ASSIGN_OR_RETURN(auto entries, MakeEntries(budget, rows.num_rows));
  SVM_ASSIGN_OR_RETURN(auto room, MakeEntries(budget, rows.num_rows));
  std::vector<Run> runs = CutIntoRuns(rows.num_rows, workers);
  const auto sort = [&](SortEntry* begin, SortEntry* end) {
    const std::span run(begin, end);
    SortRun(order, run, {room->as<SortEntry>() + (begin - entries->as<SortEntry>()), run.size()});
  };
  SVM_RETURN_NOT_OK(MakeRuns(order, runs, entries->as<SortEntry>(), workers, sort));
  SVM_ASSIGN_OR_RETURN(
      entries, MergeRuns(order, std::move(runs), std::move(entries), std::move(room), workers));
  const std::span sorted(entries->as<SortEntry>(), rows.num_rows);
  return GatherEntries(rows, sorted, budget, workers);
}

base::Result<RowSet> TopN(const RowSet& rows, std::span<const SortColumn> keys, int64_t offset,
                          int64_t count, memory::MemoryBudget* budget,
                          const schedule::Workers& workers) {
  SVM_FAULT_POINT("exec.sort");
  SVM_RETURN_NOT_OK(CheckSize(rows));
  offset = std::clamp<int64_t>(offset, 0, rows.num_rows);
  count = std::clamp<int64_t>(count, 0, rows.num_rows - offset);
  const int64_t wanted = offset + count;
  const SortOrder order(rows, keys);
  SVM_ASSIGN_OR_RETURN(auto entries, MakeEntries(budget, rows.num_rows));
  const std::vector<Run> runs = CutIntoRuns(rows.num_rows, workers);
  const auto select = [&](SortEntry* begin, SortEntry* end) {
    if (end - begin > wanted) std::nth_element(begin, begin + wanted, end, std::cref(order));
  };
  auto* all = entries->as<SortEntry>();
  SVM_RETURN_NOT_OK(MakeRuns(order, runs, all, workers, select));
  // The best of each run side by side, then the best of those.
  SortEntry* end = all;
  for (const Run& run : runs) {
    end = std::copy(all + run.begin, all + std::min(run.end, run.begin + wanted), end);
  }
  select(all, end);
  std::sort(all, all + wanted, std::cref(order));
  return GatherEntries(rows, {all + offset, static_cast<size_t>(count)}, budget, workers);
}

}  // namespace shadowvm::exec
