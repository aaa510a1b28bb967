// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/plan/plan.h"

namespace shadowvm::plan {

enum class Reason : uint8_t {
#define SVM_REASON(reason, name, text) reason,
#include "engine/plan/reason_table.inc"
#undef SVM_REASON
};
std::string_view NameOf(Reason reason);  // "CAST_PAIR"; empty for kNone
std::string_view TextOf(Reason reason);

// Whether an action can be run exactly, or why not.
struct ActionSupport {
  uint32_t action_id = 0;
  bool supported = true;
  Reason reason = Reason::kNone;
  std::string text;             // the reason with the types it is about
  std::string expression_path;  // "conjuncts[0].args[1]"; empty: the action itself
};

// In the order of the plan's nodes: one entry for an action that is supported, one per reason for
// one that is not.
std::vector<ActionSupport> CheckSupport(const Plan& plan);

// kUnsupported naming the first unsupported action, its place and reason; OK if there is none.
base::Status RequireSupport(const Plan& plan);

}  // namespace shadowvm::plan
