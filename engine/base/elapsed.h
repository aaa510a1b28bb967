// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>

namespace shadowvm::base {

// For single durations; stages of a query are measured by spans.
inline double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count();
}

}  // namespace shadowvm::base
