// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/sorter.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "engine/base/fault.h"
#include "engine/exec/state/prefix_sort.h"

namespace shadowvm::exec {
namespace {

using memory::Buffer;

constexpr int64_t kRunRows = 32 << 10;  // below this a run is not worth a worker
constexpr size_t kDigitRows = 64;       // below this digits are not worth being counted
// Of few rows with long prefixes the leading bits tell nearly all apart, and the rest is soon
// compared.
constexpr int64_t kFewRows = 4 << 10;
constexpr int kLongPrefix = 24;
constexpr int kLeadingBits = 16;
constexpr std::string_view kKeys = "sort keys";
constexpr std::string_view kRows = "sorted rows";

struct Run {
  int64_t begin;
  int64_t end;
};

base::Result<std::shared_ptr<Buffer>> MakeEntries(memory::MemoryBudget* budget, int64_t rows) {
  return Buffer::Make(budget, rows * static_cast<int64_t>(sizeof(SortEntry)), kKeys);
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

// Sorts what comes in the order of its rows: entries, or words whose lowest bits, below 'low', are
// the row. 'is_exact': the bits from there on decide.
template <typename Entry, typename Before>
void SortRun(std::span<Entry> entries, std::span<Entry> room, int low, bool is_exact,
             const Before& before) {
  // By reference: algorithms hand their order from call to call by value.
  if (entries.size() < kDigitRows) {
    std::sort(entries.begin(), entries.end(), std::cref(before));
    return;
  }
  const uint64_t differing = DifferingBits(entries) >> low << low;
  const int width = static_cast<int>(std::bit_width(differing));
  const bool leading = std::ssize(entries) <= kFewRows && width - low > kLongPrefix;
  const int cut = leading ? width - kLeadingBits : 0;
  SortByBits(entries, differing >> cut << cut, room);
  if (is_exact && cut == 0) return;
  for (size_t begin = 0; begin < entries.size();) {
    size_t end = begin + 1;
    const uint64_t bits = BitsOf(entries[begin]) >> cut;
    while (end < entries.size() && BitsOf(entries[end]) >> cut == bits) ++end;
    if (end - begin > 1) {
      std::sort(entries.begin() + begin, entries.begin() + end, std::cref(before));
    }
    begin = end;
  }
}

// Of few rows prefix and row fit into one word, where the prefix is all there is to compare: half
// of what an entry takes.
base::Result<RowNumbers> OrderFew(const SortOrder& order, int row_bits,
                                  memory::MemoryBudget* budget) {
  const auto count = static_cast<size_t>(order.num_rows());
  SVM_ASSIGN_OR_RETURN(const auto room, Buffer::Make(budget, 2 * order.num_rows() * 8, kKeys));
  const std::span words(room->as<uint64_t>(), count);
  order.Fill(0, order.num_rows(), words.data());
  for (size_t i = 0; i < count; ++i) words[i] = words[i] << row_bits | i;
  SortRun(words, {words.data() + count, count}, row_bits, /*is_exact=*/true, std::less<>());
  SVM_ASSIGN_OR_RETURN(auto numbers, Buffer::Make(budget, order.num_rows() * 4, kRows));
  const uint64_t mask = (uint64_t{1} << row_bits) - 1;
  auto* const to = numbers->as<uint32_t>();
  for (size_t i = 0; i < count; ++i) to[i] = static_cast<uint32_t>(words[i] & mask);
  return numbers;
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

base::Result<RowNumbers> NumbersOf(std::span<const SortEntry> entries,
                                   memory::MemoryBudget* budget) {
  const auto bytes = static_cast<int64_t>(entries.size() * sizeof(uint32_t));
  SVM_ASSIGN_OR_RETURN(auto numbers, Buffer::Make(budget, bytes, kRows));
  auto* const to = numbers->as<uint32_t>();
  for (size_t i = 0; i < entries.size(); ++i) to[i] = entries[i].row;
  return numbers;
}

base::Result<RowNumbers> OrderAll(const SortOrder& order, memory::MemoryBudget* budget,
                                  const schedule::Workers& workers) {
  const int64_t num_rows = order.num_rows();
  const auto row_bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(num_rows)));
  if (order.is_exact() && num_rows <= kFewRows && order.prefix_bits() + row_bits <= 64) {
    return OrderFew(order, row_bits, budget);
  }
  SVM_ASSIGN_OR_RETURN(auto entries, MakeEntries(budget, num_rows));
  SVM_ASSIGN_OR_RETURN(auto room, MakeEntries(budget, num_rows));
  std::vector<Run> runs = CutIntoRuns(num_rows, workers);
  const auto sort = [&](SortEntry* begin, SortEntry* end) {
    const std::span run(begin, end);
    const std::span own(room->as<SortEntry>() + (begin - entries->as<SortEntry>()), run.size());
    SortRun(run, own, 0, order.is_exact(), order);
  };
  SVM_RETURN_NOT_OK(MakeRuns(order, runs, entries->as<SortEntry>(), workers, sort));
  SVM_ASSIGN_OR_RETURN(
      entries, MergeRuns(order, std::move(runs), std::move(entries), std::move(room), workers));
  return NumbersOf({entries->as<SortEntry>(), static_cast<size_t>(num_rows)}, budget);
}

base::Result<RowNumbers> OrderFirst(const SortOrder& order, const SortPart& part,
                                    memory::MemoryBudget* budget,
                                    const schedule::Workers& workers) {
  const int64_t wanted = part.offset + part.count;
  SVM_ASSIGN_OR_RETURN(auto entries, MakeEntries(budget, order.num_rows()));
  const std::vector<Run> runs = CutIntoRuns(order.num_rows(), workers);
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
  return NumbersOf({all + part.offset, static_cast<size_t>(part.count)}, budget);
}

// Cuts positions where prefixes change: whatever lies between two cuts is one worker's.
std::vector<Run> CutBetweenPrefixes(const uint64_t* prefixes, std::span<const uint32_t> numbers) {
  const auto count = static_cast<int64_t>(numbers.size());
  std::vector<Run> runs;
  for (int64_t begin = 0; begin < count;) {
    int64_t end = std::min(begin + kRunRows, count);
    while (end < count && prefixes[numbers[end]] == prefixes[numbers[end - 1]]) ++end;
    runs.push_back({begin, end});
    begin = end;
  }
  return runs;
}

}  // namespace

SortPart SortPart::Within(int64_t num_rows) const {
  const int64_t begin = std::clamp<int64_t>(offset, 0, num_rows);
  return {begin, std::clamp<int64_t>(count, 0, num_rows - begin)};
}

base::Status CheckSortSize(const RowSet& rows) {
  if (rows.num_rows < UINT32_MAX) return base::Status::OK();
  return base::MakeError(base::ErrorCode::kCardinality, "a sort takes at most 2^32 - 2 rows");
}

base::Result<RowNumbers> OrderRows(const SortOrder& order, const SortPart& part,
                                   memory::MemoryBudget* budget, const schedule::Workers& workers) {
  SVM_FAULT_POINT("exec.sort");
  const SortPart within = part.Within(order.num_rows());
  if (within.count == order.num_rows()) return OrderAll(order, budget, workers);
  return OrderFirst(order, within, budget, workers);
}

base::Status OrderTies(const SortOrder& order, const uint64_t* prefixes,
                       std::span<uint32_t> numbers, const schedule::Workers& workers) {
  if (order.is_exact()) return base::Status::OK();
  const std::vector<Run> runs = CutBetweenPrefixes(prefixes, numbers);
  const auto before = [&](uint32_t a, uint32_t b) { return order.IsBefore(a, b); };
  const auto task = [&](int, int64_t index) {
    uint32_t* const last = numbers.data() + runs[index].end;
    for (uint32_t* begin = numbers.data() + runs[index].begin; begin < last;) {
      uint32_t* end = begin + 1;
      while (end < last && prefixes[*end] == prefixes[*begin]) ++end;
      // Most often they are equal in all keys, and so in order.
      if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
      begin = end;
    }
    return base::Status::OK();
  };
  return schedule::ParallelFor(workers, static_cast<int64_t>(runs.size()), task);
}

}  // namespace shadowvm::exec
