// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <cstdio>

#include "engine/client/session.h"
#include "engine/exec/engine.h"

// Sessions on an engine in this process.
namespace shadowvm::client {
namespace {

void WarnOnStandardError(const std::string& text) {
  std::fprintf(stderr, "shadowvm: %s\n", text.c_str());
}

class EngineRunner : public Runner {
 public:
  EngineRunner(std::unique_ptr<exec::Engine> engine, schedule::Mode mode)
      : engine_(std::move(engine)), mode_(mode) {}

  arrow::Result<std::shared_ptr<arrow::Table>> Run(const v1::Command& command) override {
    return engine_->Run(command, {.mode = mode_});
  }
  arrow::Status AddTable(const std::string& name, std::shared_ptr<arrow::Table> table) override {
    return engine_->AddTable(name, *table);
  }

 private:
  std::unique_ptr<exec::Engine> engine_;
  const schedule::Mode mode_;
};

}  // namespace

arrow::Result<std::shared_ptr<Session>> Session::Make(SessionOptions options) {
  exec::EngineOptions engine_options;
  engine_options.threads = options.threads;
  engine_options.memory_bytes = options.memory_bytes;
  engine_options.kernels.directory = options.cache_dir;
  engine_options.kernels.worker_path = options.compiler_path;
  if (options.use_gpu) {
    engine_options.gpu.kind = exec::GpuKind::kCuda;
    engine_options.gpu.required = false;
    engine_options.gpu.warn = options.warn ? options.warn : WarnOnStandardError;
  }
  SVM_ASSIGN_OR_RETURN(auto engine, exec::Engine::Make(std::move(engine_options)));
  return MakeOn(std::make_unique<EngineRunner>(std::move(engine), options.mode),
                std::move(options.settings));
}

}  // namespace shadowvm::client
