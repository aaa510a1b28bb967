// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/pipeline_facts.h"

#include <algorithm>
#include <vector>

#include "engine/exec/gpu/gpu.h"

namespace shadowvm::exec {
namespace {

// Segments of one table are much alike.
constexpr size_t kLookedAt = 4;

struct Bytes {
  int64_t all = 0;
  int64_t on_device = 0;

  void Add(Gpu* gpu, const std::shared_ptr<memory::Buffer>& buffer) {
    if (buffer == nullptr) return;
    all += buffer->size();
    if (gpu != nullptr && gpu->copies().Find(buffer) != nullptr) on_device += buffer->size();
  }
};

}  // namespace

schedule::PipelineFacts FactsOf(const QueryContext& context, const PipelineBinding& binding,
                                std::string why_not_gpu) {
  schedule::PipelineFacts facts;
  facts.why_not_gpu = std::move(why_not_gpu);
  facts.cores = context.workers.count();
  const vkernel::Blueprint& blueprint = binding.blueprint();
  facts.only_scans = blueprint.sink.form == vkernel::SinkForm::kCollect && blueprint.joins.empty();
  columns::TableSource& table = *binding.source().table;
  std::vector<int> segments;
  for (int segment = 0; segment < table.num_segments(); ++segment) {
    if (!binding.MayPass(segment)) continue;
    segments.push_back(segment);
    facts.rows += table.segment_rows(segment);
  }
  const auto found = binding.FindResident(segments);
  facts.in_memory = std::find(found.begin(), found.end(), nullptr) == found.end();
  if (!facts.in_memory || segments.empty()) return facts;
  Bytes bytes;
  int64_t rows = 0;
  const size_t step = std::max<size_t>(1, segments.size() / kLookedAt);
  for (size_t i = 0; i < segments.size(); i += step) {
    rows += found[i]->num_rows;
    for (const auto& column : found[i]->columns) {
      bytes.Add(context.gpu, column->data);
      bytes.Add(context.gpu, column->validity);
      bytes.Add(context.gpu, column->offsets);
    }
  }
  if (rows == 0 || bytes.all == 0) return facts;
  facts.bytes = bytes.all * facts.rows / rows;
  facts.device_share = static_cast<double>(bytes.on_device) / static_cast<double>(bytes.all);
  return facts;
}

}  // namespace shadowvm::exec
