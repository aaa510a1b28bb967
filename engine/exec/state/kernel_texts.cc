// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/kernel_texts.h"

#include <utility>

#include "engine/kernels/common/hash.h"
#include "engine/kernels/common/text_match.h"

namespace shadowvm::exec {

KernelTexts::KernelTexts(memory::MemoryBudget* budget, TextInterner* groups)
    : groups_(groups), arena_(std::make_shared<TextArena>(budget)) {}

void KernelTexts::Bind(kernels::KernelCall* call) {
  call->interner = this;
  call->intern = &KernelTexts::Intern;
  call->keep_text = &KernelTexts::KeepText;
}

void KernelTexts::Fail(kernels::KernelCall* call, base::Status status) {
  status_ = std::move(status);
  call->error = static_cast<kernels::u32>(base::CodeOf(status_));
}

kernels::u32 KernelTexts::Intern(kernels::KernelCall* call, kernels::Text text) {
  auto* self = static_cast<KernelTexts*>(call->interner);
  if (self->known_.empty()) self->known_.resize(kKnown);
  const uint64_t hash = kernels::hash_text(text);
  // The interner's shards and slots are by lower bits.
  Known& known = self->known_[hash >> 40 & (kKnown - 1)];
  const bool is_known = known.copy.data != nullptr && known.hash == hash;
  if (is_known && kernels::text_equal(known.copy, text)) return known.id;
  const auto interned = self->groups_->Intern(text, hash);
  if (!interned.ok()) {
    self->Fail(call, interned.status());
    return kernels::kNoRow;
  }
  known = {hash, interned->copy, interned->id};
  return interned->id;
}

kernels::Text KernelTexts::KeepText(kernels::KernelCall* call, kernels::Text text) {
  auto* self = static_cast<KernelTexts*>(call->interner);
  const base::Result<kernels::Text> copy = self->arena_->Keep(text);
  if (copy.ok()) return *copy;
  self->Fail(call, copy.status());
  return {"", 0, 0};
}

}  // namespace shadowvm::exec
