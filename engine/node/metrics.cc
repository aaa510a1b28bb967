// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/metrics.h"

#include <string>

namespace shadowvm::node {
namespace {

v1::PipelineMetrics ToProto(const exec::PipelineStats& stats, const v1::DeviceShare& device) {
  v1::PipelineMetrics metrics;
  metrics.set_index(static_cast<uint32_t>(stats.index));
  metrics.set_rows_in(stats.rows_in);
  metrics.set_rows_out(stats.rows_out);
  metrics.set_milliseconds(stats.milliseconds);
  metrics.set_segments_run(stats.segments_run);
  metrics.set_segments_skipped(stats.segments_skipped);
  metrics.set_partitions(stats.partitions);
  if (stats.rows_in > 0) *metrics.add_devices() = device;
  return metrics;
}

}  // namespace

v1::QueryMetrics MetricsOf(const Query& query, std::string_view device) {
  const exec::QueryStats& stats = *query.command().stats;
  v1::QueryMetrics metrics;
  metrics.set_query_id(query.id());
  metrics.set_rows(stats.rows);
  metrics.set_total_ms(query.total_ms());
  metrics.set_bytes_read(stats.bytes_read.load());
  metrics.set_segments_run(stats.segments_run.load());
  metrics.set_segments_skipped(stats.segments_skipped.load());
  for (int i = 0; i < base::kNumStages; ++i) {
    const auto stage = static_cast<base::Stage>(i);
    v1::StageTime* time = metrics.add_stages();
    time->set_stage(std::string(base::NameOf(stage)));
    time->set_milliseconds(stats.spans.Milliseconds(stage));
  }
  v1::DeviceShare share;
  share.set_device(std::string(device));
  share.set_share(1);
  for (const exec::PipelineStats& pipeline : query.pipelines()) {
    *metrics.add_pipelines() = ToProto(pipeline, share);
  }
  *metrics.add_devices() = share;
  return metrics;
}

void AddEngineState(exec::Engine* engine, v1::StatusResponse* status) {
  status->set_memory_used(engine->budget().used());
  status->set_memory_peak(engine->budget().peak());
  status->set_memory_limit(engine->budget().limit());
  status->set_table_bytes(engine->segment_bytes());
  status->set_build_bytes(engine->build_bytes());
  const vkernel::KernelCacheStats kernels = engine->kernels().stats();
  v1::KernelCounters* counters = status->mutable_kernels();
  counters->set_memory_hits(kernels.memory_hits);
  counters->set_disk_hits(kernels.disk_hits);
  counters->set_compiles_fast(kernels.compiles_fast);
  counters->set_compiles_full(kernels.compiles_full);
  counters->set_compile_ms(kernels.compile_ms);
  counters->set_resident(kernels.resident);
}

}  // namespace shadowvm::node
