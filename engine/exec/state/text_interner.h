// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "engine/base/status.h"
#include "engine/exec/state/text_arena.h"
#include "engine/kernels/common/abi.h"
#include "engine/memory/buffer.h"

namespace shadowvm::exec {

// Distinct strings with ids that never change and copies that never move: keys of groups and joins
// by plain text. Thread-safe, in shards by hash so that workers seldom meet. Ids are below 2^32 but
// not dense.
class TextInterner {
 public:
  static constexpr uint32_t kShards = 64;

  explicit TextInterner(memory::MemoryBudget* budget);
  ~TextInterner();
  TextInterner(const TextInterner&) = delete;
  TextInterner& operator=(const TextInterner&) = delete;

  // The id of a string, added if it is new. kOutOfMemory leaves everything as it was.
  base::Result<uint32_t> Intern(const kernels::Text& text);
  // The same with its hash, which is hash_text's, and with the copy that stays.
  struct Interned {
    uint32_t id = 0;
    kernels::Text copy{};
  };
  base::Result<Interned> Intern(const kernels::Text& text, uint64_t hash);
  // The id of a string that is there, or kNoRow. Takes no lock: no Intern may run at the same time.
  uint32_t Find(const kernels::Text& text) const;
  // All strings, of which there are so many. No Intern may run at the same time.
  int64_t size() const;
  void ForEach(const std::function<void(uint32_t id, const kernels::Text& text)>& visit) const;
  // The copy of an interned string.
  kernels::Text At(uint32_t id) const;

 private:
  struct Shard;
  memory::MemoryBudget* budget_;
  std::array<std::unique_ptr<Shard>, kShards> shards_;
};

}  // namespace shadowvm::exec
