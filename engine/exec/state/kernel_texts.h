// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <vector>

#include "engine/exec/state/text_arena.h"
#include "engine/exec/state/text_interner.h"

namespace shadowvm::exec {

// What a worker's kernel calls for strings: intern and keep_text of a KernelCall.
class KernelTexts {
 public:
  // 'groups' interns plain-text group keys, null where there are none. It outlives the kernel
  // calls.
  KernelTexts(memory::MemoryBudget* budget, TextInterner* groups);
  KernelTexts(const KernelTexts&) = delete;
  KernelTexts& operator=(const KernelTexts&) = delete;

  void Bind(kernels::KernelCall* call);
  // Owns the copies that keep_text made: whoever keeps such texts keeps it.
  std::shared_ptr<const TextArena> arena() const { return arena_; }
  // Why the last call from a kernel failed.
  const base::Status& status() const { return status_; }

 private:
  static kernels::u32 Intern(kernels::KernelCall* call, kernels::Text text);
  static kernels::Text KeepText(kernels::KernelCall* call, kernels::Text text);
  void Fail(kernels::KernelCall* call, base::Status status);

  // What this worker has interned last of those that share a place, to be found without a lock.
  struct Known {
    uint64_t hash = 0;
    kernels::Text copy{};  // null: none
    uint32_t id = 0;
  };
  static constexpr uint64_t kKnown = uint64_t{1} << 12;

  TextInterner* groups_;
  std::vector<Known> known_;  // kKnown of them, once there is one
  std::shared_ptr<TextArena> arena_;
  base::Status status_;
};

}  // namespace shadowvm::exec
