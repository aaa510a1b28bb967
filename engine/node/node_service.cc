// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/node_service.h"

#include <thread>
#include <utility>

#include "engine/node/answer_stream.h"
#include "engine/node/command_check.h"
#include "engine/node/flight_error.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::node {
namespace {

namespace flight = arrow::flight;
using base::ErrorCode;
using base::MakeError;

constexpr char kSessionHeader[] = "shadowvm-session";
// How often a call that waits looks whether its client is still there.
constexpr Milliseconds kPatience{20};

TimePoint Now() { return std::chrono::steady_clock::now(); }

}  // namespace

NodeService::NodeService(std::unique_ptr<exec::Engine> engine, std::string version)
    : engine_(std::move(engine)),
      version_(std::move(version)),
      started_(Now()),
      queries_(&engine_->budget()),
      keeper_(&sessions_, &queries_) {}

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

base::Result<std::shared_ptr<Query>> NodeService::Register(const std::string& session,
                                                           const std::string& request) {
  v1::RunRequest run;
  if (!run.ParseFromString(request)) {
    return MakeError(ErrorCode::kBadCommand, "the descriptor holds no run request");
  }
  SVM_ASSIGN_OR_RETURN(auto checked, CheckCommand(run.command(), engine_.get()));
  SVM_ASSIGN_OR_RETURN(auto query, queries_.Add(session, run.query_id(), std::move(checked)));
  // A session that ended while we planned has been swept already: nobody would sweep this query.
  const base::Status alive = sessions_.Renew(session, Now());
  if (!alive.ok()) queries_.Forget(session, *query);
  SVM_RETURN_NOT_OK(alive);
  return query;
}

void NodeService::Await(const Context& context, const std::string& session, Query* query) {
  while (!query->Await(kPatience)) {
    if (context.is_cancelled()) return;
    Renew(session);
  }
}

base::Status NodeService::Complete(const Context& context, const std::string& session,
                                   Query* query) {
  query->Enter();
  const base::Result<bool> begun = queries_.Begin(query);
  std::thread runner;
  if (begun.ok() && *begun) {
    runner = std::thread([this, query] {
      queries_.End(query,
                   engine_->Run(query->command().command, &query->cancel(), &query->stats()));
    });
  }
  if (begun.ok()) Await(context, session, query);
  query->Leave();
  // The run belongs to this call, so that a server that has no calls has no runs either. A client
  // that went away has cancelled it, unless others wait for it too.
  if (runner.joinable()) runner.join();
  return begun.status();
}

base::Result<std::unique_ptr<flight::FlightDataStream>> NodeService::Fetch(
    const Context& context, const flight::Ticket& ticket) {
  SVM_ASSIGN_OR_RETURN(const std::string session, SessionOf(context));
  v1::QueryTicket named;
  if (!named.ParseFromString(ticket.ticket)) {
    return MakeError(ErrorCode::kUnknownQuery, "this is no ticket of a node");
  }
  SVM_ASSIGN_OR_RETURN(const auto query, queries_.Find(session, named.query_id()));
  SVM_RETURN_NOT_OK(Complete(context, session, query.get()));
  if (context.is_cancelled() || !query->answer().ok()) queries_.Forget(session, *query);
  if (context.is_cancelled()) return MakeError(ErrorCode::kCancelled, "the client went away");
  return StreamAnswer(query, {[this, session] { Renew(session); },
                              [this, session, query] { queries_.Forget(session, *query); }});
}

arrow::Status NodeService::GetFlightInfo(const Context& context,
                                         const flight::FlightDescriptor& descriptor,
                                         std::unique_ptr<flight::FlightInfo>* info) {
  const auto session = SessionOf(context);
  if (!session.ok()) return ToFlight(session.status());
  const auto query = Register(*session, descriptor.cmd);
  if (!query.ok()) return ToFlight(query.status());
  v1::QueryTicket ticket;
  ticket.set_query_id((*query)->id());
  flight::FlightEndpoint endpoint;
  endpoint.ticket.ticket = ticket.SerializeAsString();
  SVM_ASSIGN_OR_RETURN(auto made, flight::FlightInfo::Make((*query)->command().schema, descriptor,
                                                           {endpoint}, -1, -1, true));
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
