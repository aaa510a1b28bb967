// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/device/accelerator.h"

namespace shadowvm::device {

struct GuardOptions {
  // How long the launches of a stream, and what is queued behind them, may take until it is waited
  // for; 0: for ever.
  std::chrono::milliseconds launch_limit{0};
  std::string limit_option = {};  // that sets it, for messages; empty: none does
  // Called once, when the device fails, from the thread that noticed.
  std::function<void(const base::Status&)> on_failure = [](const base::Status&) {};
};

// An accelerator that can be lost. Errors of the device behind it other than kOutOfMemory and
// kKernelLoad, and launches beyond the limit, end its use: from then on every call fails at once
// with the first reason. Only Synchronize still waits for what its stream has queued, which names
// memory of the host; if it hangs, no longer than the limit: then the device may write there until
// the process ends. What the device holds is given back when its owners go, unless it hangs: then a
// driver's call could wait for ever, so all of it is left where it is. Fault points:
// device.allocate, device.load, device.stream, device.launch, device.wait, and device.hang, whose
// error stands for a launch without end.
class GuardedDevice : public Accelerator {
 public:
  GuardedDevice(std::unique_ptr<Accelerator> device, GuardOptions options);
  ~GuardedDevice() override;

  const AcceleratorFacts& facts() const override { return device_->facts(); }
  base::Result<DeviceMemory> Allocate(int64_t bytes) override;
  void Forget(DeviceAddress address, int64_t bytes) override {
    if (!failed_) device_->Forget(address, bytes);
  }
  base::Result<HostMapping> MapHost(void* pages, int64_t bytes) override;
  base::Result<std::unique_ptr<Program>> Load(const std::string& name,
                                              const std::string& code) override;
  base::Result<std::unique_ptr<Stream>> MakeStream() override;

  bool failed() const { return failed_; }
  bool hangs() const { return hangs_; }
  // OK, or the first reason of a failure.
  base::Status CheckUsable() const;
  // Of what Allocate gave and has not got back.
  int64_t allocated_bytes() const { return allocated_bytes_; }

 private:
  class GuardedStream;
  class GuardedProgram;

  void Free(DeviceAddress address, int64_t bytes) override;
  void UnmapHost(void* pages) override;
  // Notes what a call of the device came to.
  base::Status Note(base::Status status);
  base::Status Hang();
  // Ends a part of the device, or leaves it where it is.
  template <typename T>
  void Discard(std::unique_ptr<T> part);

  std::unique_ptr<Accelerator> device_;
  const GuardOptions options_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> hangs_{false};
  std::atomic<int64_t> allocated_bytes_{0};
  mutable std::mutex mutex_;
  base::Status failure_;
  std::map<DeviceAddress, DeviceMemory> memory_;
  std::map<void*, HostMapping> mappings_;
};

}  // namespace shadowvm::device
