// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <thread>

namespace shadowvm::base {

// Waits on its core, which it offers to others, until done() or for as long as 'limit'. For what is
// about to happen: waking up takes longer. done() is asked at least once.
template <typename Done>
void WaitAwake(std::chrono::microseconds limit, const Done& done) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!done() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

}  // namespace shadowvm::base
