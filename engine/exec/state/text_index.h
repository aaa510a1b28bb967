// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>

#include "engine/exec/state/text_interner.h"

namespace shadowvm::exec {

// The strings of an interner that gets no more, in arrays that kernels of any device look into.
class TextIndex {
 public:
  // The strings' bytes are the interner's.
  static base::Result<std::shared_ptr<const TextIndex>> Make(
      std::shared_ptr<const TextInterner> interner, memory::MemoryBudget* budget);

  kernels::TextIndexView view() const;

 private:
  TextIndex() = default;

  std::shared_ptr<const TextInterner> interner_;
  std::shared_ptr<memory::Buffer> slots_, texts_, ids_;
};

}  // namespace shadowvm::exec
