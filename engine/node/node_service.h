// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/flight/server.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/exec/engine.h"
#include "engine/node/admission.h"
#include "engine/node/call_watch.h"
#include "engine/node/lease_keeper.h"
#include "engine/node/query_registry.h"
#include "engine/node/run_threads.h"
#include "engine/node/session_registry.h"
#include "engine/node/shared_answers.h"
#include "engine/node/trace_folder.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::node {

// The Flight side of a node: every call as proto/shadowvm/v1/node_service.proto lays it out. Errors
// become Flight's here and nowhere else.
class NodeService : public arrow::flight::FlightServerBase {
 public:
  // 'version' is the program's, told to clients. 'shared_root' is a folder in memory. 'traces' may
  // be null. 'policy' is for mode mixed.
  NodeService(std::unique_ptr<exec::Engine> engine, std::string version,
              const std::filesystem::path& shared_root,
              std::unique_ptr<TraceFolder> traces = nullptr, schedule::PolicyChoice policy = {});
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
  // How often it is looked whether the client of a call that takes long is still there.
  static constexpr Milliseconds kPatience{20};

  using Context = arrow::flight::ServerCallContext;
  struct Call {
    const Context& context;
    std::string session;  // empty for actions that need none
    std::string body;
  };
  // Gives the body of the answer.
  using Handler = base::Result<std::string> (NodeService::*)(const Call& call);
  struct ActionEntry {
    const char* name;
    const char* description;
    bool needs_session;
    Handler handler;
  };
  static const std::vector<ActionEntry>& Actions();

  base::Result<std::string> Handshake(const Call& call);
  base::Result<std::string> KeepAlive(const Call& call);
  base::Result<std::string> CloseSession(const Call& call);
  base::Result<std::string> Validate(const Call& call);
  base::Result<std::string> RunPipeline(const Call& call);
  base::Result<std::string> Execute(const Call& call);
  base::Result<std::string> Cancel(const Call& call);
  base::Result<std::string> Describe(const Call& call);
  base::Result<std::string> DropTables(const Call& call);
  base::Result<std::string> DropKernels(const Call& call);

  // The session of a call, its lease renewed.
  base::Result<std::string> SessionOf(const Context& context);
  void Renew(const std::string& session);
  base::Result<std::string> Act(const Context& context, const arrow::flight::Action& action);
  // Plans the request's command, unless it was registered before.
  struct Registration {
    std::shared_ptr<Query> query;
    bool just_planned = false;
  };
  base::Result<Registration> Register(const std::string& session, const std::string& request);
  // Runs the query on a thread of its own, unless it runs or has run.
  base::Status Start(const std::shared_ptr<Query>& query);
  // The same on the caller's: a short query takes less time than to hand it over. Gives the query,
  // which another call may run. kCancelled: the client went away meanwhile, and has left the query.
  base::Result<std::shared_ptr<Query>> RunHere(const Call& call, const Registration& registered);
  void Run(Query* query, bool just_planned);
  // Makes sure that the query runs, and waits until so many of its pipelines are done. The query's
  // error if it has failed.
  base::Result<std::shared_ptr<Query>> Reach(const Context& context, const std::string& session,
                                             const std::string& id, int num_pipelines);
  // That a query has ended with, if any; it is then forgotten.
  base::Status TakeError(const std::string& session, const Query& query);
  base::Result<std::string> RunFor(const Call& call, const v1::RunPipelineRequest& request);
  // What a call is told of a query that has come as far as it asked for: with the answer, if that
  // was the end.
  base::Result<std::string> Respond(const std::string& session, const Query& query,
                                    const v1::RunPipelineRequest& request);
  // Puts the answer into the response and ends the query's life, or does neither.
  base::Status HandOut(const std::string& session, const Query& query,
                       const v1::RunPipelineRequest& request, v1::RunPipelineResponse* response);
  bool Share(const std::string& session, const arrow::RecordBatchVector& batches,
             v1::RunPipelineResponse* response);
  base::Result<std::unique_ptr<arrow::flight::FlightDataStream>> Fetch(
      const Context& context, const arrow::flight::Ticket& ticket);

  const std::unique_ptr<exec::Engine> engine_;
  const std::string version_;
  const TimePoint started_;
  SessionRegistry sessions_;
  QueryRegistry queries_;
  SharedAnswers shared_;
  const std::unique_ptr<TraceFolder> traces_;  // null: none are kept
  const schedule::PolicyChoice policy_;
  Admission admission_;
  LeaseKeeper keeper_;
  CallWatch calls_;
  RunThreads runs_;  // the last member: runs end before what they use
};

}  // namespace shadowvm::node
