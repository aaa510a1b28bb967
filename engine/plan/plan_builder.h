// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/status.h"
#include "engine/plan/plan.h"
#include "shadowvm/v1/command.pb.h"

namespace shadowvm::plan {

inline constexpr uint32_t kProtocolVersion = 1;

// What a command may ask of the planner. Commands come from outside: nothing here is trusted to be
// small.
struct PlanLimits {
  int max_actions = 10'000;
  int max_columns = 10'000;               // of one action's output
  int64_t max_total_columns = 1'000'000;  // of all outputs together
  int max_expression_depth = 256;
  uint32_t max_expression_size = 1'000'000;  // nodes of one expression, after lowering
  int64_t max_bytes = int64_t{64} << 20;
};

// Reads a serialized command. kBadCommand when it is none, is too large or nests too deep;
// kUnsupported when it holds fields this engine does not know.
base::Result<v1::Command> ParseCommand(std::string_view bytes, const PlanLimits& limits = {});

// The typed plan of a command: names resolved, expressions typed, the root a sink. Errors name the
// action and the place in it: kBadCommand, kProtocolVersion, kUnknownColumn (with near matches),
// kTypeMismatch, kUnsupported, kUnsupportedType, and what the catalog answers. Nothing is rewritten
// yet: see rewrite.h.
base::Result<Plan> BuildPlan(const v1::Command& command, Catalog* catalog,
                             const PlanLimits& limits = {});

}  // namespace shadowvm::plan
