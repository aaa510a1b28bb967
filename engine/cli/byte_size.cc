// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/byte_size.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace shadowvm::cli {
namespace {

constexpr std::string_view kUnits = "KMGT";

base::Status BadSize(std::string_view text) {
  return base::Status::Invalid("'", text, "' is not a size: write 3G, 512M or a number of bytes");
}

// What the number is multiplied with, from what follows it; 0 if that is no unit.
double FactorOf(std::string_view suffix) {
  if (suffix.ends_with('B')) suffix.remove_suffix(1);
  const bool binary = suffix.size() == 2 && suffix[1] == 'i';
  if (binary) suffix.remove_suffix(1);
  if (suffix.empty()) return 1;
  const auto unit =
      kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[0]))));
  if (suffix.size() > 1 || unit == std::string_view::npos) return 0;
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(unit + 1));
}

}  // namespace

base::Result<int64_t> ParseBytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const double factor = error == std::errc() ? FactorOf(text.substr(end - text.data())) : 0;
  if (factor == 0 || !(number >= 0)) return BadSize(text);
  const double bytes = number * factor;
  if (bytes >= 9e18) return BadSize(text);
  return static_cast<int64_t>(bytes);
}

std::string FormatBytes(int64_t bytes) {
  static constexpr const char* kNames[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, value < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", value,
                kNames[unit]);
  return text;
}

}  // namespace shadowvm::cli
