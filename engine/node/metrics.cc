// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/metrics.h"

#include <string>
#include <vector>

#include "engine/node/devices.h"
#include "engine/node/flight_error.h"

namespace shadowvm::node {
namespace {

void SetShare(const char* device, double part, v1::DeviceShare* share) {
  share->set_device(device);
  share->set_share(part);
}

// By the rows that kernels read; Metrics are a pipeline's or a query's.
template <typename Metrics>
void AddShares(int64_t rows, int64_t rows_on_gpu, Metrics* metrics) {
  const double share = rows > 0 ? static_cast<double>(rows_on_gpu) / static_cast<double>(rows) : 0;
  if (share < 1) SetShare(kCpuDevice, 1 - share, metrics->add_devices());
  if (share > 0) SetShare(kGpuDevice, share, metrics->add_devices());
}

// Metrics are a sort's or a table's.
template <typename Metrics>
void SetPart(const exec::PartDevices& part, Metrics* metrics) {
  metrics->set_mode(WireMode(part.mode));
  metrics->set_rows(part.rows);
  metrics->set_predicted_ms(part.predicted_ms);
  metrics->set_real_ms(part.real_ms);
  metrics->set_reason(Readable(part.reason));
  metrics->set_kernel_ms(part.times.kernel_ms);
  metrics->set_link_bytes(part.times.link_bytes);
}

v1::PipelineMetrics ToProto(const exec::PipelineStats& stats) {
  v1::PipelineMetrics metrics;
  metrics.set_index(static_cast<uint32_t>(stats.index));
  metrics.set_rows_in(stats.rows_in);
  metrics.set_rows_out(stats.rows_out);
  metrics.set_milliseconds(stats.milliseconds);
  metrics.set_segments_run(stats.segments_run);
  metrics.set_segments_skipped(stats.segments_skipped);
  metrics.set_partitions(stats.partitions);
  metrics.set_kernel_ms(stats.kernel_ms);
  metrics.set_why_not_gpu(Readable(stats.why_not_gpu));
  metrics.set_link_bytes(stats.link_bytes);
  metrics.set_mode(WireMode(stats.mode));
  metrics.set_predicted_ms(stats.predicted_ms);
  metrics.set_real_ms(stats.real_ms);
  metrics.set_reason(Readable(stats.reason));
  if (stats.sort.rows > 0) SetPart(stats.sort, metrics.mutable_sort());
  for (const exec::FillDevices& fill : stats.fills) {
    v1::FillMetrics* const filled = metrics.add_fills();
    filled->set_build(Readable(fill.build));
    SetPart(fill, filled);
  }
  if (stats.rows_in > 0) AddShares(stats.rows_in, stats.rows_on_gpu, &metrics);
  return metrics;
}

}  // namespace

v1::QueryMetrics MetricsOf(const Query& query) {
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
  const std::vector<exec::PipelineStats> pipelines = query.pipelines();
  int64_t rows = 0, rows_on_gpu = 0;
  for (const exec::PipelineStats& pipeline : pipelines) {
    *metrics.add_pipelines() = ToProto(pipeline);
    rows += pipeline.rows_in;
    rows_on_gpu += pipeline.rows_on_gpu;
  }
  AddShares(rows, rows_on_gpu, &metrics);
  return metrics;
}

void AddEngineState(exec::Engine* engine, v1::StatusResponse* status) {
  status->set_memory_used(engine->budget().used());
  status->set_memory_peak(engine->budget().peak());
  status->set_memory_limit(engine->budget().limit());
  status->set_table_bytes(engine->segment_bytes());
  status->set_build_bytes(engine->build_bytes());
  SetCounters(engine->kernels().stats(), status->mutable_kernels());
  DescribeDevices(engine, status);
}

}  // namespace shadowvm::node
