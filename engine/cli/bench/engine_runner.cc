// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/engine_runner.h"

#include <arrow/table.h>
#include <arrow/util/thread_pool.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/cli/bench/ssb_queries.h"
#include "engine/cli/engine_options.h"
#include "engine/cli/ssb/batch_stream.h"
#include "engine/cli/ssb/scale.h"
#include "engine/exec/engine.h"

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

class EngineRunner : public QueryRunner {
 public:
  EngineRunner(std::unique_ptr<exec::Engine> engine, SsbTables tables, std::string folder)
      : engine_(std::move(engine)), tables_(std::move(tables)), folder_(std::move(folder)) {}

  ~EngineRunner() override { WarnOfKernelsNotKept(engine_->kernels().stats()); }

  std::vector<std::string> queries() const override { return SsbQueryNames(); }

  base::Result<QueryRun> Run(const std::string& query, const nlohmann::json& constants) override {
    SVM_ASSIGN_OR_RETURN(const client::Frame frame, MakeSsbQuery(query, tables_, constants));
    const v1::Command command = frame.ToCommand();
    exec::QueryStats stats;
    const auto before = engine_->kernels().stats();
    const auto start = std::chrono::steady_clock::now();
    QueryRun run;
    SVM_ASSIGN_OR_RETURN(run.answer, engine_->Run(command, nullptr, &stats));
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    run.total_ms = elapsed.count();
    run.plan_ms = stats.spans.Milliseconds(base::Stage::kPlan);
    run.render_ms = stats.spans.Milliseconds(base::Stage::kRender);
    run.compile_ms = stats.spans.Milliseconds(base::Stage::kCompile);
    run.merge_ms = stats.spans.Milliseconds(base::Stage::kMerge);
    run.compiles = engine_->kernels().stats().compiles_fast - before.compiles_fast;
    run.bytes = stats.bytes_read.load();
    for (const exec::GpuPipeline& pipeline : stats.gpu) {
      run.gpu_ms += pipeline.times.kernel_ms;
      run.copy_ms += pipeline.times.copy_ms;
      run.link_bytes += pipeline.times.link_bytes;
      run.device_bytes += pipeline.times.device_bytes;
      if (!pipeline.why_not.empty()) run.gpu_why_not = pipeline.title + ": " + pipeline.why_not;
    }
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

  // Brings every column that a query reads into memory, as far as there is room, and has a GPU's
  // driver pin it.
  base::Status Load() {
    for (const auto& [table, columns] : ColumnsRead()) {
      SVM_ASSIGN_OR_RETURN(const auto source, Open(table));
      SVM_ASSIGN_OR_RETURN(const std::vector<int> ordinals, OrdinalsOf(*source, columns));
      for (const int ordinal : ordinals) SVM_RETURN_NOT_OK(source->layout(ordinal));
      SVM_RETURN_NOT_OK(schedule::ParallelFor(
          {&engine_->device(), nullptr}, source->num_segments(),
          [&](int, int64_t segment) -> base::Status {
            SVM_ASSIGN_OR_RETURN(const auto data,
                                 source->Read(static_cast<int>(segment), ordinals, {}, nullptr));
            for (const auto& column : data->columns) Pin(*column);
            return base::Status::OK();
          }));
    }
    if (engine_->gpu() != nullptr) engine_->gpu()->pinned().Await();
    return base::Status::OK();
  }

 private:
  void Pin(const columns::ColumnSegment& column) {
    if (engine_->gpu() == nullptr) return;
    engine_->gpu()->pinned().Want(column.data);
    if (column.validity != nullptr) engine_->gpu()->pinned().Want(column.validity);
  }

  base::Result<std::shared_ptr<columns::TableSource>> Open(const std::string& table) {
    if (folder_.empty()) return engine_->Open({{}, table});
    return engine_->Open({{folder_ + "/" + table + ".parquet"}, {}});
  }

  std::unique_ptr<exec::Engine> engine_;
  SsbTables tables_;
  std::string folder_;
};

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

base::Status GenerateTables(exec::Engine* engine, const BenchSettings& settings) {
  SVM_ASSIGN_OR_RETURN(const ssb::Scale scale, ssb::MakeScale(settings.scale_factor, /*seed=*/1));
  SVM_ASSIGN_OR_RETURN(auto pool, arrow::internal::ThreadPool::Make(settings.threads));
  for (const auto& generator : ssb::MakeTables(scale)) {
    for (const auto& [table, columns] : ColumnsRead()) {
      if (table != generator->name()) continue;
      SVM_ASSIGN_OR_RETURN(const auto data, Generate(*generator, columns, pool.get()));
      SVM_RETURN_NOT_OK(engine->AddTable(table, *data));
    }
  }
  return base::Status::OK();
}

exec::GpuOptions GpuOptionsOf(const BenchSettings& settings) {
  exec::GpuOptions options;
  if (settings.mode != Mode::kGpu) return options;
  options.kind = settings.emulate_gpu ? exec::GpuKind::kEmulated : exec::GpuKind::kCuda;
  options.memory_bytes = settings.device_memory_bytes;
  options.active_streams = settings.active_streams;
  if (settings.residency == Residency::kDevice) {
    options.prefetch = exec::GpuPrefetch::kKept;
  } else {
    options.prefetch = settings.prefetch == Prefetch::kPassive ? exec::GpuPrefetch::kPassive
                                                               : exec::GpuPrefetch::kActive;
  }
  return options;
}

}  // namespace

base::Result<std::unique_ptr<QueryRunner>> MakeEngineRunner(const BenchSettings& settings) {
  exec::EngineOptions options;
  options.threads = settings.threads;
  options.memory_bytes = settings.memory_bytes;
  options.keep_tables = settings.residency != Residency::kFile;
  options.gpu = GpuOptionsOf(settings);
  SVM_ASSIGN_OR_RETURN(auto engine, exec::Engine::Make(std::move(options)));
  // Starting the engine is not what is measured: a node starts once, queries come later.
  engine->kernels().AwaitWarm();
  if (settings.data.empty()) SVM_RETURN_NOT_OK(GenerateTables(engine.get(), settings));
  auto runner = std::make_unique<EngineRunner>(
      std::move(engine), settings.data.empty() ? RegisteredTables() : TablesInFolder(settings.data),
      settings.data);
  if (settings.residency != Residency::kFile) SVM_RETURN_NOT_OK(runner->Load());
  return runner;
}

}  // namespace shadowvm::cli
