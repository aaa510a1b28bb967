// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/kernel_texts.h"

#include <utility>

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
  const base::Result<uint32_t> id = self->groups_->Intern(text);
  if (id.ok()) return *id;
  self->Fail(call, id.status());
  return kernels::kNoRow;
}

kernels::Text KernelTexts::KeepText(kernels::KernelCall* call, kernels::Text text) {
  auto* self = static_cast<KernelTexts*>(call->interner);
  const base::Result<kernels::Text> copy = self->arena_->Keep(text);
  if (copy.ok()) return *copy;
  self->Fail(call, copy.status());
  return {"", 0, 0};
}

}  // namespace shadowvm::exec
