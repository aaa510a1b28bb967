// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schedule/side.h"
#include "engine/schedule/speed.h"

namespace shadowvm::schedule {

// How work is split between the sides in mode mixed.
enum class PolicyKind : uint8_t {
  kGuided,   // one list: the card takes batches from its front, cores take units from its back
  kElastic,  // k folds, the first one split evenly, the next ones by what was learned
  kApriori,  // split once, by what earlier runs of the same kernel have shown
  kStatic,   // split once, as told, and never balanced: what the others are compared with
};

struct PolicyChoice {
  PolicyKind kind = PolicyKind::kGuided;
  int gpu_percent = 50;  // static
};

// "guided", "elastic", "apriori", "static:PERCENT" (the card's); nothing: it is none of them.
std::optional<PolicyChoice> ParsePolicy(std::string_view text);
std::string ToText(const PolicyChoice& choice);

// Decides which units of a list a side works on next. Knows neither threads nor time: MixedSchedule
// asks it, and does the rest.
class Policy {
 public:
  virtual ~Policy() = default;

  // The next units of a side, at most 'most' of them; none: nothing of what is left is its.
  virtual UnitRange Take(Side side, int64_t most, const Speeds& speeds) = 0;
  // Units that are meant for the other side, which has not begun them: for a side that has nothing
  // left of its own.
  virtual UnitRange TakeOver(Side side, int64_t most) = 0;
  // Units that nobody has taken yet.
  virtual int64_t num_waiting() const = 0;
};

// 'speeds' are those remembered; apriori splits by them.
std::unique_ptr<Policy> MakePolicy(const PolicyChoice& choice, int64_t num_units,
                                   const Speeds& speeds);

}  // namespace shadowvm::schedule
