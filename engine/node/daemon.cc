// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/daemon.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "engine/node/address.h"
#include "engine/node/node_service.h"
#include "engine/node/socket_claim.h"
#include "engine/node/stop_requests.h"
#include "engine/plan/plan_builder.h"

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;
namespace flight = arrow::flight;
using SystemClock = std::chrono::system_clock;

// How long calls may take to send what they have once their queries are over.
constexpr std::chrono::seconds kLastWords{2};

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

// One line for the program that started us, which may read it and then connect, and one for people.
void SayReady(const fs::path& path, const std::string& version) {
  const nlohmann::json ready = {{"event", "ready"},
                                {"address", "unix:" + path.string()},
                                {"pid", static_cast<int>(::getpid())},
                                {"protocol", plan::kProtocolVersion},
                                {"version", version}};
  std::printf("%s\n", ready.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  std::fflush(stdout);
  std::fprintf(stderr, "shadowvm node: listening on unix:%s; Ctrl-C ends it\n", path.c_str());
}

base::Status Stop(NodeService* service, StopRequests* requests, std::chrono::milliseconds drain) {
  QueryRegistry& queries = service->queries();
  queries.Close();
  const auto deadline = SystemClock::now() + drain;
  while (queries.counts().running > 0 && SystemClock::now() < deadline) {
    if (requests->WaitForSignal(std::chrono::milliseconds(20))) break;
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
  // Whoever reads our output may end before us; that must not keep us from tidying up.
  std::signal(SIGPIPE, SIG_IGN);
  StopRequests requests(options.exit_with_input);
  SVM_ASSIGN_OR_RETURN(const auto claim, SocketClaim::Make(path));
  SVM_ASSIGN_OR_RETURN(auto engine, exec::Engine::Make(options.engine));
  NodeService service(std::move(engine), options.version, options.shared_root);
  SVM_RETURN_NOT_OK(Listen(&service, path));
  SayReady(path, options.version);
  requests.Wait();
  std::fprintf(stderr, "shadowvm node: stopping\n");
  return Stop(&service, &requests, options.drain);
}

}  // namespace shadowvm::node
