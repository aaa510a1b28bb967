// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/node/node_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "engine/cli/engine_options.h"
#include "engine/cli/number_range.h"
#include "engine/node/address.h"
#include "engine/node/daemon.h"

namespace shadowvm::cli {
namespace {

constexpr const char* kExplanation =
    R"(A node runs commands for its clients, one process for all of them: they share its tables, its
kernels and its memory. It speaks Arrow Flight over a Unix socket in a folder of its own, which
only you may use; it does not listen on the network. proto/shadowvm/v1/node_service.proto says
what a client sends.

Once it listens it prints one line of JSON: {"event":"ready","address":"unix:...","pid":...}.

It ends at SIGTERM or Ctrl-C: queries that run get a while to finish, a second signal ends them. A
program that starts a node for itself keeps the node's standard input open and says
--exit-with-stdin: then the node ends when the program does, however that happens.

A GPU is used if there is one that works; clients say in which mode (auto, cpu, gpu, mixed), and
`shadowvm doctor` says what is missing. When it fails, its work goes to the CPU, the node says so
once, and tries again later.

With --trace-dir a query with a pipeline in mode mixed leaves two files, trace-TIME-NUMBER-QUERY.json
for Chrome's tracing or Perfetto and the same as a drawing, .svg: who took which partition when, and
what was done twice. Other queries leave none.

Examples:
  shadowvm node
  shadowvm node --socket /run/user/1000/shadowvm/node.sock --threads 4 --memory 8G
  shadowvm node --trace-dir traces --trace-keep 20)";

struct NodeSettings {
  std::string socket;
  int threads = 0;
  int64_t memory_bytes = 0;
  double drain_seconds = 10;
  bool exit_with_stdin = false;
  std::string shared_memory = "/dev/shm";
  std::string gpu = "auto";
  double gpu_retry_seconds = 30;
  std::chrono::milliseconds gpu_limit = exec::GpuOptions().launch_limit;
  int64_t gpu_memory_bytes = 0;
  int gpu_tasks = exec::GpuOptions().concurrent;
  schedule::PolicyChoice policy;
  std::string trace_folder;
  int trace_queries = node::TraceFolderOptions().most_queries;
};

void AddGpuOptions(CLI::App* node, NodeSettings* settings) {
  constexpr double kDay = 86400;
  node->add_option("--gpu", settings->gpu,
                   "auto: the GPU, if there is one; off; cuda: do not start without; emulated: a "
                   "slow one without a card, for tests")
      ->check(CLI::IsMember({"auto", "off", "cuda", "emulated"}))
      ->capture_default_str();
  node->add_option("--gpu-retry", settings->gpu_retry_seconds,
                   "Seconds from a GPU's failure until it is tried again; more after each in a row")
      ->check(NumberIn(0.001, kDay))
      ->capture_default_str();
  AddGpuLimitOption(node, &settings->gpu_limit);
  AddSizeOption(node, "--gpu-memory", &settings->gpu_memory_bytes,
                "The GPU's memory that may be used, such as 40G (default: nine tenths)");
  node->add_option("--gpu-tasks", settings->gpu_tasks,
                   "Queries that work on the GPU at a time; others wait")
      ->check(WholeNumberIn(1, 64))
      ->capture_default_str();
  AddPolicyOption(node, &settings->policy);
}

std::chrono::milliseconds Seconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

void Warn(const std::string& text) { std::fprintf(stderr, "shadowvm node: %s\n", text.c_str()); }

exec::GpuOptions GpuOptionsOf(const NodeSettings& settings) {
  exec::GpuOptions options;
  if (settings.gpu != "off") {
    options.kind = settings.gpu == "emulated" ? exec::GpuKind::kEmulated : exec::GpuKind::kCuda;
  }
  options.required = settings.gpu == "cuda";
  options.retry_after = Seconds(settings.gpu_retry_seconds);
  options.launch_limit = settings.gpu_limit;
  options.limit_option = kGpuLimitOption;
  options.memory_bytes = settings.gpu_memory_bytes;
  options.concurrent = settings.gpu_tasks;
  options.warn = Warn;
  return options;
}

void AddOptions(CLI::App* node, NodeSettings* settings) {
  node->add_option("--socket", settings->socket,
                   "Where to listen: a path (default: " + node::DefaultSocketPath().string() + ")");
  AddEngineOptions(node, &settings->threads, &settings->memory_bytes);
  node->add_option("--drain", settings->drain_seconds,
                   "Seconds that running queries get when the node is stopped")
      ->check(NumberIn(0, 86400))
      ->capture_default_str();
  node->add_flag("--exit-with-stdin", settings->exit_with_stdin,
                 "Stop when standard input ends, as at SIGTERM");
  node->add_option("--shared-memory", settings->shared_memory,
                   "A folder in memory, for answers to clients of this machine")
      ->capture_default_str();
  AddGpuOptions(node, settings);
  CLI::Option* const folder =
      node->add_option("--trace-dir", settings->trace_folder,
                       "Write for each query that cores and the GPU share who took which partition "
                       "when, to files in this folder");
  node->add_option("--trace-keep", settings->trace_queries,
                   "Queries whose traces stay in that folder, the newest")
      ->check(WholeNumberIn(1, 1'000'000))
      ->capture_default_str()
      ->needs(folder);
}

base::Status RunNodeCommand(const NodeSettings& settings) {
  node::NodeOptions options;
  options.address = settings.socket;
  options.version = SHADOWVM_VERSION;
  options.drain = Seconds(settings.drain_seconds);
  options.exit_with_input = settings.exit_with_stdin;
  options.shared_root = settings.shared_memory;
  options.engine.threads = settings.threads;
  options.engine.memory_bytes = settings.memory_bytes;
  options.engine.gpu = GpuOptionsOf(settings);
  options.traces = {settings.trace_folder, settings.trace_queries, Warn};
  options.policy = settings.policy;
  return node::RunNode(options);
}

}  // namespace

void AddNodeCommand(CLI::App* app, base::Status* status) {
  auto settings = std::make_shared<NodeSettings>();
  CLI::App* node = app->add_subcommand("node", "Serve queries to clients on this machine");
  node->footer(kExplanation);
  AddOptions(node, settings.get());
  node->callback([settings, status] { *status = RunNodeCommand(*settings); });
}

}  // namespace shadowvm::cli
