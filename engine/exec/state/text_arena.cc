// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/text_arena.h"

#include <algorithm>
#include <cstring>

#include "engine/base/fault.h"
#include "engine/kernels/common/text_match.h"

namespace shadowvm::exec {
namespace {

constexpr int64_t kFirstChunk = 4 << 10;
constexpr int64_t kLargestChunk = 1 << 20;

}  // namespace

kernels::Text MakeText(std::string_view view) {
  return kernels::make_text(view.data(), static_cast<unsigned>(view.size()));
}

base::Result<kernels::Text> TextArena::Keep(const kernels::Text& text) {
  if (text.size == 0) return kernels::Text{"", 0, 0};
  if (room_ < text.size) {
    SVM_FAULT_POINT("exec.text.keep");
    const int64_t doubled = kFirstChunk << std::min<size_t>(chunks_.size(), 8);
    const int64_t size = std::max<int64_t>(std::min(doubled, kLargestChunk), text.size);
    SVM_ASSIGN_OR_RETURN(auto chunk, memory::Buffer::Make(budget_, size, "strings of a state"));
    free_ = chunk->as<char>();
    room_ = size;
    chunks_.push_back(std::move(chunk));
  }
  char* const copy = free_;
  std::memcpy(copy, text.data, text.size);
  free_ += text.size;
  room_ -= text.size;
  return kernels::Text{copy, text.size, text.prefix};
}

}  // namespace shadowvm::exec
