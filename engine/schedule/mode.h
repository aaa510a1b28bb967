// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shadowvm::schedule {

// Which processors work on a query's rows (v1::Mode): the engine's choice for each pipeline, cores
// alone, the GPU and cores where it cannot, both at once.
enum class Mode : uint8_t { kAuto, kCpu, kGpu, kMixed };

constexpr std::string_view NameOf(Mode mode) {
  switch (mode) {
    case Mode::kAuto:
      return "auto";
    case Mode::kCpu:
      return "cpu";
    case Mode::kGpu:
      return "gpu";
    case Mode::kMixed:
      return "mixed";
  }
  return "";
}

// By its name.
constexpr std::optional<Mode> ParseMode(std::string_view name) {
  for (const Mode mode : {Mode::kAuto, Mode::kCpu, Mode::kGpu, Mode::kMixed}) {
    if (NameOf(mode) == name) return mode;
  }
  return std::nullopt;
}

}  // namespace shadowvm::schedule
