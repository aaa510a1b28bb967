// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/node_runner.h"

#include <arrow/table.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/base/temporary_folder.h"
#include "engine/cli/bench/engine_runner.h"
#include "engine/cli/bench/ssb_queries.h"
#include "engine/client/connect.h"
#include "engine/node/serving_node.h"

namespace shadowvm::cli {
namespace {

namespace fs = std::filesystem;

class NodeRunner : public QueryRunner {
 public:
  NodeRunner(std::shared_ptr<client::Session> session, SsbTables tables)
      : session_(std::move(session)), tables_(std::move(tables)) {}
  // With a node that ends with the runner.
  NodeRunner(base::TemporaryFolder folder, exec::Engine* engine, Mode mode,
             std::unique_ptr<node::ServingNode> node, std::shared_ptr<client::Session> session,
             SsbTables tables)
      : folder_(std::move(folder)),
        engine_(engine),
        mode_(mode),
        node_(std::move(node)),
        session_(std::move(session)),
        tables_(std::move(tables)) {}

  std::vector<std::string> queries() const override { return SsbQueryNames(); }

  base::Result<QueryRun> Run(const std::string& query, const nlohmann::json& constants) override {
    SVM_ASSIGN_OR_RETURN(const client::Frame frame, MakeSsbQuery(query, tables_, constants));
    const v1::Command command = frame.ToCommand();
    QueryRun run;
    const auto start = std::chrono::steady_clock::now();
    SVM_ASSIGN_OR_RETURN(run.answer, session_->Run(command));
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    run.total_ms = elapsed.count();
    run.is_split = false;
    if (engine_ != nullptr) run.gpu_why_not = WhyNoGpu(mode_, &engine_->gpu_keeper());
    return run;
  }

  void AwaitCode() override {
    const auto gpu = engine_ != nullptr ? engine_->gpu() : nullptr;
    if (gpu != nullptr) gpu->programs().AwaitFull();
  }

  base::Result<Footprint> FootprintOf(const std::string&,
                                      const std::vector<std::string>&) override {
    return base::MakeError(base::ErrorCode::kUnsupported, "a node does not tell a footprint");
  }

 private:
  std::optional<base::TemporaryFolder> folder_;
  exec::Engine* engine_ = nullptr;  // of the node, if that is here
  const Mode mode_ = Mode::kCpu;    // likewise
  std::unique_ptr<node::ServingNode> node_;
  std::shared_ptr<client::Session> session_;  // ends before the node
  SsbTables tables_;
};

}  // namespace

base::Result<std::unique_ptr<QueryRunner>> MakeNodeRunner(const BenchSettings& settings) {
  if (!settings.connect.empty()) {
    SVM_ASSIGN_OR_RETURN(auto session, client::Connect(settings.connect, {}, settings.mode));
    return std::make_unique<NodeRunner>(std::move(session), TablesInFolder(settings.data));
  }
  SVM_ASSIGN_OR_RETURN(auto engine, MakeBenchEngine(settings));
  exec::Engine* const served = engine.get();
  SVM_ASSIGN_OR_RETURN(auto folder, base::TemporaryFolder::Make());
  SVM_ASSIGN_OR_RETURN(auto node,
                       node::ServingNode::Start(std::move(engine),
                                                {fs::path(folder.path()) / "node.sock", "bench"}));
  SVM_ASSIGN_OR_RETURN(auto session, client::Connect(node->socket().string(), {}, settings.mode));
  return std::make_unique<NodeRunner>(
      std::move(folder), served, settings.mode, std::move(node), std::move(session),
      settings.data.empty() ? RegisteredTables() : TablesInFolder(settings.data));
}

}  // namespace shadowvm::cli
