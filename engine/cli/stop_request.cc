// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/stop_request.h"

namespace shadowvm::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

bool IsIgnored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopRequest::StopRequest() {
  ::sigemptyset(&held_);
  for (const int signal : kSignals) {
    if (!IsIgnored(signal)) ::sigaddset(&held_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

StopRequest::~StopRequest() { Release(); }

void StopRequest::Release() const { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

base::Status StopRequest::Check() const {
  sigset_t pending;
  ::sigemptyset(&pending);
  ::sigpending(&pending);
  for (const int signal : kSignals) {
    if (::sigismember(&held_, signal) == 1 && ::sigismember(&pending, signal) == 1) {
      return base::MakeError(base::ErrorCode::kCancelled, "asked to stop by a signal");
    }
  }
  return base::Status::OK();
}

}  // namespace shadowvm::cli
