// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/kernels/common/text.h"
#include "engine/memory/buffer.h"

namespace shadowvm::exec {

kernels::Text MakeText(std::string_view view);
inline std::string_view View(const kernels::Text& text) { return {text.data, text.size}; }

// Copies of strings at addresses that never move, for as long as the arena lives. One thread.
// Fault point exec.text.keep.
class TextArena {
 public:
  explicit TextArena(memory::MemoryBudget* budget) : budget_(budget) {}

  base::Result<kernels::Text> Keep(const kernels::Text& text);

 private:
  memory::MemoryBudget* budget_;
  std::vector<std::shared_ptr<memory::Buffer>> chunks_;
  char* free_ = nullptr;
  int64_t room_ = 0;
};

}  // namespace shadowvm::exec
