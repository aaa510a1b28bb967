// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "engine/node/command_check.h"
#include "engine/node/devices.h"
#include "engine/node/flight_error.h"
#include "engine/node/metrics.h"
#include "engine/node/node_service.h"
#include "engine/plan/plan_builder.h"
#include "shadowvm/v1/node_service.pb.h"

// The actions of the service, one function each.
namespace shadowvm::node {
namespace {

namespace flight = arrow::flight;
using base::ErrorCode;
using base::MakeError;

constexpr uint32_t kDefaultLease = 30'000;
constexpr uint32_t kShortestLease = 100;
constexpr uint32_t kLongestLease = 600'000;

base::Status BadBody(const char* action) {
  return MakeError(ErrorCode::kBadCommand, std::string("the body of '") + action + "'");
}

base::Status CheckProtocol(uint32_t version) {
  if (version >= 1 && version <= plan::kProtocolVersion) return base::Status::OK();
  return MakeError(ErrorCode::kProtocolVersion, "the client speaks " + std::to_string(version) +
                                                    ", this node 1 to " +
                                                    std::to_string(plan::kProtocolVersion));
}

}  // namespace

const std::vector<NodeService::ActionEntry>& NodeService::Actions() {
  static const std::vector<ActionEntry> kActions = {
      {"handshake", "opens a session", false, &NodeService::Handshake},
      {"keepalive", "renews the session's lease", true, &NodeService::KeepAlive},
      {"close", "ends the session and its queries", true, &NodeService::CloseSession},
      {"validate", "says of each action of a command whether it can be run", true,
       &NodeService::Validate},
      {"run", "runs a query up to the barrier of one of its pipelines", true,
       &NodeService::RunPipeline},
      {"execute", "runs a command and answers, in one call", true, &NodeService::Execute},
      {"cancel", "cancels a query of the session", true, &NodeService::Cancel},
      {"status", "what the node does and holds", false, &NodeService::Describe},
      {"drop_tables", "drops every resident table", true, &NodeService::DropTables},
      {"drop_kernels", "drops every compiled kernel, in memory and on disk", true,
       &NodeService::DropKernels},
  };
  return kActions;
}

base::Result<std::string> NodeService::Handshake(const Call& call) {
  v1::HandshakeRequest request;
  if (!request.ParseFromString(call.body)) return BadBody("handshake");
  SVM_RETURN_NOT_OK(CheckProtocol(request.protocol_version()));
  const uint32_t asked = request.lease_ms() == 0 ? kDefaultLease : request.lease_ms();
  const uint32_t lease = std::clamp(asked, kShortestLease, kLongestLease);
  v1::HandshakeResponse response;
  response.set_protocol_version(plan::kProtocolVersion);
  response.set_version(version_);
  response.set_session(sessions_.Open(Milliseconds(lease), std::chrono::steady_clock::now()));
  response.set_lease_ms(lease);
  ListDevices(engine_.get(), &response);
  for (const char* capability :
       {"collect", "parquet-sink", "flight-stream", "pipelines", "execute"}) {
    response.add_capabilities(capability);
  }
  if (!shared_.folder().empty()) response.add_capabilities("shared-memory");
  return response.SerializeAsString();
}

// The lease was renewed when the call came in.
base::Result<std::string> NodeService::KeepAlive(const Call&) { return std::string(); }

base::Result<std::string> NodeService::CloseSession(const Call& call) {
  sessions_.Close(call.session);
  SessionGoods{&queries_, &shared_}.End(call.session);
  return std::string();
}

base::Result<std::string> NodeService::Validate(const Call& call) {
  SVM_ASSIGN_OR_RETURN(const v1::ValidateResponse response,
                       ValidateCommand(call.body, engine_.get()));
  return response.SerializeAsString();
}

base::Result<std::string> NodeService::Cancel(const Call& call) {
  v1::CancelRequest request;
  if (!request.ParseFromString(call.body)) return BadBody("cancel");
  v1::CancelResponse response;
  response.set_found(queries_.Cancel(call.session, request.query_id()));
  return response.SerializeAsString();
}

base::Result<std::string> NodeService::Describe(const Call&) {
  const QueryCounts counts = queries_.counts();
  v1::StatusResponse status;
  status.set_version(version_);
  status.set_process_id(static_cast<uint32_t>(::getpid()));
  status.set_uptime_ms(
      std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - started_)
          .count());
  status.set_sessions(sessions_.size());
  const int64_t waiting = admission_.waiting();
  status.set_queries_running(std::max<int64_t>(counts.running - waiting, 0));
  status.set_queries_waiting(waiting);
  status.set_queries_done(counts.done);
  status.set_queries_failed(counts.failed);
  status.set_queries_cancelled(counts.cancelled);
  status.set_queries_kept(counts.kept);
  status.set_shared_bytes(shared_.bytes());
  status.set_shared_folder(shared_.folder().string());
  AddEngineState(engine_.get(), &status);
  return status.SerializeAsString();
}

base::Result<std::string> NodeService::DropTables(const Call&) {
  engine_->DropTables();
  return std::string();
}

base::Result<std::string> NodeService::DropKernels(const Call&) {
  engine_->kernels().Clear();
  if (const auto gpu = engine_->gpu_keeper().state().gpu) gpu->programs().Clear();
  return std::string();
}

base::Result<std::string> NodeService::Act(const Context& context, const flight::Action& action) {
  for (const ActionEntry& entry : Actions()) {
    if (action.type != entry.name) continue;
    Call call{context, "", action.body ? action.body->ToString() : std::string()};
    if (entry.needs_session) {
      SVM_ASSIGN_OR_RETURN(call.session, SessionOf(context));
    }
    return (this->*entry.handler)(call);
  }
  return MakeError(ErrorCode::kBadCommand, "no action '" + action.type + "'");
}

arrow::Status NodeService::DoAction(const Context& context, const flight::Action& action,
                                    std::unique_ptr<flight::ResultStream>* results) {
  auto body = Act(context, action);
  if (!body.ok()) return ToFlight(body.status());
  std::vector<flight::Result> only(1);
  only.front().body = arrow::Buffer::FromString(std::move(*body));
  *results = std::make_unique<flight::SimpleResultStream>(std::move(only));
  return arrow::Status::OK();
}

arrow::Status NodeService::ListActions(const Context& context,
                                       std::vector<flight::ActionType>* actions) {
  for (const ActionEntry& entry : Actions()) actions->push_back({entry.name, entry.description});
  return arrow::Status::OK();
}

}  // namespace shadowvm::node
