// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/client/connect.h"

#include <arrow/flight/client.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>

#include <filesystem>
#include <mutex>
#include <utility>

#include "engine/base/status.h"
#include "engine/node/address.h"
#include "engine/node/devices.h"
#include "engine/node/flight_error.h"
#include "engine/node/session_header.h"
#include "engine/plan/plan_builder.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::client {
namespace {

namespace flight = arrow::flight;
using base::ErrorCode;

// The node resolves paths in a folder of its own.
std::string Absolute(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

v1::Command WithAbsolutePaths(v1::Command command) {
  for (v1::Action& action : *command.mutable_actions()) {
    if (action.has_scan() && action.scan().has_files()) {
      for (std::string& path : *action.mutable_scan()->mutable_files()->mutable_paths()) {
        path = Absolute(path);
      }
    }
    if (action.has_sink() && action.sink().has_parquet()) {
      v1::Sink::Parquet* sink = action.mutable_sink()->mutable_parquet();
      sink->set_path(Absolute(sink->path()));
    }
  }
  return command;
}

base::Result<std::shared_ptr<arrow::Table>> ReadStream(std::string bytes) {
  const std::shared_ptr<arrow::io::InputStream> input =
      arrow::io::BufferReader::FromString(std::move(bytes));
  SVM_ASSIGN_OR_RETURN(const auto reader, arrow::ipc::RecordBatchStreamReader::Open(input));
  return reader->ToTable();
}

base::Status NobodyAnswers(const std::filesystem::path& socket) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(socket, error);
  return base::MakeError(ErrorCode::kBadAddress,
                         socket.string() +
                             (is_there ? ": no node answers there" : ": no such socket") +
                             "; `shadowvm node` starts a node and prints its address");
}

// A connection and the session it has at the node. A session that ended (the lease of a client that
// was silent, a node that was started again) is opened anew: nothing of ours lives in it between
// two commands.
class NodeRunner : public Runner {
 public:
  NodeRunner(std::unique_ptr<flight::FlightClient> client, schedule::Mode mode)
      : client_(std::move(client)) {
    execution_.set_mode(node::WireMode(mode));
  }
  ~NodeRunner() override {
    // A node that is gone, or slow, has nothing to be told: the lease ends by itself.
    flight::FlightCallOptions options = OptionsOf(session());
    options.timeout = flight::TimeoutDuration(1.0);
    static_cast<void>(Act(options, "close", ""));
    static_cast<void>(client_->Close());
  }

  base::Status Open() {
    v1::HandshakeRequest request;
    request.set_protocol_version(plan::kProtocolVersion);
    request.set_client("C++ client");
    SVM_ASSIGN_OR_RETURN(const std::string body, Act({}, "handshake", request.SerializeAsString()));
    v1::HandshakeResponse response;
    if (!response.ParseFromString(body)) {
      return base::MakeError(ErrorCode::kBadAddress, "what answers there is no node");
    }
    std::lock_guard lock(mutex_);
    session_ = response.session();
    return base::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Table>> Run(const v1::Command& command) override {
    v1::RunRequest request;
    request.set_command(WithAbsolutePaths(command).SerializeAsString());
    *request.mutable_execution() = execution_;
    const std::string bytes = request.SerializeAsString();
    auto answer = Execute(bytes);
    if (answer.ok() || base::CodeOf(answer.status()) != ErrorCode::kUnknownSession) return answer;
    SVM_RETURN_NOT_OK(Open());
    return Execute(bytes);
  }

  arrow::Status AddTable(const std::string& name, std::shared_ptr<arrow::Table>) override {
    return base::MakeError(
        ErrorCode::kUnsupported,
        "table '" + name + "': a node reads files; write the table as Parquet and scan that");
  }

 private:
  std::string session() {
    std::lock_guard lock(mutex_);
    return session_;
  }

  static flight::FlightCallOptions OptionsOf(const std::string& session) {
    flight::FlightCallOptions options;
    if (!session.empty()) options.headers.emplace_back(node::kSessionHeader, session);
    return options;
  }

  base::Result<std::string> Act(const flight::FlightCallOptions& options, const std::string& name,
                                const std::string& body) {
    auto results = client_->DoAction(options, {name, arrow::Buffer::FromString(body)});
    if (!results.ok()) return node::FromFlight(results.status());
    auto result = (*results)->Next();
    if (!result.ok()) return node::FromFlight(result.status());
    if (*result == nullptr) return std::string();
    return (*result)->body->ToString();
  }

  // One call; a large answer takes a second one.
  base::Result<std::shared_ptr<arrow::Table>> Execute(const std::string& request) {
    const flight::FlightCallOptions options = OptionsOf(session());
    SVM_ASSIGN_OR_RETURN(const std::string body, Act(options, "execute", request));
    v1::RunPipelineResponse response;
    if (!response.ParseFromString(body)) {
      return base::MakeError(ErrorCode::kInternal, "what the node answered is no answer");
    }
    if (response.inline_answer().empty()) return Fetch(options, response.metrics().query_id());
    return ReadStream(std::move(*response.mutable_inline_answer()));
  }

  base::Result<std::shared_ptr<arrow::Table>> Fetch(const flight::FlightCallOptions& options,
                                                    const std::string& query_id) {
    v1::QueryTicket ticket;
    ticket.set_query_id(query_id);
    auto reader = client_->DoGet(options, flight::Ticket{ticket.SerializeAsString()});
    if (!reader.ok()) return node::FromFlight(reader.status());
    auto table = (*reader)->ToTable();
    if (!table.ok()) return node::FromFlight(table.status());
    return table;
  }

  const std::unique_ptr<flight::FlightClient> client_;
  v1::Execution execution_;
  std::mutex mutex_;
  std::string session_;
};

}  // namespace

arrow::Result<std::shared_ptr<Session>> Connect(const std::string& address, v1::Settings settings,
                                                schedule::Mode mode) {
  SVM_ASSIGN_OR_RETURN(const auto path, node::SocketPath(address));
  SVM_ASSIGN_OR_RETURN(const auto location, flight::Location::ForGrpcUnix(path.string()));
  SVM_ASSIGN_OR_RETURN(auto client, flight::FlightClient::Connect(location));
  auto runner = std::make_unique<NodeRunner>(std::move(client), mode);
  const base::Status opened = runner->Open();
  // Nobody has answered who could be stopping.
  if (base::CodeOf(opened) == ErrorCode::kNodeStopping) return NobodyAnswers(path);
  SVM_RETURN_NOT_OK(base::WithContext(opened, path.string()));
  return Session::MakeOn(std::move(runner), std::move(settings));
}

}  // namespace shadowvm::client
