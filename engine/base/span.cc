// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/span.h"

namespace shadowvm::base {

std::string_view NameOf(Stage stage) {
  constexpr std::string_view kNames[kNumStages] = {"plan", "render", "compile",
                                                   "scan", "run",    "merge"};
  return kNames[static_cast<int>(stage)];
}

}  // namespace shadowvm::base
