// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <atomic>

#include "engine/exec/state/join_table.h"
#include "engine/exec/state/key_words.h"
#include "engine/kernels/common/hash.h"

// The hash half of JoinTable. Workers split the slots: each enters the rows whose first slot is in
// its own range, and leaves those that would run over the end of it to one pass at the end. So no
// two write to the same place, and chains come out in row order.
namespace shadowvm::exec {
namespace {

using memory::Buffer;

constexpr int64_t kParallelRows = 64 << 10;
constexpr int64_t kHashRows = 16 << 10;

struct HashTarget {
  uint64_t* slots;
  uint64_t mask;
  const uint64_t* keys;
  int key_words;
  uint32_t* next;  // null: existence only
  const uint64_t* hashes;

  bool SameKey(uint64_t row, uint64_t other) const {
    return std::equal(keys + row * key_words, keys + (row + 1) * key_words,
                      keys + other * key_words);
  }
};

struct PartFilled : HashFilled {
  std::vector<uint32_t> late;  // rows that found no place before 'end'
};

// Enters a row, probing slots up to 'end' (wrapping when it is beyond the last). False: no place.
bool Enter(const HashTarget& target, uint32_t row, uint64_t end, PartFilled* filled) {
  const uint64_t hash = target.hashes[row];
  const uint64_t first = hash & target.mask;
  for (uint64_t probe = first; probe < end; ++probe) {
    uint64_t& slot = target.slots[probe & target.mask];
    const uint64_t found = (slot & kernels::kSlotPayload) - 1;
    const bool taken = slot != 0;
    if (taken && !(kernels::same_tag(slot, hash) && target.SameKey(row, found))) continue;
    ++filled->rows;
    filled->keys += !taken;
    if (target.next != nullptr) {
      target.next[row] = taken ? static_cast<uint32_t>(found) : kernels::kNoRow;
    }
    slot = kernels::make_slot(hash, uint64_t{row} + 1);
    return true;
  }
  return false;
}

PartFilled FillSlots(const RowSet& rows, std::span<const int> keys, const HashTarget& target,
                     uint64_t begin, uint64_t end) {
  PartFilled filled;
  for (int64_t row = rows.num_rows - 1; row >= 0; --row) {
    const uint64_t first = target.hashes[row] & target.mask;
    if (first < begin || first >= end || HasNullKey(rows, keys, row)) continue;
    const auto number = static_cast<uint32_t>(row);
    if (!Enter(target, number, end, &filled)) filled.late.push_back(number);
  }
  return filled;
}

}  // namespace

base::Status JoinTable::BuildHash(const schedule::Workers& workers, HashFiller* filler) {
  for (const int key : options_.keys) key_words_ += KeyWords(rows_->columns[key].column);
  interner_ = std::make_shared<TextInterner>(budget_);
  if (options_.keys.size() == 1 && rows_->columns[options_.keys[0]].column.is_integer()) {
    key_zone_ = ZoneOf(rows_->columns[options_.keys[0]], rows_->num_rows);
  }
  const int64_t key_bytes = rows_->num_rows * key_words_ * 8;
  SVM_ASSIGN_OR_RETURN(keys_, Buffer::Make(budget_, key_bytes, "join keys"));
  SVM_RETURN_NOT_OK(FillKeyWords(*rows_, options_.keys, interner_.get(), keys_->as<uint64_t>()));
  const uint64_t num_slots = HashSlots(rows_->num_rows);
  mask_ = num_slots - 1;
  SVM_ASSIGN_OR_RETURN(slots_, Buffer::Make(budget_, static_cast<int64_t>(num_slots * 8),
                                            "join slots", Buffer::Fill::kZero));
  SVM_RETURN_NOT_OK(MakeNext());
  const auto on_cores = [&] { return FillHash(workers); };
  const HashFill fill{*rows_, options_.keys, key_words_, mask_, keys_, slots_, next_};
  SVM_ASSIGN_OR_RETURN(const HashFilled filled,
                       filler == nullptr ? on_cores() : filler->Fill(fill, on_cores));
  num_rows_ = filled.rows;
  num_keys_ = filled.keys;
  if (unique()) next_.reset();
  return base::Status::OK();
}

base::Result<HashFilled> JoinTable::FillHash(const schedule::Workers& workers) const {
  const int64_t num_rows = rows_->num_rows;
  SVM_ASSIGN_OR_RETURN(auto hashes, Buffer::Make(budget_, num_rows * 8, "join hashes"));
  const auto* keys = keys_->as<kernels::u64>();
  const auto hash_rows = [&](int, int64_t begin, int64_t end) {
    auto* out = hashes->as<kernels::u64>();
    for (int64_t row = begin; row < end; ++row) {
      out[row] = kernels::hash_words(keys + row * key_words_, key_words_);
    }
    return base::Status::OK();
  };
  SVM_RETURN_NOT_OK(schedule::ParallelRanges(workers, num_rows, kHashRows, hash_rows));

  const HashTarget target{slots_->as<uint64_t>(),
                          mask_,
                          keys_->as<uint64_t>(),
                          key_words_,
                          options_.rows ? next_->as<uint32_t>() : nullptr,
                          hashes->as<uint64_t>()};
  const int64_t parts = num_rows > kParallelRows ? workers.count() : 1;
  const uint64_t num_slots = mask_ + 1;
  std::vector<PartFilled> filled(parts);
  const auto fill = [&](int, int64_t part) {
    filled[part] = FillSlots(*rows_, options_.keys, target, num_slots * part / parts,
                             num_slots * (part + 1) / parts);
    return base::Status::OK();
  };
  SVM_RETURN_NOT_OK(schedule::ParallelFor(workers, parts, fill));
  HashFilled all;
  for (PartFilled& part : filled) {
    for (const uint32_t row : part.late) Enter(target, row, UINT64_MAX, &part);
    all.rows += part.rows;
    all.keys += part.keys;
  }
  return all;
}

}  // namespace shadowvm::exec
