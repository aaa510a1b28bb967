// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <vector>

#include "engine/exec/gpu/launch_writer.h"
#include "engine/exec/kernel_binding.h"

namespace shadowvm::exec {

// Where bytes of strings came from that a kernel has found in the device's memory.
class TextOrigins {
 public:
  // Asks others, which outlive it, for what it does not know.
  explicit TextOrigins(TextOrigins* others = nullptr) : others_(others) {}

  void Add(device::DeviceAddress address, const void* host, int64_t bytes);
  // The same string in the host's memory; any that is empty is one without an address. kInternal if
  // nobody has told of it.
  base::Result<kernels::Text> Find(const kernels::Text& on_device);

 private:
  struct Origin {
    device::DeviceAddress begin = 0;
    const char* host = nullptr;
    int64_t bytes = 0;
  };
  TextOrigins* others_;
  std::vector<Origin> origins_;
  bool is_sorted_ = true;
};

// Strings of the host, some of which may be null.
struct TextList {
  const kernels::Text* texts = nullptr;
  const kernels::u8* valid = nullptr;  // a byte each; null: all are
  int64_t count = 0;
};

// Strings that a kernel reads beside those of its segments, as they are when a run begins.
struct LaunchTexts {
  std::vector<TextList> columns;   // by column: its dictionary
  std::vector<TextList> payloads;  // by payload: its dictionary, or build rows
  std::vector<TextList> keys;      // by slot of a hash table: those of its keys, where looked up
  bool empty = true;
  bool leave = false;  // rows or groups have strings when they leave
};
// kUnsupported: they are more than are worth bringing.
base::Result<LaunchTexts> FindTexts(const PipelineBinding& binding);

// Brings strings to the device, bytes and all; says where they come from if asked to.
class TextWriter {
 public:
  TextWriter(LaunchWriter* writer, TextOrigins* origins) : writer_(*writer), origins_(origins) {}

  const kernels::Text* Write(const TextList& list);
  kernels::Text Write(const kernels::Text& text);

 private:
  LaunchWriter& writer_;
  TextOrigins* const origins_;  // null: nobody asks
};

}  // namespace shadowvm::exec
