// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/base/status.h"

// A device with memory and code of its own: a GPU, or an emulated one. A Device (device.h) takes
// steps of a run; a step that wants its rows worked on elsewhere does so through an Accelerator.
namespace shadowvm::device {

// An address in an accelerator's memory. Never a pointer of the host.
using DeviceAddress = uint64_t;

// What a launch is shaped by, and what `shadowvm doctor` shows.
struct AcceleratorFacts {
  std::string name;
  std::string architecture;  // "sm_90"; what its code is compiled for
  int num_processors = 0;    // each runs blocks of threads on its own
  int max_block_threads = 0;
  int64_t memory_bytes = 0;
  int64_t shared_bytes = 0;  // of one block, at most
  std::string link;          // to the host's memory, in words
  std::string driver;        // in words
};

class Accelerator;

// Bytes of an accelerator's memory, given back when it goes. The accelerator outlives it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(Accelerator* owner, DeviceAddress address, int64_t bytes)
      : owner_(owner), address_(address), bytes_(bytes) {}
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceMemory();

  DeviceAddress address() const { return address_; }
  int64_t bytes() const { return bytes_; }

 private:
  Accelerator* owner_ = nullptr;
  DeviceAddress address_ = 0;
  int64_t bytes_ = 0;
};

// Pages of the host's memory that an accelerator reads where they are. The accelerator and the
// pages outlive it.
class HostMapping {
 public:
  HostMapping() = default;
  HostMapping(Accelerator* owner, void* host, DeviceAddress address)
      : owner_(owner), host_(host), address_(address) {}
  HostMapping(HostMapping&& other) noexcept { *this = std::move(other); }
  HostMapping& operator=(HostMapping&& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(host_, other.host_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~HostMapping();

  // Of the first byte, as the device sees it.
  DeviceAddress address() const { return address_; }

 private:
  Accelerator* owner_ = nullptr;
  void* host_ = nullptr;
  DeviceAddress address_ = 0;
};

// Loaded code with the one entry svm_kernel. The accelerator outlives it.
class Program {
 public:
  virtual ~Program() = default;
};

struct LaunchShape {
  int num_blocks = 1;
  int block_threads = 32;
  int64_t shared_bytes = 0;  // of each block
};

// A queue of work in order. Every call but Synchronize may return before the work is done, and host
// memory it names must live and keep its bytes until Synchronize. One thread at a time.
class Stream {
 public:
  virtual ~Stream() = default;

  virtual base::Status CopyIn(DeviceAddress to, const void* from, int64_t bytes) = 0;
  virtual base::Status CopyOut(void* to, DeviceAddress from, int64_t bytes) = 0;
  // Whether a CopyOut of so many bytes would not make the caller wait for what is queued before it,
  // if it came next, whatever memory it goes to.
  virtual bool CopiesOutPromptly(int64_t bytes) const = 0;
  virtual base::Status Clear(DeviceAddress at, int64_t bytes) = 0;  // to zeros
  // Calls the program's entry in every thread with one argument: an address.
  virtual base::Status Launch(const Program& program, const LaunchShape& shape,
                              DeviceAddress argument) = 0;
  // Waits for all of it. An error of any earlier call may come out here.
  virtual base::Status Synchronize() = 0;
  // Whether all of it is done: then Synchronize does not wait. Nor does this.
  virtual base::Result<bool> IsDone() = 0;
  // How long the launches that the last Synchronize waited for ran on the device, together.
  virtual double launch_milliseconds() const = 0;
};

// Thread-safe. Errors: kOutOfMemory, kKernelLoad, else kInternal with the driver's words.
class Accelerator {
 public:
  virtual ~Accelerator() = default;

  virtual const AcceleratorFacts& facts() const = 0;
  virtual base::Result<DeviceMemory> Allocate(int64_t bytes) = 0;
  // Nobody wants what these bytes of such memory hold, before they are written again. A device may
  // use that to spoil them; no work that names them is queued.
  virtual void Forget(DeviceAddress, int64_t) {}
  // Lets kernels read whole pages of the host in place, until the mapping goes; pages that are in a
  // mapping already are refused. Slow: the pages are pinned.
  virtual base::Result<HostMapping> MapHost(void* pages, int64_t bytes) = 0;
  // `name` is for messages.
  virtual base::Result<std::unique_ptr<Program>> Load(const std::string& name,
                                                      const std::string& code) = 0;
  virtual base::Result<std::unique_ptr<Stream>> MakeStream() = 0;

 private:
  friend class DeviceMemory;
  friend class HostMapping;
  virtual void Free(DeviceAddress address, int64_t bytes) = 0;
  virtual void UnmapHost(void* pages) = 0;
};

inline DeviceMemory::~DeviceMemory() {
  if (owner_ != nullptr) owner_->Free(address_, bytes_);
}

inline HostMapping::~HostMapping() {
  if (owner_ != nullptr) owner_->UnmapHost(host_);
}

}  // namespace shadowvm::device
