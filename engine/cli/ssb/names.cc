// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/names.h"

#include <cstdio>

namespace shadowvm::cli::ssb {

const std::array<Nation, kNumNations> kNations = {{
    {"ALGERIA", "AFRICA"},
    {"ARGENTINA", "AMERICA"},
    {"BRAZIL", "AMERICA"},
    {"CANADA", "AMERICA"},
    {"EGYPT", "MIDDLE EAST"},
    {"ETHIOPIA", "AFRICA"},
    {"FRANCE", "EUROPE"},
    {"GERMANY", "EUROPE"},
    {"INDIA", "ASIA"},
    {"INDONESIA", "ASIA"},
    {"IRAN", "MIDDLE EAST"},
    {"IRAQ", "MIDDLE EAST"},
    {"JAPAN", "ASIA"},
    {"JORDAN", "MIDDLE EAST"},
    {"KENYA", "AFRICA"},
    {"MOROCCO", "AFRICA"},
    {"MOZAMBIQUE", "AFRICA"},
    {"PERU", "AMERICA"},
    {"CHINA", "ASIA"},
    {"ROMANIA", "EUROPE"},
    {"SAUDI ARABIA", "MIDDLE EAST"},
    {"VIETNAM", "ASIA"},
    {"RUSSIA", "EUROPE"},
    {"UNITED KINGDOM", "EUROPE"},
    {"UNITED STATES", "AMERICA"},
}};

const std::array<std::string_view, 92> kColours = {
    "almond",   "antique",   "aquamarine", "azure",      "beige",     "bisque",    "black",
    "blanched", "blue",      "blush",      "brown",      "burlywood", "burnished", "chartreuse",
    "chiffon",  "chocolate", "coral",      "cornflower", "cornsilk",  "cream",     "cyan",
    "dark",     "deep",      "dim",        "dodger",     "drab",      "firebrick", "floral",
    "forest",   "frosted",   "gainsboro",  "ghost",      "goldenrod", "green",     "grey",
    "honeydew", "hot",       "indian",     "ivory",      "khaki",     "lace",      "lavender",
    "lawn",     "lemon",     "light",      "lime",       "linen",     "magenta",   "maroon",
    "medium",   "metallic",  "midnight",   "mint",       "misty",     "moccasin",  "navajo",
    "navy",     "olive",     "orange",     "orchid",     "pale",      "papaya",    "peach",
    "peru",     "pink",      "plum",       "powder",     "puff",      "purple",    "red",
    "rose",     "rosy",      "royal",      "saddle",     "salmon",    "sandy",     "seashell",
    "sienna",   "sky",       "slate",      "smoke",      "snow",      "spring",    "steel",
    "tan",      "thistle",   "tomato",     "turquoise",  "violet",    "wheat",     "white",
    "yellow",
};

const std::array<std::string_view, 5> kMarketSegments = {"AUTOMOBILE", "BUILDING", "FURNITURE",
                                                         "HOUSEHOLD", "MACHINERY"};
const std::array<std::string_view, 5> kOrderPriorities = {"1-URGENT", "2-HIGH", "3-MEDIUM",
                                                          "4-NOT SPECI", "5-LOW"};
const std::array<std::string_view, 7> kShipModes = {"REG AIR", "AIR",  "RAIL", "SHIP",
                                                    "TRUCK",   "MAIL", "FOB"};

std::string CityName(std::string_view nation, int digit) {
  std::string city(nation.substr(0, 9));
  city.resize(9, ' ');
  city.push_back(static_cast<char>('0' + digit));
  return city;
}

std::string PhoneNumber(int nation, uint64_t bits) {
  char text[32];
  std::snprintf(text, sizeof text, "%02d-%03d-%03d-%04d", 10 + nation,
                static_cast<int>(100 + bits % 900), static_cast<int>(100 + (bits >> 16) % 900),
                static_cast<int>(1000 + (bits >> 32) % 9000));
  return text;
}

std::string PartType(const RandomStream& stream, uint64_t row) {
  static constexpr std::array<std::string_view, 6> kGrades = {"STANDARD", "SMALL",   "MEDIUM",
                                                              "LARGE",    "ECONOMY", "PROMO"};
  static constexpr std::array<std::string_view, 5> kFinishes = {"ANODIZED", "BURNISHED", "PLATED",
                                                                "POLISHED", "BRUSHED"};
  static constexpr std::array<std::string_view, 5> kMetals = {"TIN", "NICKEL", "BRASS", "STEEL",
                                                              "COPPER"};
  const int type = stream.Uniform(row, 0, 149);
  std::string text(kGrades[type / 25]);
  text.append(" ").append(kFinishes[type / 5 % 5]).append(" ").append(kMetals[type % 5]);
  return text;
}

std::string Container(const RandomStream& stream, uint64_t row) {
  static constexpr std::array<std::string_view, 5> kSizes = {"SM", "MED", "LG", "JUMBO", "WRAP"};
  static constexpr std::array<std::string_view, 8> kKinds = {"CASE", "BOX", "BAG", "JAR",
                                                             "PACK", "PKG", "CAN", "DRUM"};
  const int container = stream.Uniform(row, 0, 39);
  std::string text(kSizes[container / 8]);
  text.append(" ").append(kKinds[container % 8]);
  return text;
}

std::string NumberedName(std::string_view prefix, int64_t key) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "#%09lld", static_cast<long long>(key));
  return std::string(prefix) + digits;
}

}  // namespace shadowvm::cli::ssb
