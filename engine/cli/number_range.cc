// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/number_range.h"

#include <sstream>
#include <string>

namespace shadowvm::cli {
namespace {

template <typename T>
CLI::Validator In(T least, T most, const std::string& kind) {
  std::ostringstream bounds;
  bounds << kind << " from " << least << " to " << most;
  const std::string wanted = bounds.str();
  const auto check = [least, most, wanted](const std::string& text) -> std::string {
    T value{};
    // As the option itself will read it.
    if (!CLI::detail::lexical_cast(text, value)) return "'" + text + "' is not " + wanted;
    return value >= least && value <= most ? "" : text + " is not " + wanted;
  };
  return CLI::Validator(check, wanted);
}

}  // namespace

CLI::Validator NumberIn(double least, double most) { return In(least, most, "a number"); }

CLI::Validator WholeNumberIn(int64_t least, int64_t most) {
  return In(least, most, "a whole number");
}

}  // namespace shadowvm::cli
