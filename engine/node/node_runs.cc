// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/io/memory.h>

#include <utility>

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
  options.on_barrier = [query](const exec::PipelineStats& pipeline) {
    query->PassBarrier(pipeline);
  };
  Answer answer = MakeError(ErrorCode::kInternal, "the query was not run");
  const base::Status admitted = admission_.Admit(query->cancel(), [&] {
    // A second attempt comes later.
    options.just_planned = std::exchange(just_planned, false);
    answer = query->Reserve(engine_->Run(query->command().plan.get(), options));
    return answer.status();
  });
  queries_.End(query, admitted.ok() ? std::move(answer) : Answer(admitted));
}

base::Result<bool> NodeService::RunHere(const Call& call, const Registration& registered) {
  const std::shared_ptr<Query>& query = registered.query;
  SVM_RETURN_NOT_OK(queries_.Enter(call.session, query->id()).status());
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
    if (ours.ok() && *ours) Run(query.get(), registered.just_planned);
  }
  if (!gone) queries_.Leave(call.session, query.get(), /*abandoned=*/false);
  SVM_RETURN_NOT_OK(status);
  return !gone;
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
  if (query->has_finished() && !query->answer().ok()) {
    queries_.Forget(session, *query);
    return query->answer().status();
  }
  return query;
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
  SVM_ASSIGN_OR_RETURN(const bool present, RunHere(call, registered));
  if (!present) return MakeError(ErrorCode::kCancelled, "the client went away");
  v1::RunPipelineRequest request;
  const Query& query = *registered.query;
  request.set_query_id(query.id());
  request.set_pipeline(static_cast<uint32_t>(query.command().plan->pipelines().size() - 1));
  return RunFor(call, request);
}

base::Result<std::string> NodeService::RunFor(const Call& call,
                                              const v1::RunPipelineRequest& request) {
  SVM_ASSIGN_OR_RETURN(const auto named, queries_.Find(call.session, request.query_id()));
  SVM_RETURN_NOT_OK(CheckPipeline(*named, request));
  const size_t done = request.pipeline() + size_t{1};
  const bool last = done == named->command().plan->pipelines().size();
  SVM_ASSIGN_OR_RETURN(const auto query,
                       Reach(call.context, call.session, request.query_id(),
                             last ? Query::kAllPipelines : static_cast<int>(done)));
  v1::RunPipelineResponse response;
  if (last) SVM_RETURN_NOT_OK(HandOut(call.session, *query, request, &response));
  *response.mutable_metrics() = MetricsOf(*query);
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
