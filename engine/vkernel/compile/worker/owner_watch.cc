// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker/owner_watch.h"

#include <poll.h>
#include <sys/resource.h>

#include <thread>

namespace shadowvm::vkernel {

// PR_SET_PDEATHSIG would not do: it fires when the *thread* that started the worker ends.
void EndWithOwner() {
  std::thread([] {
    for (;;) {
      pollfd owner{kOwnerSocket, 0, 0};
      if (::poll(&owner, 1, -1) > 0 && (owner.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
        ::_exit(0);
      }
    }
  }).detach();
}

void LeaveNoCore() {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

}  // namespace shadowvm::vkernel
