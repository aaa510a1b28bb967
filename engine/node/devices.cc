// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/devices.h"

#include <string>

namespace shadowvm::node {

void ListDevices(exec::Engine* engine, v1::HandshakeResponse* response) {
  v1::Device* cpu = response->add_devices();
  cpu->set_name(kCpuDevice);
  cpu->set_workers(static_cast<uint32_t>(engine->device().num_workers()));
  const std::shared_ptr<exec::Gpu> gpu = engine->gpu();
  if (gpu == nullptr) {
    response->set_no_gpu(engine->gpu_keeper().state().down);
    return;
  }
  const device::AcceleratorFacts& facts = gpu->facts();
  v1::Device* device = response->add_devices();
  device->set_name(kGpuDevice);
  device->set_workers(static_cast<uint32_t>(facts.num_processors));
  device->set_model(facts.name + ", " + facts.architecture + ", " + facts.link);
  device->set_memory_bytes(facts.memory_bytes);
}

void DescribeDevices(exec::Engine* engine, v1::StatusResponse* status) {
  const exec::GpuKeeper::State state = engine->gpu_keeper().state();
  if (!state.wanted) return;
  v1::DeviceStatus* device = status->add_devices();
  device->set_name(kGpuDevice);
  device->set_down(state.down);
  device->set_retry_ms(state.retry_ms);
  device->set_failures(state.failures);
  if (state.gpu == nullptr) return;
  device->set_memory_bytes(state.gpu->facts().memory_bytes);
  device->set_memory_used(state.gpu->allocated_bytes());
  SetCounters(state.gpu->programs().stats(), device->mutable_kernels());
}

schedule::Mode ModeOf(const v1::Execution& execution) {
  switch (execution.mode()) {
    case v1::MODE_CPU:
      return schedule::Mode::kCpu;
    case v1::MODE_GPU:
      return schedule::Mode::kGpu;
    case v1::MODE_MIXED:
      return schedule::Mode::kMixed;
    default:
      return schedule::Mode::kAuto;
  }
}

v1::Mode WireMode(schedule::Mode mode) {
  switch (mode) {
    case schedule::Mode::kCpu:
      return v1::MODE_CPU;
    case schedule::Mode::kGpu:
      return v1::MODE_GPU;
    case schedule::Mode::kMixed:
      return v1::MODE_MIXED;
    default:
      return v1::MODE_AUTO;
  }
}

void SetCounters(const vkernel::KernelCacheStats& stats, v1::KernelCounters* counters) {
  counters->set_memory_hits(stats.memory_hits);
  counters->set_disk_hits(stats.disk_hits);
  counters->set_compiles_fast(stats.compiles_fast);
  counters->set_compiles_full(stats.compiles_full);
  counters->set_compile_ms(stats.compile_ms);
  counters->set_resident(stats.resident);
}

}  // namespace shadowvm::node
