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

// What follows the number: a power of 1024, or -1.
int PowerOf(std::string_view suffix) {
  if (suffix.empty() || suffix == "B") return 0;
  const auto unit =
      kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[0]))));
  if (unit == std::string_view::npos) return -1;
  const std::string_view rest = suffix.substr(1);
  return rest.empty() || rest == "i" || rest == "iB" || rest == "B" ? static_cast<int>(unit) + 1
                                                                    : -1;
}

}  // namespace

base::Result<int64_t> ParseBytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const int power = error == std::errc() ? PowerOf(text.substr(end - text.data())) : -1;
  if (power < 0 || !(number >= 0)) return BadSize(text);
  const double bytes = number * std::pow(1024.0, power);
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
