// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/pipeline_history.h"

#include <utility>

#include "engine/exec/gpu/gpu.h"

namespace shadowvm::exec {

using schedule::KernelHistory;
using schedule::Side;

PipelineHistory PipelineHistory::WhereGpu(std::string does) const {
  PipelineHistory other = *this;
  other.gpu_does_ = std::move(does);
  other.shapes_ = {};
  return other;
}

PipelineHistory::Place PipelineHistory::OfGpu(double device_share) {
  return device_share >= schedule::kResidentShare ? kDevice : kHost;
}

uint64_t PipelineHistory::ShapeAt(Place place) {
  uint64_t& shape = shapes_[place];
  if (shape != 0) return shape;
  if (place == kMemory || place == kFiles) {
    return shape = KernelHistory::At(kernel_, place == kMemory ? "cores" : "cores, files");
  }
  // Rows of the host that are brought over first take another time than those read in place, and
  // strings do by far.
  const bool brought = context_->gpu->options().prefetch == GpuPrefetch::kKept;
  const std::string where = place == kDevice ? " device" : brought ? " host, brought" : " host";
  return shape = KernelHistory::At(kernel_, context_->gpu->facts().name + where + gpu_does_);
}

schedule::BySide<double> PipelineHistory::Find(bool in_memory, double device_share) {
  schedule::BySide<double> found;
  found[Side::kCpu] = context_->history->Find(ShapeAt(OfCores(in_memory)))[Side::kCpu];
  if (context_->gpu == nullptr) return found;
  found[Side::kGpu] = context_->history->Find(ShapeAt(OfGpu(device_share)))[Side::kGpu];
  return found;
}

void PipelineHistory::RecordCores(bool in_memory, double rows_per_ms) {
  context_->history->Record(ShapeAt(OfCores(in_memory)), Side::kCpu, rows_per_ms);
}

void PipelineHistory::RecordGpu(double device_share, double rows_per_ms) {
  context_->history->Record(ShapeAt(OfGpu(device_share)), Side::kGpu, rows_per_ms);
}

double DeviceShare(const GpuTimes& times) {
  const auto bytes = static_cast<double>(times.device_bytes + times.link_bytes);
  return bytes > 0 ? static_cast<double>(times.device_bytes) / bytes : 0;
}

}  // namespace shadowvm::exec
