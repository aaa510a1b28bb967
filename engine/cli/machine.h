// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace shadowvm::cli {

// What a result was measured on.
struct Machine {
  std::string cpu_model;
  int cores = 0;
  int64_t memory_bytes = 0;
  std::vector<std::string> simd;  // "avx2", "avx512bw", …
  std::string kernel;
  int64_t l3_bytes = 0;  // 0: not known
  std::string
      huge_pages;  // the transparent huge page setting: "always", "madvise", "never", "unknown"
};

Machine DescribeMachine();
nlohmann::json ToJson(const Machine& machine);

// The cores this process may run on, which in a container are fewer than the machine's.
int NumUsableCores();

}  // namespace shadowvm::cli
