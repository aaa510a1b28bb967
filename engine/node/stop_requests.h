// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>

namespace shadowvm::node {

// What asks a process to stop: SIGTERM and SIGINT, waited for instead of handled (a handler could
// do nothing of what a stop needs), or SIGTERM and the end of its standard input, which comes
// whatever becomes of the process at its other end; SIGINT is that process's then.
class StopRequests {
 public:
  // Blocks the signals for this thread and those it starts. One object a process.
  explicit StopRequests(bool watch_input);
  ~StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  // Until something asks.
  void Wait();
  // True if a signal came within the time.
  bool WaitForSignal(std::chrono::milliseconds time);

 private:
  bool TakeSignal();

  const int signals_;
  const bool watch_input_;
};

}  // namespace shadowvm::node
