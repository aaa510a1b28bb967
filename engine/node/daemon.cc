// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/daemon.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>

#include "engine/node/address.h"
#include "engine/node/node_service.h"
#include "engine/node/socket_claim.h"
#include "engine/plan/plan_builder.h"

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;
namespace flight = arrow::flight;
using SystemClock = std::chrono::system_clock;

// How long calls may take to send what they have once their queries are over.
constexpr std::chrono::seconds kLastWords{2};

// SIGTERM and SIGINT, waited for instead of handled: a handler could do nothing of what a stop
// needs.
class StopSignals {
 public:
  StopSignals() {
    ::sigemptyset(&signals_);
    ::sigaddset(&signals_, SIGTERM);
    ::sigaddset(&signals_, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void Wait() {
    int signal = 0;
    ::sigwait(&signals_, &signal);
  }
  // True if one came within the time.
  bool WaitFor(std::chrono::milliseconds time) {
    const timespec limit{time.count() / 1000, (time.count() % 1000) * 1'000'000};
    return ::sigtimedwait(&signals_, nullptr, &limit) > 0;
  }

 private:
  sigset_t signals_;
};

// The socket gets the mode 0600 when it is made, not after: there is no moment at which others
// could connect, whatever its folder's mode.
base::Status Listen(NodeService* service, const fs::path& path) {
  SVM_ASSIGN_OR_RETURN(const auto location, flight::Location::ForGrpcUnix(path.string()));
  const mode_t previous = ::umask(0177);
  base::Status status = service->Init(flight::FlightServerOptions(location));
  ::umask(previous);
  if (status.ok()) return status;
  return base::MakeError(base::ErrorCode::kBadAddress, path.string() + ": " + status.message());
}

base::Status Stop(NodeService* service, StopSignals* signals, std::chrono::milliseconds drain) {
  QueryRegistry& queries = service->queries();
  queries.Close();
  const auto deadline = SystemClock::now() + drain;
  while (queries.counts().running > 0 && SystemClock::now() < deadline) {
    if (signals->WaitFor(std::chrono::milliseconds(20))) break;
  }
  const auto last_words = SystemClock::now() + kLastWords;
  if (queries.counts().running > 0) queries.CancelAll();
  return service->Shutdown(&last_words);
}

}  // namespace

base::Status RunNode(const NodeOptions& options) {
  fs::path path = DefaultSocketPath();
  if (!options.address.empty()) {
    SVM_ASSIGN_OR_RETURN(path, SocketPath(options.address));
  }
  StopSignals signals;
  SVM_ASSIGN_OR_RETURN(const auto claim, SocketClaim::Make(path));
  SVM_ASSIGN_OR_RETURN(auto engine, exec::Engine::Make(options.engine));
  NodeService service(std::move(engine), options.version);
  SVM_RETURN_NOT_OK(Listen(&service, path));
  std::printf("shadowvm node: listening on unix:%s (process %d, protocol %u)\n", path.c_str(),
              static_cast<int>(::getpid()), plan::kProtocolVersion);
  std::fflush(stdout);
  signals.Wait();
  std::printf("shadowvm node: stopping\n");
  std::fflush(stdout);
  return Stop(&service, &signals, options.drain);
}

}  // namespace shadowvm::node
