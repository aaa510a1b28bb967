// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/engine_runner.h"

#include <arrow/table.h>
#include <arrow/util/thread_pool.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/cli/bench/ssb_queries.h"
#include "engine/cli/engine_options.h"
#include "engine/cli/ssb/batch_stream.h"
#include "engine/cli/ssb/scale.h"
#include "engine/exec/engine.h"
#include "engine/exec/run_trace.h"

namespace shadowvm::cli {
namespace {

// Columns that some query reads: what is kept in memory, and what is generated.
const std::vector<std::pair<std::string, std::vector<std::string>>>& ColumnsRead() {
  static const auto* const columns =
      new std::vector<std::pair<std::string, std::vector<std::string>>>{
          {"lineorder",
           {"lo_custkey", "lo_partkey", "lo_suppkey", "lo_orderdate", "lo_quantity",
            "lo_extendedprice", "lo_discount", "lo_revenue", "lo_supplycost"}},
          {"customer", {"c_custkey", "c_city", "c_nation", "c_region"}},
          {"supplier", {"s_suppkey", "s_city", "s_nation", "s_region"}},
          {"part", {"p_partkey", "p_mfgr", "p_category", "p_brand1"}},
          {"date", {"d_datekey", "d_year", "d_yearmonthnum", "d_yearmonth", "d_weeknuminyear"}},
      };
  return *columns;
}

base::Result<std::vector<int>> OrdinalsOf(const columns::TableSource& table,
                                          const std::vector<std::string>& names) {
  std::vector<int> ordinals;
  for (const std::string& name : names) {
    const int ordinal = table.schema().Find(name);
    if (ordinal < 0) {
      return base::MakeError(base::ErrorCode::kUnknownColumn,
                             "'" + name + "' in table " + table.name());
    }
    ordinals.push_back(ordinal);
  }
  return ordinals;
}

// In a folder, or one that was added.
base::Result<std::shared_ptr<columns::TableSource>> OpenTable(exec::Engine* engine,
                                                              const std::string& folder,
                                                              const std::string& table) {
  if (folder.empty()) return engine->Open({{}, table});
  return engine->Open({{folder + "/" + table + ".parquet"}, {}});
}

// The columns of a generated table that queries read.
base::Result<std::shared_ptr<arrow::Table>> Generate(const ssb::TableGenerator& table,
                                                     const std::vector<std::string>& columns,
                                                     arrow::internal::ThreadPool* pool) {
  constexpr int64_t kBatchRows = int64_t{1} << 20;
  constexpr int kBatchesAhead = 4;
  std::vector<int> ordinals;
  for (const std::string& column : columns)
    ordinals.push_back(table.schema()->GetFieldIndex(column));
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  ssb::BatchStream stream(table, kBatchRows, kBatchesAhead, pool);
  for (;;) {
    SVM_ASSIGN_OR_RETURN(auto batch, stream.Next());
    if (batch == nullptr) break;
    SVM_ASSIGN_OR_RETURN(batch, batch->SelectColumns(ordinals));
    batches.push_back(std::move(batch));
  }
  return arrow::Table::FromRecordBatches(batches);
}

void Pin(exec::Gpu* gpu, const columns::ColumnSegment& column) {
  gpu->pinned().Want(column.data);
  if (column.validity != nullptr) gpu->pinned().Want(column.validity);
}

// Brings every column that a query reads into memory, as far as there is room, and has a GPU's
// driver pin it.
base::Status LoadTables(exec::Engine* engine, const std::string& folder) {
  const auto gpu = engine->gpu();
  for (const auto& [table, columns] : ColumnsRead()) {
    SVM_ASSIGN_OR_RETURN(const auto source, OpenTable(engine, folder, table));
    SVM_ASSIGN_OR_RETURN(const std::vector<int> ordinals, OrdinalsOf(*source, columns));
    for (const int ordinal : ordinals) SVM_RETURN_NOT_OK(source->layout(ordinal));
    SVM_RETURN_NOT_OK(schedule::ParallelFor(
        {&engine->device(), nullptr}, source->num_segments(),
        [&](int, int64_t segment) -> base::Status {
          SVM_ASSIGN_OR_RETURN(const auto data,
                               source->Read(static_cast<int>(segment), ordinals, {}, nullptr));
          if (gpu == nullptr) return base::Status::OK();
          for (const auto& column : data->columns) Pin(gpu.get(), *column);
          return base::Status::OK();
        }));
  }
  if (gpu != nullptr) gpu->pinned().Await();
  return base::Status::OK();
}

// Whether a GPU that was opened with some options need not be opened anew for others.
bool IsSameGpu(const exec::GpuOptions& a, const exec::GpuOptions& b) {
  const bool same_streams =
      a.prefetch != exec::GpuPrefetch::kActive || a.active_streams == b.active_streams;
  return a.kind == b.kind && a.prefetch == b.prefetch && a.memory_bytes == b.memory_bytes &&
         a.concurrent == b.concurrent && a.launch_limit == b.launch_limit && same_streams;
}

class EngineRunner : public QueryRunner {
 public:
  EngineRunner(std::unique_ptr<exec::Engine> engine, const BenchSettings& settings)
      : engine_(std::move(engine)),
        settings_(settings),
        gpu_settings_(settings),
        tables_(settings.data.empty() ? RegisteredTables() : TablesInFolder(settings.data)),
        folder_(settings.data) {}

  ~EngineRunner() override { WarnOfKernelsNotKept(engine_->kernels().stats()); }

  std::vector<std::string> queries() const override { return SsbQueryNames(); }

  base::Result<QueryRun> Run(const std::string& query, const nlohmann::json& constants) override {
    SVM_ASSIGN_OR_RETURN(const std::string* const command, CommandOf(query, constants));
    exec::QueryStats stats;
    const auto before = engine_->kernels().stats();
    const auto start = std::chrono::steady_clock::now();
    QueryRun run;
    SVM_ASSIGN_OR_RETURN(const auto plan, engine_->Plan(*command, &stats.spans));
    SVM_ASSIGN_OR_RETURN(run.answer, engine_->Run(plan.get(), OptionsFor(&stats)));
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    run.total_ms = elapsed.count();
    run.compiles = engine_->kernels().stats().compiles_fast - before.compiles_fast;
    AddStats(stats, &run);
    run.gpu_why_not = WhyNotGpu(stats, settings_.mode, &engine_->gpu_keeper());
    run.pipelines = PipelinesOf(stats);
    run.traces = exec::TakeTraces(query, &stats);
    return run;
  }

  base::Result<Footprint> FootprintOf(const std::string& table,
                                      const std::vector<std::string>& columns) override {
    SVM_ASSIGN_OR_RETURN(const auto source, Open(table));
    SVM_ASSIGN_OR_RETURN(const std::vector<int> ordinals, OrdinalsOf(*source, columns));
    Footprint footprint;
    footprint.plain_bytes = source->num_rows() * 4 * static_cast<int64_t>(columns.size());
    for (int segment = 0; segment < source->num_segments(); ++segment) {
      SVM_ASSIGN_OR_RETURN(const auto data, source->Read(segment, ordinals, {}, nullptr));
      for (const auto& column : data->columns) footprint.bytes += column->bytes();
    }
    return footprint;
  }

  base::Status Change(const BenchSettings& settings) override {
    if (settings.residency == Residency::kFile || settings_.residency == Residency::kFile) {
      return base::MakeError(base::ErrorCode::kUnsupported, "tables of residency file do not move");
    }
    if (settings.keep_builds != settings_.keep_builds) {
      engine_->KeepAddedBuilds(settings.keep_builds);
    }
    settings_ = settings;
    if (settings.mode == Mode::kCpu) return base::Status::OK();
    const exec::GpuOptions options = GpuOptionsOf(settings);
    const bool is_same = IsSameGpu(options, GpuOptionsOf(gpu_settings_));
    gpu_settings_ = settings;
    if (!is_same) engine_->gpu_keeper().Reopen(options);
    if (options.required) SVM_RETURN_NOT_OK(engine_->gpu_keeper().Require().status());
    return is_same ? base::Status::OK() : LoadTables(engine_.get(), folder_);
  }

  base::Result<SectorCount> SectorsOf(const std::string& query) override {
    SVM_ASSIGN_OR_RETURN(const auto lineorder, Open("lineorder"));
    return CountSectors(engine_.get(), tables_, lineorder.get(), query);
  }

  base::Result<GpuKernelCounts> CountGpuKernels() override {
    SVM_ASSIGN_OR_RETURN(const auto gpu, engine_->gpu_keeper().Require());
    const vkernel::KernelCacheStats stats = gpu->programs().stats();
    GpuKernelCounts counts;
    counts.compiled = stats.compiles_fast;
    counts.compile_ms = stats.compile_fast_ms;
    counts.compile_most_ms = stats.compile_fast_most_ms;
    counts.compiled_full = stats.compiles_full;
    counts.compile_full_ms = stats.compile_ms - stats.compile_fast_ms;
    counts.from_disk = stats.disk_hits;
    counts.disk_ms = stats.disk_ms;
    counts.load_ms = stats.load_ms;
    return counts;
  }

  void AwaitCode() override {
    if (const auto gpu = engine_->gpu()) gpu->programs().AwaitFull();
  }

 private:
  base::Result<std::shared_ptr<columns::TableSource>> Open(const std::string& table) {
    return OpenTable(engine_.get(), folder_, table);
  }

  // As a node gets it, which remembers commands. Made once: hundreds of small pieces that are freed
  // between runs would be cleared up by the allocator within the next.
  base::Result<const std::string*> CommandOf(const std::string& query,
                                             const nlohmann::json& constants) {
    std::lock_guard lock(commands_mutex_);
    std::string& command = commands_[{query, constants}];
    if (command.empty()) {
      SVM_ASSIGN_OR_RETURN(const client::Frame frame, MakeSsbQuery(query, tables_, constants));
      command = frame.ToCommand().SerializeAsString();
    }
    return &command;
  }

  exec::RunOptions OptionsFor(exec::QueryStats* stats) const {
    exec::RunOptions options;
    options.stats = stats;
    options.mode = settings_.mode;
    options.policy = settings_.policy;
    options.trace = !settings_.trace_file.empty();
    options.just_planned = true;
    return options;
  }

  std::unique_ptr<exec::Engine> engine_;
  BenchSettings settings_;
  BenchSettings gpu_settings_;  // that the GPU was opened with
  SsbTables tables_;
  std::string folder_;
  std::mutex commands_mutex_;
  std::map<std::pair<std::string, nlohmann::json>, std::string> commands_;
};

}  // namespace

base::Result<NamedTables> GenerateTables(const BenchSettings& settings) {
  SVM_ASSIGN_OR_RETURN(const ssb::Scale scale, ssb::MakeScale(settings.scale_factor, /*seed=*/1));
  SVM_ASSIGN_OR_RETURN(auto pool, arrow::internal::ThreadPool::Make(settings.threads));
  NamedTables tables;
  for (const auto& generator : ssb::MakeTables(scale)) {
    for (const auto& [table, columns] : ColumnsRead()) {
      if (table != generator->name()) continue;
      SVM_ASSIGN_OR_RETURN(tables[table], Generate(*generator, columns, pool.get()));
    }
  }
  return tables;
}

exec::EngineOptions EngineOptionsOf(const BenchSettings& settings) {
  exec::EngineOptions options;
  options.threads = settings.threads;
  options.memory_bytes = settings.memory_bytes;
  options.keep_tables = settings.residency != Residency::kFile;
  options.gpu = GpuOptionsOf(settings);
  // What a node has read from files it keeps, and generated tables stand for files.
  options.keep_added_builds = settings.own_node || settings.keep_builds;
  return options;
}

base::Result<std::unique_ptr<exec::Engine>> MakeBenchEngine(const BenchSettings& settings) {
  SVM_ASSIGN_OR_RETURN(auto engine, exec::Engine::Make(EngineOptionsOf(settings)));
  // Starting the engine is not what is measured: a node starts once, queries come later.
  engine->kernels().AwaitWarm();
  static_cast<void>(engine->gpu());
  if (settings.data.empty()) {
    SVM_ASSIGN_OR_RETURN(NamedTables tables, GenerateTables(settings));
    for (auto& [name, table] : tables) {
      SVM_RETURN_NOT_OK(engine->AddTable(name, *table));
      table.reset();
    }
  }
  if (settings.residency != Residency::kFile) {
    SVM_RETURN_NOT_OK(LoadTables(engine.get(), settings.data));
  }
  return engine;
}

void AddStats(const exec::QueryStats& stats, QueryRun* run) {
  const exec::GpuTimes times = GpuTimesOf(stats);
  run->plan_ms = stats.spans.Milliseconds(base::Stage::kPlan);
  run->render_ms = stats.spans.Milliseconds(base::Stage::kRender);
  run->compile_ms = stats.spans.Milliseconds(base::Stage::kCompile);
  run->scan_ms = stats.spans.Milliseconds(base::Stage::kScan);
  run->cpu_kernel_ms = std::max(stats.spans.Milliseconds(base::Stage::kRun) - times.run_ms, 0.0);
  run->merge_ms = stats.spans.Milliseconds(base::Stage::kMerge);
  run->bytes = stats.bytes_read.load();
  run->gpu_ms = times.kernel_ms;
  run->copy_ms = times.copy_ms;
  run->link_bytes = times.link_bytes;
  run->device_bytes = times.device_bytes;
  for (const exec::GpuPipeline& pipeline : stats.gpu) {
    if (!pipeline.why_not.empty()) continue;
    run->gpu_kernels.push_back({pipeline.title, pipeline.times.kernel_ms});
  }
}

base::Result<std::unique_ptr<QueryRunner>> MakeEngineRunner(const BenchSettings& settings) {
  SVM_ASSIGN_OR_RETURN(auto engine, MakeBenchEngine(settings));
  return std::make_unique<EngineRunner>(std::move(engine), settings);
}

}  // namespace shadowvm::cli
