// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/emulated/emulated_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "engine/device/emulated/fiber_block.h"
#include "engine/device/shared_object.h"

namespace shadowvm::device {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;

constexpr char kEntry[] = "svm_kernel";
constexpr int64_t kAlignment = 256;
constexpr int kUnwritten = 0xa5;

int64_t RoundUp(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// The card's memory: one mapping that the host cannot touch while it is closed. Thread-safe.
class Memory {
 public:
  static Result<std::unique_ptr<Memory>> Map(int64_t bytes) {
    void* base = ::mmap(nullptr, static_cast<size_t>(bytes), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
      return MakeError(ErrorCode::kOutOfMemory, "memory of the emulated GPU");
    }
    return std::unique_ptr<Memory>(new Memory(static_cast<uint8_t*>(base), bytes));
  }
  ~Memory() { ::munmap(base_, static_cast<size_t>(bytes_)); }

  Result<DeviceAddress> Allocate(int64_t bytes) {
    const int64_t size = RoundUp(std::max<int64_t>(bytes, 1));
    std::lock_guard lock(mutex_);
    for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
      if (gap->second < size) continue;
      const int64_t at = gap->first;
      const int64_t left = gap->second - size;
      free_.erase(gap);
      if (left > 0) free_[at + size] = left;
      OpenLocked();
      std::memset(base_ + at, kUnwritten, static_cast<size_t>(size));
      CloseLocked();
      return reinterpret_cast<DeviceAddress>(base_ + at);
    }
    return MakeError(ErrorCode::kOutOfMemory,
                     "the emulated GPU has no " + std::to_string(bytes) + " bytes left");
  }

  void Free(DeviceAddress address, int64_t bytes) {
    std::lock_guard lock(mutex_);
    const int64_t at = reinterpret_cast<uint8_t*>(address) - base_;
    auto gap = free_.emplace(at, RoundUp(std::max<int64_t>(bytes, 1))).first;
    const auto next = std::next(gap);
    if (next != free_.end() && gap->first + gap->second == next->first) {
      gap->second += next->second;
      free_.erase(next);
    }
    if (gap == free_.begin()) return;
    const auto before = std::prev(gap);
    if (before->first + before->second != gap->first) return;
    before->second += gap->second;
    free_.erase(gap);
  }

  bool Holds(DeviceAddress address, int64_t bytes) const {
    const auto* at = reinterpret_cast<const uint8_t*>(address);
    return at >= base_ && bytes <= bytes_ && at - base_ <= bytes_ - bytes;
  }

  void Open() {
    std::lock_guard lock(mutex_);
    OpenLocked();
  }
  void Close() {
    std::lock_guard lock(mutex_);
    CloseLocked();
  }

 private:
  Memory(uint8_t* base, int64_t bytes) : base_(base), bytes_(bytes), free_{{0, bytes}} {}

  void OpenLocked() {
    if (opened_++ == 0) ::mprotect(base_, static_cast<size_t>(bytes_), PROT_READ | PROT_WRITE);
  }
  void CloseLocked() {
    if (--opened_ == 0) ::mprotect(base_, static_cast<size_t>(bytes_), PROT_NONE);
  }

  uint8_t* const base_;
  const int64_t bytes_;
  std::mutex mutex_;
  std::map<int64_t, int64_t> free_;  // gaps: where, and how large
  int opened_ = 0;
};

class EmulatedProgram : public Program {
 public:
  EmulatedProgram(std::unique_ptr<SharedObject> object, FiberBlock::Entry entry)
      : object_(std::move(object)), entry_(entry) {}

  // One launch at a time: the code knows its fiber by a variable of its own.
  Status Run(const LaunchShape& shape, DeviceAddress argument) const {
    std::lock_guard lock(mutex_);
    std::vector<uint64_t> shared(static_cast<size_t>(shape.shared_bytes) / 8 + 1);
    FiberBlock threads(static_cast<uint32_t>(shape.block_threads));
    for (int block = 0; block < shape.num_blocks; ++block) {
      kernels::EmulatedLane common = {};
      common.block = static_cast<uint32_t>(block);
      common.block_threads = static_cast<uint32_t>(shape.block_threads);
      common.num_blocks = static_cast<uint32_t>(shape.num_blocks);
      common.shared = reinterpret_cast<uint8_t*>(shared.data());
      common.shared_bytes = static_cast<uint64_t>(shape.shared_bytes);
      common.argument = reinterpret_cast<const void*>(argument);
      SVM_RETURN_NOT_OK(threads.Run(entry_, common));
    }
    return Status::OK();
  }

 private:
  const std::unique_ptr<SharedObject> object_;
  const FiberBlock::Entry entry_;
  mutable std::mutex mutex_;
};

class EmulatedStream : public Stream {
 public:
  EmulatedStream(const EmulatedOptions& options, Memory* memory)
      : options_(options), memory_(*memory) {}

  Status CopyIn(DeviceAddress to, const void* from, int64_t bytes) override {
    SVM_RETURN_NOT_OK(CheckAddress(to, bytes));
    queue_.push_back([=] {
      std::memcpy(reinterpret_cast<void*>(to), from, static_cast<size_t>(bytes));
      return Status::OK();
    });
    return Status::OK();
  }

  Status CopyOut(void* to, DeviceAddress from, int64_t bytes) override {
    SVM_RETURN_NOT_OK(CheckAddress(from, bytes));
    queue_.push_back([=] {
      std::memcpy(to, reinterpret_cast<const void*>(from), static_cast<size_t>(bytes));
      return Status::OK();
    });
    return Status::OK();
  }

  Status Launch(const Program& program, const LaunchShape& shape, DeviceAddress argument) override {
    SVM_RETURN_NOT_OK(CheckAddress(argument, 1));
    if (shape.block_threads % 32 != 0 || shape.block_threads > options_.max_block_threads ||
        shape.shared_bytes > options_.shared_bytes) {
      return MakeError(ErrorCode::kInternal, "the emulated GPU has no such blocks");
    }
    const auto& code = static_cast<const EmulatedProgram&>(program);
    queue_.push_back([this, &code, shape, argument] {
      const auto start = std::chrono::steady_clock::now();
      const Status status = code.Run(shape, argument);
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      milliseconds_ = time.count();
      return status;
    });
    return Status::OK();
  }

  Status Synchronize() override {
    Status status;
    memory_.Open();
    for (const auto& work : queue_) {
      if (status.ok()) status = work();
    }
    memory_.Close();
    queue_.clear();
    return status;
  }

  double launch_milliseconds() const override { return milliseconds_; }

 private:
  Status CheckAddress(DeviceAddress address, int64_t bytes) const {
    if (memory_.Holds(address, bytes)) return Status::OK();
    return MakeError(ErrorCode::kInternal, "not an address of the emulated GPU");
  }

  const EmulatedOptions& options_;
  Memory& memory_;
  std::vector<std::function<Status()>> queue_;
  double milliseconds_ = 0;
};

class EmulatedDevice : public Accelerator {
 public:
  EmulatedDevice(const EmulatedOptions& options, std::unique_ptr<Memory> memory)
      : options_(options), memory_(std::move(memory)) {
    facts_.name = "emulated GPU";
    facts_.architecture = "emulated";
    facts_.num_processors = options.num_processors;
    facts_.max_block_threads = options.max_block_threads;
    facts_.memory_bytes = options.memory_bytes;
    facts_.shared_bytes = options.shared_bytes;
    facts_.link = "memory of this process";
  }

  const AcceleratorFacts& facts() const override { return facts_; }

  Result<DeviceMemory> Allocate(int64_t bytes) override {
    SVM_ASSIGN_OR_RETURN(const DeviceAddress address, memory_->Allocate(bytes));
    return DeviceMemory(this, address, bytes);
  }

  Result<std::unique_ptr<Program>> Load(const std::string& name, const std::string& code) override {
    SVM_ASSIGN_OR_RETURN(auto object, SharedObject::Load(name, code));
    SVM_ASSIGN_OR_RETURN(void* entry, object->Find(kEntry));
    return std::make_unique<EmulatedProgram>(std::move(object),
                                             reinterpret_cast<FiberBlock::Entry>(entry));
  }

  Result<std::unique_ptr<Stream>> MakeStream() override {
    return std::make_unique<EmulatedStream>(options_, memory_.get());
  }

 private:
  void Free(DeviceAddress address, int64_t bytes) override { memory_->Free(address, bytes); }

  const EmulatedOptions options_;
  const std::unique_ptr<Memory> memory_;
  AcceleratorFacts facts_;
};

}  // namespace

Result<std::unique_ptr<Accelerator>> MakeEmulatedDevice(const EmulatedOptions& options) {
  SVM_ASSIGN_OR_RETURN(auto memory, Memory::Map(options.memory_bytes));
  return std::make_unique<EmulatedDevice>(options, std::move(memory));
}

}  // namespace shadowvm::device
