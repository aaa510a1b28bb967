// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/io/memory.h>

#include <exception>
#include <utility>

#include "engine/exec/run_trace.h"
#include "engine/node/answer_batches.h"
#include "engine/node/answer_stream.h"
#include "engine/node/devices.h"
#include "engine/node/metrics.h"
#include "engine/node/node_service.h"
#include "shadowvm/v1/node_service.pb.h"

// Running queries for calls that wait for them, and handing out their answers.
namespace shadowvm::node {
namespace {

namespace flight = arrow::flight;
using base::ErrorCode;
using base::MakeError;

// Answers up to here travel in the response. More is better copied once, into shared memory.
constexpr int64_t kInlineBytes = 256 << 10;

base::Result<int64_t> BytesOf(const arrow::RecordBatchVector& batches) {
  int64_t bytes = 0;
  for (const auto& batch : batches) {
    SVM_ASSIGN_OR_RETURN(const int64_t more, StreamBytes(*batch));
    bytes += more;
  }
  return bytes;
}

base::Status CheckPipeline(const Query& query, const v1::RunPipelineRequest& request) {
  const size_t count = query.command().plan->pipelines().size();
  if (request.pipeline() >= count) {
    return MakeError(ErrorCode::kBadCommand, "query '" + query.id() + "' has " +
                                                 std::to_string(count) +
                                                 " pipelines, there is none of index " +
                                                 std::to_string(request.pipeline()));
  }
  if (request.partition() != 0) {
    return MakeError(ErrorCode::kBadCommand, "a pipeline has one partition, of index 0; " +
                                                 std::to_string(request.partition()) +
                                                 " was asked for");
  }
  return base::Status::OK();
}

bool IsLast(const Query& query, const v1::RunPipelineRequest& request) {
  return request.pipeline() + size_t{1} == query.command().plan->pipelines().size();
}

}  // namespace

base::Status NodeService::Start(const std::shared_ptr<Query>& query) {
  SVM_ASSIGN_OR_RETURN(const bool ours, queries_.Begin(query.get()));
  if (ours) runs_.Start([this, query] { Run(query.get(), /*just_planned=*/false); });
  return base::Status::OK();
}

void NodeService::Run(Query* query, bool just_planned) {
  exec::RunOptions options{&query->cancel(), query->command().stats.get()};
  options.partitions = query->command().execution.partitions();
  options.mode = ModeOf(query->command().execution);
  options.policy = policy_;
  options.trace = traces_ != nullptr;
  options.on_barrier = [query](const exec::PipelineStats& pipeline) {
    query->PassBarrier(pipeline);
  };
  const TimePoint planned = std::chrono::steady_clock::now();
  Answer answer = MakeError(ErrorCode::kInternal, "the query was not run");
  const base::Status admitted = admission_.Admit(query->cancel(), [&] {
    // One that had to wait looks at its files again, and so does a second attempt.
    const bool waited = std::chrono::steady_clock::now() - planned > kPatience;
    options.just_planned = std::exchange(just_planned, false) && !waited;
    try {
      answer = query->Reserve(engine_->Run(query->command().plan.get(), options));
    } catch (const std::exception& error) {
      answer = MakeError(ErrorCode::kInternal, error.what());
    }
    return answer.status();
  });
  // Before those who wait hear of the end, who may look for it next.
  if (traces_ != nullptr) traces_->Keep(query->id(), exec::TakeTraces(query->id(), options.stats));
  queries_.End(query, admitted.ok() ? std::move(answer) : Answer(admitted));
}

base::Result<std::shared_ptr<Query>> NodeService::RunHere(const Call& call,
                                                          const Registration& registered) {
  SVM_ASSIGN_OR_RETURN(const auto query, queries_.Enter(call.session, registered.query->id()));
  bool gone = false;  // by the watch, until it ends
  base::Status status;
  {
    const CallWatch::Watched watched(&calls_, [&] {
      Renew(call.session);
      if (gone || !call.context.is_cancelled()) return;
      gone = true;
      queries_.Leave(call.session, query.get(), /*abandoned=*/true);
    });
    const auto ours = queries_.Begin(query.get());
    status = ours.status();
    // The id may have been given to another query meanwhile.
    const bool just_planned = registered.just_planned && query == registered.query;
    if (ours.ok() && *ours) Run(query.get(), just_planned);
  }
  if (!gone) queries_.Leave(call.session, query.get(), /*abandoned=*/false);
  SVM_RETURN_NOT_OK(status);
  if (gone) return MakeError(ErrorCode::kCancelled, "the client went away");
  return query;
}

base::Result<std::shared_ptr<Query>> NodeService::Reach(const Context& context,
                                                        const std::string& session,
                                                        const std::string& id, int num_pipelines) {
  SVM_ASSIGN_OR_RETURN(const auto query, queries_.Enter(session, id));
  const base::Status started = Start(query);
  bool gone = false;
  while (started.ok() && !gone && !query->Await(num_pipelines, kPatience)) {
    gone = context.is_cancelled();
    Renew(session);
  }
  queries_.Leave(session, query.get(), gone);
  SVM_RETURN_NOT_OK(started);
  if (gone) return MakeError(ErrorCode::kCancelled, "the client went away");
  SVM_RETURN_NOT_OK(TakeError(session, *query));
  return query;
}

base::Status NodeService::TakeError(const std::string& session, const Query& query) {
  if (!query.has_finished() || query.answer().ok()) return base::Status::OK();
  queries_.Forget(session, query);
  return query.answer().status();
}

base::Result<std::string> NodeService::RunPipeline(const Call& call) {
  v1::RunPipelineRequest request;
  if (!request.ParseFromString(call.body)) {
    return MakeError(ErrorCode::kBadCommand, "the body of 'run'");
  }
  return RunFor(call, request);
}

base::Result<std::string> NodeService::Execute(const Call& call) {
  SVM_ASSIGN_OR_RETURN(const Registration registered, Register(call.session, call.body));
  SVM_ASSIGN_OR_RETURN(const auto query, RunHere(call, registered));
  v1::RunPipelineRequest request;
  request.set_query_id(query->id());
  request.set_pipeline(static_cast<uint32_t>(query->command().plan->pipelines().size() - 1));
  if (!query->has_finished()) return RunFor(call, request);
  // By what we hold: others may forget a query that nobody waits for.
  SVM_RETURN_NOT_OK(TakeError(call.session, *query));
  return Respond(call.session, *query, request);
}

base::Result<std::string> NodeService::RunFor(const Call& call,
                                              const v1::RunPipelineRequest& request) {
  SVM_ASSIGN_OR_RETURN(const auto named, queries_.Find(call.session, request.query_id()));
  SVM_RETURN_NOT_OK(CheckPipeline(*named, request));
  SVM_ASSIGN_OR_RETURN(const auto query,
                       Reach(call.context, call.session, request.query_id(),
                             IsLast(*named, request) ? Query::kAllPipelines
                                                     : static_cast<int>(request.pipeline()) + 1));
  return Respond(call.session, *query, request);
}

base::Result<std::string> NodeService::Respond(const std::string& session, const Query& query,
                                               const v1::RunPipelineRequest& request) {
  v1::RunPipelineResponse response;
  if (IsLast(query, request)) SVM_RETURN_NOT_OK(HandOut(session, query, request, &response));
  *response.mutable_metrics() = MetricsOf(query);
  return response.SerializeAsString();
}

base::Status NodeService::HandOut(const std::string& session, const Query& query,
                                  const v1::RunPipelineRequest& request,
                                  v1::RunPipelineResponse* response) {
  SVM_ASSIGN_OR_RETURN(const std::shared_ptr<arrow::Table> table, query.answer());
  SVM_ASSIGN_OR_RETURN(const arrow::RecordBatchVector batches, BatchesOf(*table));
  SVM_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(batches));
  if (bytes <= kInlineBytes) {
    SVM_ASSIGN_OR_RETURN(const auto out, arrow::io::BufferOutputStream::Create(bytes + 4096));
    SVM_RETURN_NOT_OK(WriteStream(batches, out.get()));
    SVM_ASSIGN_OR_RETURN(const auto stream, out->Finish());
    response->set_inline_answer(stream->data(), static_cast<size_t>(stream->size()));
  } else if (!request.accept_shared_memory() || !Share(session, batches, response)) {
    return base::Status::OK();  // to be fetched with DoGet
  }
  queries_.Forget(session, query);
  return base::Status::OK();
}

bool NodeService::Share(const std::string& session, const arrow::RecordBatchVector& batches,
                        v1::RunPipelineResponse* response) {
  const auto files = shared_.Write(session, batches);
  if (!files.ok()) return false;
  // A session that ended meanwhile has been swept already: nobody would sweep these files.
  if (!sessions_.Renew(session, std::chrono::steady_clock::now()).ok()) shared_.Drop(session);
  for (const SharedFile& file : *files) {
    v1::SharedFile* named = response->add_shared_answer();
    named->set_path(file.path.string());
    named->set_bytes(file.bytes);
  }
  return true;
}

base::Result<std::unique_ptr<flight::FlightDataStream>> NodeService::Fetch(
    const Context& context, const flight::Ticket& ticket) {
  SVM_ASSIGN_OR_RETURN(const std::string session, SessionOf(context));
  v1::QueryTicket named;
  if (!named.ParseFromString(ticket.ticket)) {
    return MakeError(ErrorCode::kUnknownQuery, "this is no ticket of a node");
  }
  SVM_ASSIGN_OR_RETURN(const auto query,
                       Reach(context, session, named.query_id(), Query::kAllPipelines));
  return StreamAnswer(query, MetricsOf(*query),
                      {[this, session] { Renew(session); },
                       [this, session, query] { queries_.Forget(session, *query); }});
}

}  // namespace shadowvm::node
