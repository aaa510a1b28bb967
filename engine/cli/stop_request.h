// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <csignal>

#include "engine/base/status.h"

namespace shadowvm::cli {

// While it lives, Ctrl-C and SIGTERM wait: long work asks now and then, stops as it would for an
// error, and leaves nothing half-written. The signal then takes its usual course when this goes, so
// that whoever sent it sees a process that it ended. Make it before threads, which inherit what is
// blocked. Signals that the caller ignores stay ignored.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // kCancelled once a signal has come.
  base::Status Check() const;
  // Signals take their usual course from now on, in the calling thread: one that waits ends the
  // process here.
  void Release() const;

 private:
  sigset_t held_;
  sigset_t before_;
};

}  // namespace shadowvm::cli
