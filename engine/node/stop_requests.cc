// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/stop_requests.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace shadowvm::node {
namespace {

int OpenSignals(bool watch_input) {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  // A terminal sends Ctrl-C to all processes of a job. It is meant for the program that started us,
  // which may end a query with it and go on; our compile workers ignore it as well then, as they
  // inherit this.
  if (watch_input) {
    std::signal(SIGINT, SIG_IGN);
  } else {
    ::sigaddset(&signals, SIGINT);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

// What is written there means nothing to us.
bool InputHasEnded() {
  char ignored[4096];
  const ssize_t got = ::read(STDIN_FILENO, ignored, sizeof ignored);
  return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

}  // namespace

StopRequests::StopRequests(bool watch_input)
    : signals_(OpenSignals(watch_input)), watch_input_(watch_input) {}

StopRequests::~StopRequests() { ::close(signals_); }

bool StopRequests::TakeSignal() {
  signalfd_siginfo signal;
  return ::read(signals_, &signal, sizeof signal) == sizeof signal;
}

void StopRequests::Wait() {
  pollfd watched[] = {{signals_, POLLIN, 0}, {watch_input_ ? STDIN_FILENO : -1, POLLIN, 0}};
  for (;;) {
    if (::poll(watched, 2, -1) < 0) continue;
    if (TakeSignal()) return;
    if (watched[1].revents != 0 && InputHasEnded()) return;
  }
}

bool StopRequests::WaitForSignal(std::chrono::milliseconds time) {
  pollfd watched{signals_, POLLIN, 0};
  return ::poll(&watched, 1, static_cast<int>(time.count())) > 0 && TakeSignal();
}

}  // namespace shadowvm::node
