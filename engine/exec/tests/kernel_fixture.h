// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/bench/ssb_queries.h"
#include "engine/cli/ssb/table_generator.h"
#include "engine/client/client.h"
#include "engine/exec/engine.h"

// Engines of tests that look at kernels, and what a query rendered.
namespace shadowvm::exec {

// Kernels are kept in 'cache_folder'; empty: in memory alone.
inline EngineOptions TestEngineOptions(const std::string& cache_folder = {},
                                       GpuKind gpu = GpuKind::kNone) {
  EngineOptions options;
  options.gpu.kind = gpu;
  options.gpu.least_build_rows = 0;  // tests look at what it can do, not at what is worth it
  options.gpu.least_sort_rows = 0;
  options.gpu.least_fill_rows = 0;
  options.gpu.programs.use_disk = false;
  options.gpu.programs.retry_after = std::chrono::milliseconds(0);  // a fault is over at once
  options.threads = 2;
  options.memory_bytes = int64_t{1} << 30;
  options.kernels.use_disk = !cache_folder.empty();
  options.kernels.directory = cache_folder;
  options.kernels.background_full = false;
  // A busy machine must not turn compiles over to the fallback, whose kernels are others on disk.
  options.kernels.timeout = std::chrono::minutes(5);
  return options;
}

inline std::unique_ptr<Engine> MakeTestEngine(const std::string& cache_folder = {},
                                              GpuKind gpu = GpuKind::kNone) {
  return Engine::Make(TestEngineOptions(cache_folder, gpu)).ValueOrDie();
}

// Runs a query; gives the texts of its kernels, in the order of its pipelines.
inline std::vector<std::string> KernelsOf(Engine* engine, const client::Frame& frame,
                                          const v1::Settings& settings = {}) {
  v1::Command command = frame.ToCommand();
  *command.mutable_settings() = settings;
  QueryStats stats;
  const auto answer = engine->Run(command, {.stats = &stats});
  EXPECT_TRUE(answer.ok()) << answer.status();
  std::vector<std::string> texts;
  for (const auto& kernel : stats.kernels) texts.push_back(kernel->text);
  return texts;
}

// The Star Schema Benchmark at a hundredth of its unit: 60,000 rows of lineorder.
inline void AddSsbTables(Engine* engine) {
  const auto scale = cli::ssb::MakeScale(0.01, 1).ValueOrDie();
  for (const auto& generator : cli::ssb::MakeTables(scale)) {
    auto batch = generator->Generate(0, generator->num_rows()).ValueOrDie();
    auto table = arrow::Table::FromRecordBatches({batch}).ValueOrDie();
    ASSERT_TRUE(engine->AddTable(generator->name(), *table).ok());
  }
}

inline client::Frame SsbQuery(const std::string& name,
                              const nlohmann::json& constants = nlohmann::json::object()) {
  return cli::MakeSsbQuery(name, cli::RegisteredTables(), constants).ValueOrDie();
}

}  // namespace shadowvm::exec
