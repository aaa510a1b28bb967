// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/table.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/client/frame.h"
#include "engine/client/runner.h"
#include "engine/schedule/mode.h"
#include "shadowvm/v1/command.pb.h"

namespace shadowvm::client {

struct SessionOptions {
  int threads = 0;           // 0: one per core
  int64_t memory_bytes = 0;  // of all tables and states together; 0: half of the machine's
  std::string cache_dir;     // of compiled kernels; empty: the user's cache folder
  // The program shadowvm-compiler. Empty: looked for beside this program, in its libexec folder and
  // where ShadowVM was installed; where it is nowhere, kernels are compiled by the machine's C++
  // compiler, which takes longer.
  std::string compiler_path;
  v1::Settings settings;                        // sent with every command of the session
  bool use_gpu = false;                         // the machine's, if it has one that works
  schedule::Mode mode = schedule::Mode::kAuto;  // which processors work on rows
  // Told once of each failure of the GPU, in a sentence; queries then run on the CPU. Null: it is
  // said on standard error.
  std::function<void(const std::string&)> warn;
};

// Runs queries, in this process (Make) or in a node (Connect, see connect.h). In process it holds
// what queries share: worker threads, resident tables, compiled kernels; so make one and keep it.
// Thread-safe.
class Session : public std::enable_shared_from_this<Session> {
 public:
  static arrow::Result<std::shared_ptr<Session>> Make(SessionOptions options = {});
  // A session on any runner.
  static std::shared_ptr<Session> MakeOn(std::unique_ptr<Runner> runner,
                                         v1::Settings settings = {});

  // Frames of this session: files (or directories) of Parquet, and tables added by name.
  Frame Scan(std::string path);
  Frame Scan(std::vector<std::string> paths);
  Frame Table(std::string name);

  arrow::Status AddTable(const std::string& name, std::shared_ptr<arrow::Table> table);
  arrow::Result<std::shared_ptr<arrow::Table>> Run(const v1::Command& command);

  const v1::Settings& settings() const { return settings_; }

 private:
  Session(std::unique_ptr<Runner> runner, v1::Settings settings)
      : runner_(std::move(runner)), settings_(std::move(settings)) {}

  std::unique_ptr<Runner> runner_;
  v1::Settings settings_;
};

}  // namespace shadowvm::client
