// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/node_service.h"

#include <utility>

#include "engine/columns/type_mapping.h"
#include "engine/node/command_check.h"
#include "engine/node/flight_error.h"
#include "engine/node/session_header.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::node {
namespace {

namespace flight = arrow::flight;
using base::ErrorCode;
using base::MakeError;

TimePoint Now() { return std::chrono::steady_clock::now(); }

v1::RegisterResponse Registered(const Query& query) {
  v1::RegisterResponse response;
  response.set_query_id(query.id());
  for (const plan::Pipeline& pipeline : query.command().plan->pipelines()) {
    v1::PipelineInfo* info = response.add_pipelines();
    info->set_index(static_cast<uint32_t>(pipeline.id));
    info->set_label(Readable(plan::Describe(pipeline)));
    for (const uint32_t action : plan::ActionsOf(pipeline)) info->add_actions(action);
  }
  return response;
}

}  // namespace

NodeService::NodeService(std::unique_ptr<exec::Engine> engine, std::string version,
                         const std::filesystem::path& shared_root,
                         std::unique_ptr<TraceFolder> traces, schedule::PolicyChoice policy)
    : engine_(std::move(engine)),
      version_(std::move(version)),
      started_(Now()),
      queries_(&engine_->budget()),
      shared_(shared_root, &engine_->budget()),
      traces_(std::move(traces)),
      policy_(policy),
      admission_(&engine_->budget(),
                 [this] { return engine_->segment_bytes() + engine_->build_bytes(); }),
      keeper_(&sessions_, {&queries_, &shared_}),
      calls_(kPatience) {}

NodeService::~NodeService() = default;

base::Result<std::string> NodeService::SessionOf(const Context& context) {
  const auto& headers = context.incoming_headers();
  const auto found = headers.find(kSessionHeader);
  std::string session(found == headers.end() ? std::string_view() : found->second);
  SVM_RETURN_NOT_OK(sessions_.Renew(session, Now()));
  return session;
}

// For calls under way: a session that has ended meanwhile shows in its queries.
void NodeService::Renew(const std::string& session) {
  static_cast<void>(sessions_.Renew(session, Now()));
}

base::Result<NodeService::Registration> NodeService::Register(const std::string& session,
                                                              const std::string& request) {
  v1::RunRequest run;
  if (!run.ParseFromString(request)) {
    return MakeError(ErrorCode::kBadCommand, "the descriptor holds no run request");
  }
  SVM_ASSIGN_OR_RETURN(auto query, queries_.FindSame(session, run.query_id(), run.command()));
  if (query != nullptr) return Registration{query, false};
  SVM_ASSIGN_OR_RETURN(auto checked, CheckCommand(run.command(), engine_.get()));
  checked.execution = run.execution();
  SVM_ASSIGN_OR_RETURN(query, queries_.Add(session, run.query_id(), std::move(checked)));
  // A session that ended while we planned has been swept already: nobody would sweep this query.
  const base::Status alive = sessions_.Renew(session, Now());
  if (!alive.ok()) queries_.Forget(session, *query);
  SVM_RETURN_NOT_OK(alive);
  return Registration{query, true};
}

arrow::Status NodeService::GetFlightInfo(const Context& context,
                                         const flight::FlightDescriptor& descriptor,
                                         std::unique_ptr<flight::FlightInfo>* info) {
  const auto session = SessionOf(context);
  if (!session.ok()) return ToFlight(session.status());
  const auto registered = Register(*session, descriptor.cmd);
  if (!registered.ok()) return ToFlight(registered.status());
  const Query& query = *registered->query;
  v1::QueryTicket ticket;
  ticket.set_query_id(query.id());
  flight::FlightEndpoint endpoint;
  endpoint.ticket.ticket = ticket.SerializeAsString();
  const auto schema = columns::ToArrow(query.command().plan->output());
  SVM_ASSIGN_OR_RETURN(auto made,
                       flight::FlightInfo::Make(*schema, descriptor, {endpoint}, -1, -1, true,
                                                Registered(query).SerializeAsString()));
  *info = std::make_unique<flight::FlightInfo>(std::move(made));
  return arrow::Status::OK();
}

arrow::Status NodeService::DoGet(const Context& context, const flight::Ticket& ticket,
                                 std::unique_ptr<flight::FlightDataStream>* stream) {
  auto fetched = Fetch(context, ticket);
  if (!fetched.ok()) return ToFlight(fetched.status());
  *stream = std::move(*fetched);
  return arrow::Status::OK();
}

}  // namespace shadowvm::node
