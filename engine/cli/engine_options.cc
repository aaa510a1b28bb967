// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/engine_options.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "engine/cli/byte_size.h"
#include "engine/cli/machine.h"
#include "engine/cli/number_range.h"
#include "engine/exec/default_memory.h"

namespace shadowvm::cli {
namespace {

std::string CheckSize(const std::string& text) {
  const auto bytes = ParseBytes(text);
  if (!bytes.ok()) return bytes.status().message();
  return *bytes > 0 ? "" : "'" + text + "' leaves nothing: leave the option out for the default";
}

std::string CheckPolicy(const std::string& text) {
  if (schedule::ParsePolicy(text).has_value()) return "";
  return "'" + text + "' is none of guided, elastic, apriori and static:PERCENT";
}

}  // namespace

void AddEngineOptions(CLI::App* command, int* threads, int64_t* memory_bytes) {
  *threads = NumUsableCores();
  *memory_bytes = exec::DefaultMemoryBytes();
  command->add_option("--threads", *threads, "Threads (default: one per core)")
      ->check(WholeNumberIn(1, 1024));
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

void AddGpuLimitOption(CLI::App* command, std::chrono::milliseconds* limit) {
  constexpr double kDay = 86400;
  const double seconds = std::chrono::duration<double>(*limit).count();
  command
      ->add_option_function<double>(
          kGpuLimitOption,
          [limit](double given) {
            *limit = std::chrono::milliseconds(static_cast<int64_t>(given * 1000));
          },
          "Seconds after which a kernel on the GPU is taken to hang")
      ->check(NumberIn(0.001, kDay))
      ->default_str(std::to_string(std::lround(seconds)));
}

CLI::Option* AddPolicyOption(CLI::App* command, schedule::PolicyChoice* policy) {
  return command
      ->add_option_function<std::string>(
          "--policy",
          [policy](const std::string& text) { *policy = schedule::ParsePolicy(text).value(); },
          "How modes mixed and auto split the rows: guided (default), elastic, apriori, or "
          "static:PERCENT, the GPU's")
      ->check(CheckPolicy);
}

void WarnOfGpu(const std::string& text) { std::fprintf(stderr, "shadowvm: %s\n", text.c_str()); }

void WarnOfKernelsNotKept(const vkernel::KernelCacheStats& stats) {
  if (stats.disk_warning.empty()) return;
  std::fprintf(stderr, "shadowvm: kernels are not kept, the next start compiles again: %s\n",
               stats.disk_warning.c_str());
}

}  // namespace shadowvm::cli
