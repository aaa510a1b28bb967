// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/engine_options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "engine/cli/byte_size.h"
#include "engine/cli/machine.h"
#include "engine/exec/default_memory.h"

namespace shadowvm::cli {
namespace {

std::string CheckSize(const std::string& text) {
  const auto bytes = ParseBytes(text);
  return bytes.ok() ? "" : bytes.status().message();
}

}  // namespace

void AddEngineOptions(CLI::App* command, int* threads, int64_t* memory_bytes) {
  *threads = NumUsableCores();
  *memory_bytes = exec::DefaultMemoryBytes();
  command->add_option("--threads", *threads, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  AddSizeOption(command, "--memory", memory_bytes,
                "Memory budget, such as 3G (default: half of the machine's)");
}

CLI::Option* AddSizeOption(CLI::App* command, const std::string& name, int64_t* bytes,
                           const std::string& explanation) {
  return command
      ->add_option_function<std::string>(
          name,
          [bytes](const std::string& text) {
            *bytes = ParseBytes(text).ValueOr(*bytes);  // checked before
          },
          explanation)
      ->check(CheckSize, "SIZE");
}

void WarnOfKernelsNotKept(const vkernel::KernelCacheStats& stats) {
  if (stats.disk_warning.empty()) return;
  std::fprintf(stderr, "shadowvm: kernels are not kept, the next start compiles again: %s\n",
               stats.disk_warning.c_str());
}

}  // namespace shadowvm::cli
