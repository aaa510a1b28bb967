// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/daemon.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "engine/node/address.h"
#include "engine/node/serving_node.h"
#include "engine/node/stop_requests.h"
#include "engine/plan/plan_builder.h"

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;

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

base::Status Stop(ServingNode* node, StopRequests* requests, std::chrono::milliseconds drain) {
  QueryRegistry& queries = node->queries();
  queries.Close();
  const auto deadline = std::chrono::system_clock::now() + drain;
  while (queries.counts().running > 0 && std::chrono::system_clock::now() < deadline) {
    if (requests->WaitForSignal(std::chrono::milliseconds(20))) break;
  }
  return node->Stop();
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
  SVM_ASSIGN_OR_RETURN(auto claim, SocketClaim::Make(path));
  SVM_ASSIGN_OR_RETURN(auto engine, exec::Engine::Make(options.engine));
  SVM_ASSIGN_OR_RETURN(const auto node,
                       ServingNode::Start(std::move(claim), std::move(engine),
                                          {path, options.version, options.shared_root,
                                           options.traces, options.policy}));
  SayReady(path, options.version);
  requests.Wait();
  std::fprintf(stderr, "shadowvm node: stopping\n");
  return Stop(node.get(), &requests, options.drain);
}

}  // namespace shadowvm::node
