// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/dense_groups.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "engine/base/fault.h"
#include "engine/columns/frame.h"
#include "engine/exec/state/dispatch.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/exec/state/sorter.h"

namespace shadowvm::exec {
namespace {

using memory::Buffer;

constexpr int64_t kMergeSlots = 4 << 10;  // a range's slots: enough to pay for handing it over

void EmitJoinKey(const DenseKey& key, int payload, std::span<const uint32_t> codes, RowData* data) {
  const RowData& from = key.build_rows->columns[payload];
  const std::vector<uint32_t>& rows = key.codes->representatives;
  DispatchWidth(data->column.width(), [&](auto zero) {
    using T = decltype(zero);
    const T* values = from.values<T>();
    T* out = data->data->as<T>();
    for (size_t i = 0; i < codes.size(); ++i) out[i] = values[rows[codes[i] - 1]];
  });
  if (data->valid == nullptr) return;
  for (size_t i = 0; i < codes.size(); ++i) {
    data->valid->data()[i] = from.is_valid(rows[codes[i] - 1]);
  }
}

void EmitKey(const DenseKey& key, int payload, std::span<const uint32_t> codes, RowData* data) {
  if (key.codes == nullptr) return WriteColumnKey(key, codes, data);
  EmitJoinKey(key, payload, codes, data);
}

}  // namespace

void WriteColumnKey(const DenseKey& key, std::span<const uint32_t> codes, RowData* data) {
  DispatchInteger(data->column.width(), [&](auto zero) {
    using T = decltype(zero);
    T* out = data->data->as<T>();
    // The code of null may lie beyond the largest value.
    const auto origin = static_cast<uint64_t>(key.origin);
    for (size_t i = 0; i < codes.size(); ++i) out[i] = static_cast<T>(origin + codes[i]);
  });
  if (data->valid == nullptr) return;
  for (size_t i = 0; i < codes.size(); ++i) {
    data->valid->data()[i] = int64_t{codes[i]} != key.null_code;
  }
}

DenseKey DenseKey::Column(int64_t min, int64_t max, bool nullable) {
  // A range beyond any dense array stays beyond it.
  const uint64_t range = std::min(columns::RangeOf(min, max), uint64_t{1} << 30);
  DenseKey key;
  key.size = static_cast<uint32_t>(range) + 1 + (nullable ? 1 : 0);
  key.origin = min;
  key.null_code = nullable ? static_cast<int64_t>(range) + 1 : -1;
  return key;
}

DenseKey DenseKey::Join(std::shared_ptr<const GroupCodes> codes,
                        std::shared_ptr<const RowSet> build_rows) {
  DenseKey key;
  key.size = codes->num_codes() + 1;
  key.codes = std::move(codes);
  key.build_rows = std::move(build_rows);
  return key;
}

std::optional<uint64_t> DenseGroups::NumSlots(std::span<const DenseKey> keys) {
  uint64_t slots = 1;
  for (const DenseKey& key : keys) {
    slots *= key.size;
    if (slots > kMaxSlots) return std::nullopt;
  }
  return slots;
}

DenseGroups::DenseGroups(memory::MemoryBudget* budget, DenseGroupsOptions options, int num_workers)
    : budget_(budget),
      options_(std::move(options)),
      row_words_(RowWords(options_.accumulators)),
      num_workers_(static_cast<size_t>(num_workers)),
      arrays_(num_workers_) {
  for (const DenseKey& key : options_.keys) {
    strides_.push_back(num_slots_);
    num_slots_ *= key.size;
  }
}

base::Result<int64_t*> DenseGroups::Slots(int worker) {
  Array& array = arrays_[worker];
  if (array == nullptr) {
    SVM_ASSIGN_OR_RETURN(array, MakeArray());
  }
  return array->as<int64_t>();
}

base::Result<DenseGroups::Array> DenseGroups::MakeArray() const {
  const auto bytes = static_cast<int64_t>(num_slots_) * row_words_ * 8;
  SVM_ASSIGN_OR_RETURN(Array array, Buffer::Make(budget_, bytes, "dense groups"));
  auto* const words = array->as<int64_t>();
  const auto all = static_cast<int64_t>(num_slots_) * row_words_;
  Initialise(options_.accumulators, words);
  for (int64_t done = row_words_; done < all; done *= 2) {
    std::copy_n(words, std::min(done, all - done), words + done);
  }
  return array;
}

void DenseGroups::Reset() {
  arrays_.clear();
  arrays_.resize(num_workers_);
  merged_ = nullptr;
}

base::Status DenseGroups::MergeArray(const int64_t* from, int64_t* into) const {
  return MergeSlots(from, into, 0, static_cast<int64_t>(num_slots_));
}

base::Status DenseGroups::MergeSlots(const int64_t* from, int64_t* into, int64_t begin,
                                     int64_t end) const {
  const int presence = options_.accumulators[options_.presence].word;
  for (int64_t at = begin * row_words_; at < end * row_words_; at += row_words_) {
    if (from[at + presence] == 0) continue;
    SVM_RETURN_NOT_OK(MergeRow(options_.accumulators, from + at, into + at));
  }
  return base::Status::OK();
}

base::Status DenseGroups::Merge(const schedule::Workers& workers) {
  SVM_FAULT_POINT("exec.merge");
  std::vector<int64_t*> arrays;
  for (const auto& array : arrays_) {
    if (array != nullptr) arrays.push_back(array->as<int64_t>());
  }
  if (arrays.empty()) {
    SVM_ASSIGN_OR_RETURN(merged_, Slots(0));
    return base::Status::OK();
  }
  merged_ = arrays[0];
  if (arrays.size() == 1) return base::Status::OK();
  const auto merge = [&](int, int64_t begin, int64_t end) -> base::Status {
    for (size_t from = 1; from < arrays.size(); ++from) {
      SVM_RETURN_NOT_OK(MergeSlots(arrays[from], merged_, begin, end));
    }
    return base::Status::OK();
  };
  return schedule::ParallelRanges(workers, static_cast<int64_t>(num_slots_), kMergeSlots, merge);
}

bool DenseGroups::IsDropped(size_t key, uint32_t code) const {
  return options_.keys[key].codes != nullptr && code == 0;
}

// Groups of neighbouring slots, from 'slot' on: those of all codes of the first key, for the
// others' codes as they are.
void DenseGroups::AddNeighbours(uint64_t slot, std::span<const uint32_t> codes, Which which,
                                Found* found) const {
  const uint32_t size = options_.keys[0].size;
  const uint32_t first = IsDropped(0, 0) ? 1 : 0;
  const int words = row_words_;
  const int presence = options_.accumulators[options_.presence].word;
  const bool all = which == Which::kAll;
  const int64_t* group = merged_ + (slot + first) * words;
  const int64_t** const groups = found->groups.get();
  uint32_t* const first_codes = found->codes.get();
  const size_t before = found->count;
  size_t count = before;
  for (uint32_t code = first; code < size; ++code, group += words) {
    groups[count] = group;
    first_codes[count] = code;
    // Without a branch: every second one would be guessed wrong.
    count += static_cast<size_t>(all | (group[presence] != 0));
  }
  for (size_t key = 1; key < codes.size(); ++key) {
    std::fill_n(found->codes.get() + key * found->most + before, count - before, codes[key]);
  }
  found->count = count;
}

DenseGroups::Found DenseGroups::FindGroups(Which which) const {
  const size_t num_keys = options_.keys.size();
  Found found(num_slots_, num_keys);
  if (num_keys == 0) {
    found.groups[found.count++] = merged_;
    return found;
  }
  std::vector<uint32_t> codes(num_keys);  // of the slot, counted up with it; the first stays 0
  for (uint64_t slot = 0; slot < num_slots_; slot += options_.keys[0].size) {
    bool dropped = false;
    for (size_t key = 1; key < num_keys; ++key) dropped |= IsDropped(key, codes[key]);
    if (!dropped) AddNeighbours(slot, codes, which, &found);
    for (size_t key = 1; key < num_keys && ++codes[key] == options_.keys[key].size; ++key) {
      codes[key] = 0;
    }
  }
  return found;
}

base::Result<RowSet> DenseGroups::EmitKeys(const Found& found,
                                           std::span<const DenseKeyColumn> key_columns) const {
  std::vector<RowColumn> columns;
  columns.reserve(key_columns.size());
  for (const DenseKeyColumn& column : key_columns) columns.push_back(column.column);
  const auto count = static_cast<int64_t>(found.count);
  SVM_ASSIGN_OR_RETURN(RowSet rows, MakeRowSet(budget_, std::move(columns), count));
  for (size_t i = 0; i < key_columns.size(); ++i) {
    const DenseKeyColumn& column = key_columns[i];
    EmitKey(options_.keys[column.key], column.payload, found.codes_of(column.key),
            &rows.columns[i]);
  }
  for (const DenseKey& key : options_.keys) {
    if (key.build_rows != nullptr) rows.keepers.push_back(key.build_rows);
  }
  return rows;
}

base::Status DenseGroups::EmitOutputs(const int64_t* const* groups,
                                      std::span<const AggregateOutput> outputs,
                                      RowSet* rows) const {
  std::vector<RowColumn> columns;
  columns.reserve(outputs.size());
  for (const AggregateOutput& output : outputs) columns.push_back(output.column);
  SVM_ASSIGN_OR_RETURN(RowSet made, MakeRowSet(budget_, std::move(columns), rows->num_rows));
  for (size_t i = 0; i < outputs.size(); ++i) {
    SVM_RETURN_NOT_OK(
        Finalise(outputs[i], options_.accumulators, groups, rows->num_rows, 0, &made.columns[i]));
  }
  std::move(made.columns.begin(), made.columns.end(), std::back_inserter(rows->columns));
  return base::Status::OK();
}

base::Result<RowSet> DenseGroups::Emit(std::span<const DenseKeyColumn> key_columns,
                                       std::span<const AggregateOutput> outputs) const {
  const Found found = FindGroups(Which::kWithRows);
  SVM_ASSIGN_OR_RETURN(RowSet rows, EmitKeys(found, key_columns));
  SVM_RETURN_NOT_OK(EmitOutputs(found.groups.get(), outputs, &rows));
  return rows;
}

base::Result<SlotOrder> DenseGroups::OrderSlots(std::span<const DenseKeyColumn> key_columns,
                                                std::span<const SortColumn> by,
                                                const schedule::Workers& workers) const {
  const Found all = FindGroups(Which::kAll);
  SVM_ASSIGN_OR_RETURN(const RowSet keys, EmitKeys(all, key_columns));
  SVM_ASSIGN_OR_RETURN(const RowNumbers numbers,
                       OrderRows(SortOrder(keys, by), {}, budget_, workers));
  const std::span<const uint32_t> in_order(numbers->as<uint32_t>(), all.count);
  SlotOrder order;
  SVM_ASSIGN_OR_RETURN(order.keys, Gather(keys, in_order, budget_, workers));
  order.slots.reserve(all.count);
  for (const uint32_t number : in_order) {
    order.slots.push_back(static_cast<uint32_t>((all.groups[number] - merged_) / row_words_));
  }
  return order;
}

base::Result<RowSet> DenseGroups::EmitInOrder(const SlotOrder& order,
                                              std::span<const AggregateOutput> outputs,
                                              const schedule::Workers& workers) const {
  const int presence = options_.accumulators[options_.presence].word;
  const size_t num_slots = order.slots.size();
  const auto groups = std::make_unique_for_overwrite<const int64_t*[]>(num_slots);
  const auto places = std::make_unique_for_overwrite<uint32_t[]>(num_slots);
  size_t count = 0;
  for (size_t place = 0; place < num_slots; ++place) {
    const int64_t* const group = merged_ + order.slots[place] * static_cast<size_t>(row_words_);
    groups[count] = group;
    places[count] = static_cast<uint32_t>(place);
    count += static_cast<size_t>(group[presence] != 0);
  }
  SVM_ASSIGN_OR_RETURN(RowSet rows, Gather(order.keys, {places.get(), count}, budget_, workers));
  SVM_RETURN_NOT_OK(EmitOutputs(groups.get(), outputs, &rows));
  return rows;
}

}  // namespace shadowvm::exec
