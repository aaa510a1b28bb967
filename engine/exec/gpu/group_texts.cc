// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/group_texts.h"

#include <algorithm>

#include "engine/kernels/common/hash.h"
#include "engine/kernels/cpu/accumulate.h"

namespace shadowvm::exec {
namespace {

using kernels::load_value;
using kernels::Text;

bool IsText(const Accumulator& accumulator) {
  return accumulator.kind == AccumulatorKind::kMinText ||
         accumulator.kind == AccumulatorKind::kMaxText;
}

// Of a string that an accumulator holds the device counts how often it was changed, above its
// address.
Text WithoutCount(Text text) {
  const uint64_t address = reinterpret_cast<uint64_t>(text.data) & kernels::kSlotPayload;
  text.data = reinterpret_cast<const char*>(address);
  return text;
}

}  // namespace

bool HoldText(std::span<const Accumulator> accumulators) {
  return std::any_of(accumulators.begin(), accumulators.end(), IsText);
}

base::Status KeepTexts(std::span<const Accumulator> accumulators, const FoundGroups& groups,
                       TextOrigins* origins, TextArena* arena) {
  const int key_words = groups.row_words - RowWords(accumulators);
  for (const Accumulator& accumulator : accumulators) {
    if (!IsText(accumulator)) continue;
    int64_t* word = groups.rows + key_words + accumulator.word;
    for (int64_t row = 0; row < groups.count; ++row, word += groups.row_words) {
      const Text found = WithoutCount(load_value<Text>(word));
      if (found.data == nullptr) continue;
      SVM_ASSIGN_OR_RETURN(const Text text, origins->Find(found));
      SVM_ASSIGN_OR_RETURN(const Text kept, arena->Keep(text));
      kernels::store_text(word, kept);
    }
  }
  return base::Status::OK();
}

GroupTexts::GroupTexts(std::span<const HashKeyColumn> keys, TextInterner* interner,
                       memory::MemoryBudget* budget)
    : interner_(interner), budget_(budget) {
  for (const HashKeyColumn& key : keys) {
    if (key.column.kind != RowColumn::Kind::kText) continue;
    keys_.push_back({key.word, key.null_word, key.null_bit});
  }
}

kernels::LaunchStrings GroupTexts::At(device::DeviceAddress room,
                                      device::DeviceAddress count) const {
  return {reinterpret_cast<kernels::u64*>(room), room_.num_slots() - 1,
          reinterpret_cast<Text*>(room_.entries(room)), reinterpret_cast<kernels::u64*>(count),
          static_cast<kernels::u64>(room_.capacity())};
}

base::Status GroupTexts::Take(device::Stream* stream, device::DeviceAddress room, uint64_t count,
                              TextOrigins* origins, const FoundGroups& groups) {
  if (count == 0) return base::Status::OK();
  const auto bytes = static_cast<int64_t>(count * sizeof(Text));
  SVM_ASSIGN_OR_RETURN(const auto texts, memory::Buffer::Make(budget_, bytes, "strings of groups"));
  const base::Status copied = stream->CopyOut(texts->data(), room_.entries(room), bytes);
  const base::Status finished = stream->Synchronize();
  SVM_RETURN_NOT_OK(copied);
  SVM_RETURN_NOT_OK(finished);
  // Ids take the places of their strings.
  auto* const ids = texts->as<uint32_t>();
  for (uint64_t number = 0; number < count; ++number) {
    SVM_ASSIGN_OR_RETURN(const Text text, origins->Find(texts->as<Text>()[number]));
    SVM_ASSIGN_OR_RETURN(ids[number], interner_->Intern(text));
  }
  for (int64_t i = 0; i < groups.count; ++i) {
    int64_t* const row = groups.rows + i * groups.row_words;
    for (const Key& key : keys_) {
      // A null has no string, and no number.
      if (key.null_word >= 0 && (row[key.null_word] >> key.null_bit & 1) != 0) continue;
      row[key.word] = ids[row[key.word]];
    }
  }
  return base::Status::OK();
}

}  // namespace shadowvm::exec
