// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/cli/ssb/random.h"

// The word lists of the benchmark's specification.
namespace shadowvm::cli::ssb {

struct Nation {
  std::string_view name;
  std::string_view region;
};

inline constexpr int kNumNations = 25;
inline constexpr int kCitiesPerNation = 10;
extern const std::array<Nation, kNumNations> kNations;

extern const std::array<std::string_view, 92> kColours;
extern const std::array<std::string_view, 5> kMarketSegments;
extern const std::array<std::string_view, 5> kOrderPriorities;
extern const std::array<std::string_view, 7> kShipModes;

// The nation's first nine characters, padded with blanks, and a digit: "UNITED KI1", "CHINA    4".
std::string CityName(std::string_view nation, int digit);
// "25-989-741-2988": the country code is the nation's number plus ten.
std::string PhoneNumber(int nation, uint64_t bits);
// One of 150: "STANDARD POLISHED BRASS".
std::string PartType(const RandomStream& stream, uint64_t row);
// One of 40: "JUMBO PKG".
std::string Container(const RandomStream& stream, uint64_t row);
// "Customer#000000042".
std::string NumberedName(std::string_view prefix, int64_t key);

}  // namespace shadowvm::cli::ssb
