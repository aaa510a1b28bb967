// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <array>
#include <cstdint>

namespace shadowvm::schedule {

// Who works on a pipeline in mode mixed: cores, or the card.
enum class Side : uint8_t { kCpu, kGpu };
inline constexpr int kNumSides = 2;
inline constexpr std::array<Side, kNumSides> kSides = {Side::kCpu, Side::kGpu};

constexpr Side Other(Side side) { return side == Side::kCpu ? Side::kGpu : Side::kCpu; }
constexpr const char* NameOf(Side side) { return side == Side::kCpu ? "cpu" : "gpu"; }

template <typename T>
class BySide {
 public:
  T& operator[](Side side) { return values_[static_cast<size_t>(side)]; }
  const T& operator[](Side side) const { return values_[static_cast<size_t>(side)]; }

 private:
  std::array<T, kNumSides> values_{};
};

// Units [begin, end) of a pipeline's list of partitions.
struct UnitRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  UnitRange TakeFront(int64_t most) {
    const UnitRange taken{begin, size() < most ? end : begin + most};
    begin = taken.end;
    return taken;
  }
  UnitRange TakeBack(int64_t most) {
    const UnitRange taken{size() < most ? begin : end - most, end};
    end = taken.begin;
    return taken;
  }
  bool operator==(const UnitRange&) const = default;
};

}  // namespace shadowvm::schedule
