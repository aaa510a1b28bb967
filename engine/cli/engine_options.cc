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
  command
      ->add_option_function<std::string>(
          "--memory",
          [memory_bytes](const std::string& text) {
            *memory_bytes = ParseBytes(text).ValueOr(*memory_bytes);  // checked before
          },
          "Memory budget, such as 3G (default: half of the machine's)")
      ->check(CheckSize, "SIZE");
}

void WarnOfKernelsNotKept(const vkernel::KernelCacheStats& stats) {
  if (stats.disk_warning.empty()) return;
  std::fprintf(stderr, "shadowvm: kernels are not kept, the next start compiles again: %s\n",
               stats.disk_warning.c_str());
}

}  // namespace shadowvm::cli
