// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/flight/server.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/exec/engine.h"
#include "engine/node/lease_keeper.h"
#include "engine/node/query_registry.h"
#include "engine/node/session_registry.h"

namespace shadowvm::node {

// The Flight side of a node: every call as proto/shadowvm/v1/node_service.proto lays it out. Errors
// become Flight's here and nowhere else.
class NodeService : public arrow::flight::FlightServerBase {
 public:
  // 'version' is the program's, told to clients.
  NodeService(std::unique_ptr<exec::Engine> engine, std::string version);
  ~NodeService() override;

  QueryRegistry& queries() { return queries_; }

  arrow::Status GetFlightInfo(const arrow::flight::ServerCallContext& context,
                              const arrow::flight::FlightDescriptor& descriptor,
                              std::unique_ptr<arrow::flight::FlightInfo>* info) override;
  arrow::Status DoGet(const arrow::flight::ServerCallContext& context,
                      const arrow::flight::Ticket& ticket,
                      std::unique_ptr<arrow::flight::FlightDataStream>* stream) override;
  arrow::Status DoAction(const arrow::flight::ServerCallContext& context,
                         const arrow::flight::Action& action,
                         std::unique_ptr<arrow::flight::ResultStream>* results) override;
  arrow::Status ListActions(const arrow::flight::ServerCallContext& context,
                            std::vector<arrow::flight::ActionType>* actions) override;

 private:
  using Context = arrow::flight::ServerCallContext;
  // Bodies of an action: in, and out.
  using Handler = base::Result<std::string> (NodeService::*)(const std::string& session,
                                                             const std::string& body);
  struct ActionEntry {
    const char* name;
    const char* description;
    bool needs_session;
    Handler handler;
  };
  static const std::vector<ActionEntry>& Actions();

  base::Result<std::string> Handshake(const std::string& session, const std::string& body);
  base::Result<std::string> KeepAlive(const std::string& session, const std::string& body);
  base::Result<std::string> CloseSession(const std::string& session, const std::string& body);
  base::Result<std::string> Validate(const std::string& session, const std::string& body);
  base::Result<std::string> Cancel(const std::string& session, const std::string& body);
  base::Result<std::string> Describe(const std::string& session, const std::string& body);
  base::Result<std::string> DropTables(const std::string& session, const std::string& body);

  // The session of a call, its lease renewed.
  base::Result<std::string> SessionOf(const Context& context);
  void Renew(const std::string& session);
  base::Result<std::string> Act(const Context& context, const arrow::flight::Action& action);
  base::Result<std::shared_ptr<Query>> Register(const std::string& session,
                                                const std::string& request);
  base::Result<std::unique_ptr<arrow::flight::FlightDataStream>> Fetch(
      const Context& context, const arrow::flight::Ticket& ticket);
  // Runs the query, or joins whoever runs it, until it has finished.
  base::Status Complete(const Context& context, const std::string& session, Query* query);
  void Await(const Context& context, const std::string& session, Query* query);

  const std::unique_ptr<exec::Engine> engine_;
  const std::string version_;
  const TimePoint started_;
  SessionRegistry sessions_;
  QueryRegistry queries_;
  LeaseKeeper keeper_;
};

}  // namespace shadowvm::node
