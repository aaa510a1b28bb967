// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/serving_node.h"

#include <sys/stat.h>

#include <chrono>
#include <utility>

namespace shadowvm::node {
namespace {

namespace flight = arrow::flight;

// How long calls may take to send what they have once their queries are over.
constexpr std::chrono::seconds kLastWords{2};

// The socket gets the mode 0600 when it is made, not after: there is no moment at which others
// could connect, whatever its folder's mode.
base::Status Listen(NodeService* service, const std::filesystem::path& path) {
  SVM_ASSIGN_OR_RETURN(const auto location, flight::Location::ForGrpcUnix(path.string()));
  const mode_t previous = ::umask(0177);
  base::Status status = service->Init(flight::FlightServerOptions(location));
  ::umask(previous);
  if (status.ok()) return status;
  return base::MakeError(base::ErrorCode::kBadAddress, path.string() + ": " + status.message());
}

}  // namespace

base::Result<std::unique_ptr<ServingNode>> ServingNode::Start(std::unique_ptr<exec::Engine> engine,
                                                              const Options& options) {
  SVM_ASSIGN_OR_RETURN(auto claim, SocketClaim::Make(options.socket));
  return Start(std::move(claim), std::move(engine), options);
}

base::Result<std::unique_ptr<ServingNode>> ServingNode::Start(std::unique_ptr<SocketClaim> claim,
                                                              std::unique_ptr<exec::Engine> engine,
                                                              const Options& options) {
  std::unique_ptr<TraceFolder> traces;
  if (!options.traces.path.empty()) {
    SVM_ASSIGN_OR_RETURN(traces, TraceFolder::Make(options.traces));
  }
  auto service = std::make_unique<NodeService>(
      std::move(engine), options.version, options.shared_root, std::move(traces), options.policy);
  SVM_RETURN_NOT_OK(Listen(service.get(), claim->path()));
  return std::unique_ptr<ServingNode>(new ServingNode(std::move(claim), std::move(service)));
}

base::Status ServingNode::Stop() {
  if (service_ == nullptr) return base::Status::OK();
  QueryRegistry& queries = service_->queries();
  queries.Close();
  const auto last_words = std::chrono::system_clock::now() + kLastWords;
  if (queries.counts().running > 0) queries.CancelAll();
  const base::Status status = service_->Shutdown(&last_words);
  service_.reset();
  return status;
}

ServingNode::~ServingNode() { static_cast<void>(Stop()); }

}  // namespace shadowvm::node
