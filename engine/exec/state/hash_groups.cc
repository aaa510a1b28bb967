// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/hash_groups.h"

#include <algorithm>

#include "engine/base/fault.h"
#include "engine/exec/state/key_words.h"
#include "engine/kernels/common/hash.h"

namespace shadowvm::exec {
namespace {

using kernels::GroupPart;
using kernels::kRadixParts;

// One worker emits fewer rows as soon as several would.
constexpr int64_t kEmittedRows = 16 << 10;
// As many loads as a core keeps under way, and more do no harm.
constexpr size_t kAbsorbedRows = 32;

// Calls function(row) for every row of a part.
template <typename Function>
base::Status ForEachRow(const GroupPart& part, Function&& function) {
  const uint64_t num_slots = part.slots == nullptr ? 0 : part.mask + 1;
  for (uint64_t i = 0; i < num_slots; ++i) {
    if (part.slots[i] == 0) continue;
    SVM_RETURN_NOT_OK(function(reinterpret_cast<int64_t*>(part.slots[i] & kernels::kSlotPayload)));
  }
  return base::Status::OK();
}

void EmitKey(const HashKeyColumn& key, std::span<const int64_t* const> rows,
             const TextInterner* interner, int64_t at, RowData* data) {
  const auto count = static_cast<int64_t>(rows.size());
  if (data->valid != nullptr) {
    uint8_t* valid = data->valid->data() + at;
    for (int64_t i = 0; i < count; ++i) {
      valid[i] = key.null_word < 0 || (rows[i][key.null_word] >> key.null_bit & 1) == 0;
    }
  }
  std::vector<const int64_t*> words(count);
  for (int64_t i = 0; i < count; ++i) words[i] = rows[i] + key.word;
  EmitKeyWords(words.data(), count, interner, at, data);
}

}  // namespace

HashGroups::HashGroups(memory::MemoryBudget* budget, std::vector<Accumulator> accumulators,
                       int key_words, int num_workers)
    : budget_(budget),
      accumulators_(std::move(accumulators)),
      key_words_(key_words),
      initial_(static_cast<size_t>(key_words + RowWords(accumulators_))),
      interner_(budget) {
  Initialise(accumulators_, initial_.data() + key_words);
  for (int i = 0; i < num_workers; ++i) workers_.push_back(MakeGroups());
}

std::unique_ptr<WorkerGroups> HashGroups::MakeGroups() const {
  return std::make_unique<WorkerGroups>(budget_, initial_, key_words_);
}

base::Status HashGroups::MergeRows(const int64_t* rows, int64_t count, WorkerGroups* into) const {
  for (int64_t i = 0; i < count; ++i, rows += initial_.size()) {
    const uint64_t hash = into->HashOf(rows);
    int64_t* const found = into->Find(rows, hash);
    SVM_RETURN_NOT_OK(found == nullptr
                          ? into->Insert(rows, hash)
                          : MergeRow(accumulators_, rows + key_words_, found + key_words_));
  }
  return base::Status::OK();
}

base::Status HashGroups::Merge(const schedule::Workers& workers) {
  return schedule::ParallelFor(workers, kRadixParts, [this](int, int64_t part) {
    return MergePart(static_cast<uint32_t>(part));
  });
}

// Into the largest: its rows stay where they are, those of the others are added or adopted.
base::Status HashGroups::MergePart(uint32_t part) {
  SVM_FAULT_POINT("exec.merge");
  const auto largest = std::max_element(
      workers_.begin(), workers_.end(),
      [part](const auto& a, const auto& b) { return a->part(part).count < b->part(part).count; });
  WorkerGroups* into = largest->get();
  owner_[part] = static_cast<int>(largest - workers_.begin());
  for (const auto& worker : workers_) {
    if (worker.get() == into) continue;
    std::array<int64_t*, kAbsorbedRows> block;
    size_t count = 0;
    SVM_RETURN_NOT_OK(ForEachRow(worker->part(part), [&](int64_t* row) {
      __builtin_prefetch(row);
      block[count++] = row;
      if (count < block.size()) return base::Status::OK();
      count = 0;
      return Absorb(block, into);
    }));
    SVM_RETURN_NOT_OK(Absorb({block.data(), count}, into));
  }
  return base::Status::OK();
}

// Rows lie wherever their workers first met a key: all are asked for before the first is looked at,
// so that the memory is waited for once.
base::Status HashGroups::Absorb(std::span<int64_t* const> rows, WorkerGroups* into) const {
  std::array<uint64_t, kAbsorbedRows> hashes;
  for (size_t i = 0; i < rows.size(); ++i) {
    hashes[i] = into->HashOf(rows[i]);
    into->PrefetchSlot(hashes[i]);
  }
  for (size_t i = 0; i < rows.size(); ++i) into->PrefetchRow(hashes[i]);
  for (size_t i = 0; i < rows.size(); ++i) {
    int64_t* const row = rows[i];
    int64_t* const found = into->Find(row, hashes[i]);
    SVM_RETURN_NOT_OK(found == nullptr
                          ? into->Adopt(row, hashes[i])
                          : MergeRow(accumulators_, row + key_words_, found + key_words_));
  }
  return base::Status::OK();
}

int64_t HashGroups::num_groups() const {
  uint64_t count = 0;
  for (uint32_t part = 0; part < kRadixParts; ++part) {
    count += workers_[owner_[part]]->part(part).count;
  }
  return static_cast<int64_t>(count);
}

base::Result<RowSet> HashGroups::Columns::Make(memory::MemoryBudget* budget, int64_t count,
                                               Keeper keeper) const {
  std::vector<RowColumn> columns;
  for (const HashKeyColumn& key : keys) columns.push_back(key.column);
  for (const AggregateOutput& output : outputs) columns.push_back(output.column);
  SVM_ASSIGN_OR_RETURN(RowSet rows, MakeRowSet(budget, columns, count));
  const auto is_text = [](const RowColumn& c) { return c.kind == RowColumn::Kind::kText; };
  if (std::any_of(columns.begin(), columns.end(), is_text)) {
    rows.keepers.push_back(std::move(keeper));
  }
  return rows;
}

base::Result<RowSet> HashGroups::Emit(std::span<const HashKeyColumn> key_columns,
                                      std::span<const AggregateOutput> outputs, Keeper keeper,
                                      const schedule::Workers& workers) {
  const Columns columns{key_columns, outputs};
  SVM_ASSIGN_OR_RETURN(RowSet rows, columns.Make(budget_, num_groups(), std::move(keeper)));
  std::array<int64_t, kRadixParts> begins{};
  for (uint32_t part = 1; part < kRadixParts; ++part) {
    begins[part] =
        begins[part - 1] + static_cast<int64_t>(workers_[owner_[part - 1]]->part(part - 1).count);
  }
  SVM_RETURN_NOT_OK(schedule::ParallelFor(workers, kRadixParts, [&](int, int64_t part) {
    return EmitPart(static_cast<uint32_t>(part), columns, begins[part], &rows);
  }));
  return rows;
}

base::Result<RowSet> HashGroups::EmitRows(std::span<const int64_t> words,
                                          std::span<const HashKeyColumn> key_columns,
                                          std::span<const AggregateOutput> outputs, Keeper keeper,
                                          const schedule::Workers& workers) const {
  const Columns columns{key_columns, outputs};
  const auto row_words = static_cast<int64_t>(initial_.size());
  const int64_t count = std::ssize(words) / row_words;
  SVM_ASSIGN_OR_RETURN(RowSet rows, columns.Make(budget_, count, std::move(keeper)));
  const auto emit = [&](int, int64_t begin, int64_t end) {
    std::vector<const int64_t*> groups;
    for (int64_t row = begin; row < end; ++row) groups.push_back(words.data() + row * row_words);
    return EmitGroups(std::move(groups), columns, begin, &rows);
  };
  SVM_RETURN_NOT_OK(schedule::ParallelRanges(workers, count, kEmittedRows, emit));
  return rows;
}

base::Status HashGroups::EmitPart(uint32_t part, const Columns& columns, int64_t at,
                                  RowSet* rows) const {
  std::vector<const int64_t*> groups;
  SVM_RETURN_NOT_OK(ForEachRow(workers_[owner_[part]]->part(part), [&](const int64_t* row) {
    groups.push_back(row);
    return base::Status::OK();
  }));
  return EmitGroups(std::move(groups), columns, at, rows);
}

base::Status HashGroups::EmitGroups(std::vector<const int64_t*> groups, const Columns& columns,
                                    int64_t at, RowSet* rows) const {
  size_t column = 0;
  for (const HashKeyColumn& key : columns.keys) {
    EmitKey(key, groups, &interner_, at, &rows->columns[column++]);
  }
  for (const int64_t*& group : groups) group += key_words_;
  const auto count = static_cast<int64_t>(groups.size());
  for (const AggregateOutput& output : columns.outputs) {
    SVM_RETURN_NOT_OK(
        Finalise(output, accumulators_, groups.data(), count, at, &rows->columns[column++]));
  }
  return base::Status::OK();
}

}  // namespace shadowvm::exec
