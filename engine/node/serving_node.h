// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/status.h"
#include "engine/exec/engine.h"
#include "engine/node/node_service.h"
#include "engine/node/socket_claim.h"

namespace shadowvm::node {

// A service that answers on its socket, from threads of its own, until the object goes: what a
// daemon keeps for its life, and what a benchmark has beside itself.
class ServingNode {
 public:
  struct Options {
    std::filesystem::path socket = {};
    std::string version = {};
    std::filesystem::path shared_root = "/dev/shm";
    TraceFolderOptions traces = {};
    schedule::PolicyChoice policy = {};  // mode mixed
  };
  static base::Result<std::unique_ptr<ServingNode>> Start(std::unique_ptr<exec::Engine> engine,
                                                          const Options& options);
  // With the socket claimed already: before an engine was made for nothing.
  static base::Result<std::unique_ptr<ServingNode>> Start(std::unique_ptr<SocketClaim> claim,
                                                          std::unique_ptr<exec::Engine> engine,
                                                          const Options& options);
  ~ServingNode();
  ServingNode(const ServingNode&) = delete;
  ServingNode& operator=(const ServingNode&) = delete;

  // Cancels what runs, and ends.
  base::Status Stop();

  const std::filesystem::path& socket() const { return claim_->path(); }
  QueryRegistry& queries() { return service_->queries(); }

 private:
  ServingNode(std::unique_ptr<SocketClaim> claim, std::unique_ptr<NodeService> service)
      : claim_(std::move(claim)), service_(std::move(service)) {}

  std::unique_ptr<SocketClaim> claim_;
  std::unique_ptr<NodeService> service_;
};

}  // namespace shadowvm::node
