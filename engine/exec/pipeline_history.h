// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/exec/query_context.h"

namespace shadowvm::exec {

// What the engine's history knows of one pipeline's kernel: how fast cores and the GPU were at it.
// Only times that may be compared are under one key: those of cores by whether rows were in memory
// or in files, those of a GPU by the GPU and by whose memory rows were in when a run began, and of
// the host's by whether they are to be brought over or read in place.
class PipelineHistory {
 public:
  // 'text' is the CPU's kernel. The context outlives this, and has the same GPU or none.
  PipelineHistory(const QueryContext& context, std::string_view text)
      : context_(&context), kernel_(schedule::KernelHistory::ShapeOf(text)) {}

  // The same kernel, where a GPU does something else with the rows.
  PipelineHistory WhereGpu(std::string does) const;

  // Rows a millisecond and lane; 0: nothing is known. Of the GPU only where there is one.
  schedule::BySide<double> Find(bool in_memory, double device_share);
  void RecordCores(bool in_memory, double rows_per_ms);
  void RecordGpu(double device_share, double rows_per_ms);

 private:
  enum Place : uint8_t { kMemory, kFiles, kHost, kDevice, kNumPlaces };
  static Place OfCores(bool in_memory) { return in_memory ? kMemory : kFiles; }
  static Place OfGpu(double device_share);
  uint64_t ShapeAt(Place place);

  const QueryContext* context_;
  uint64_t kernel_;
  std::string gpu_does_;
  std::array<uint64_t, kNumPlaces> shapes_{};  // 0: not asked for yet
};

// Of what a run on a GPU has read, the share that was in its memory before: copies that were made
// for the run have come over the link.
double DeviceShare(const GpuTimes& times);

}  // namespace shadowvm::exec
