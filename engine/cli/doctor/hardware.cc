// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <string>

#include "engine/cli/byte_size.h"
#include "engine/cli/doctor/finding.h"
#include "engine/cli/machine.h"

namespace shadowvm::cli {
namespace {

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

Finding FindCores() {
  const Machine machine = DescribeMachine();
  std::string text = std::to_string(machine.cores) + " usable, " + machine.cpu_model;
  if (machine.l3_bytes > 0) text += ", " + FormatBytes(machine.l3_bytes) + " L3";
  return {"cores", Finding::State::kGood, text};
}

Finding FindSimd() {
  const auto simd = DescribeMachine().simd;
  if (simd.empty())
    return {"simd", Finding::State::kLimited, "no AVX2: kernels run without wide vectors"};
  return {"simd", Finding::State::kGood, Join(simd)};
}

Finding FindMemory() {
  return {"memory", Finding::State::kGood, FormatBytes(DescribeMachine().memory_bytes)};
}

Finding FindHugePages() {
  const std::string setting = DescribeMachine().huge_pages;
  if (setting == "always" || setting == "madvise")
    return {"huge pages", Finding::State::kGood, setting};
  return {"huge pages", Finding::State::kLimited,
          setting +
              ": large columns lie on 4 KiB pages; echo madvise > "
              "/sys/kernel/mm/transparent_hugepage/enabled would help"};
}

}  // namespace shadowvm::cli
