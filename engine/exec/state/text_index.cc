// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/text_index.h"

#include <utility>

#include "engine/exec/state/join_shape.h"
#include "engine/kernels/common/hash.h"

namespace shadowvm::exec {

using memory::Buffer;

base::Result<std::shared_ptr<const TextIndex>> TextIndex::Make(
    std::shared_ptr<const TextInterner> interner, memory::MemoryBudget* budget) {
  constexpr std::string_view kWhat = "strings of join keys";
  const int64_t count = interner->size();
  const uint64_t num_slots = HashSlots(count);
  std::shared_ptr<TextIndex> index(new TextIndex);
  SVM_ASSIGN_OR_RETURN(index->slots_, Buffer::Make(budget, static_cast<int64_t>(num_slots * 8),
                                                   kWhat, Buffer::Fill::kZero));
  SVM_ASSIGN_OR_RETURN(index->texts_,
                       Buffer::Make(budget, count * int64_t{sizeof(kernels::Text)}, kWhat));
  SVM_ASSIGN_OR_RETURN(index->ids_, Buffer::Make(budget, count * 4, kWhat));
  auto* const slots = index->slots_->as<uint64_t>();
  uint64_t position = 0;
  interner->ForEach([&](uint32_t id, const kernels::Text& text) {
    index->texts_->as<kernels::Text>()[position] = text;
    index->ids_->as<uint32_t>()[position] = id;
    const uint64_t hash = kernels::hash_text(text);
    uint64_t at = hash & (num_slots - 1);
    while (slots[at] != 0) at = (at + 1) & (num_slots - 1);
    slots[at] = kernels::make_slot(hash, ++position);
  });
  index->interner_ = std::move(interner);
  return index;
}

kernels::TextIndexView TextIndex::view() const {
  return {slots_->as<kernels::u64>(), static_cast<kernels::u64>(slots_->size() / 8 - 1),
          texts_->as<kernels::Text>(), ids_->as<kernels::u32>(),
          static_cast<kernels::u64>(ids_->size() / 4)};
}

}  // namespace shadowvm::exec
