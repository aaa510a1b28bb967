// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/emulated/emulated_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/base/fault.h"
#include "engine/device/emulated/fiber_block.h"
#include "engine/device/shared_object.h"
#include "engine/memory/range_allocator.h"

namespace shadowvm::device {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;

constexpr char kEntry[] = "svm_kernel";
constexpr int64_t kPageBytes = 4096;
constexpr int kUnwritten = 0xa5;
// Copies out of more are said to make their caller wait, as they do with a real card, whose staging
// is larger.
constexpr int64_t kPromptBytes = int64_t{16} << 10;

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
    std::lock_guard lock(mutex_);
    const auto at = ranges_.Take(bytes);
    if (!at) {
      return MakeError(ErrorCode::kOutOfMemory,
                       "the emulated GPU has no " + std::to_string(bytes) + " bytes left");
    }
    SpoilLocked(base_ + *at, bytes);
    return reinterpret_cast<DeviceAddress>(base_ + *at);
  }

  void Spoil(DeviceAddress address, int64_t bytes) {
    std::lock_guard lock(mutex_);
    SpoilLocked(reinterpret_cast<uint8_t*>(address), bytes);
  }

  void Free(DeviceAddress address, int64_t bytes) {
    std::lock_guard lock(mutex_);
    ranges_.Give(reinterpret_cast<uint8_t*>(address) - base_, bytes);
  }

  const uint8_t* base() const { return base_; }
  int64_t bytes() const { return bytes_; }
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
  Memory(uint8_t* base, int64_t bytes) : base_(base), bytes_(bytes), ranges_(bytes) {}

  void SpoilLocked(uint8_t* at, int64_t bytes) {
    OpenLocked();
    std::memset(at, kUnwritten, static_cast<size_t>(bytes));
    CloseLocked();
  }
  void OpenLocked() {
    if (opened_++ == 0) ::mprotect(base_, static_cast<size_t>(bytes_), PROT_READ | PROT_WRITE);
  }
  void CloseLocked() {
    if (--opened_ == 0) ::mprotect(base_, static_cast<size_t>(bytes_), PROT_NONE);
  }

  uint8_t* const base_;
  const int64_t bytes_;
  std::mutex mutex_;
  memory::RangeAllocator ranges_;
  int opened_ = 0;
};

// The host's pages that kernels may read. Thread-safe.
class HostPages {
 public:
  Status Add(const uint8_t* pages, int64_t bytes) {
    std::lock_guard lock(mutex_);
    const auto after = pages_.lower_bound(pages);
    const bool overlaps =
        (after != pages_.end() && after->first < pages + bytes) ||
        (after != pages_.begin() && std::prev(after)->first + std::prev(after)->second > pages);
    if (overlaps) return MakeError(ErrorCode::kInternal, "these pages are mapped already");
    pages_.emplace(pages, bytes);
    return Status::OK();
  }
  void Remove(const uint8_t* pages) {
    std::lock_guard lock(mutex_);
    pages_.erase(pages);
  }
  bool Hold(const uint8_t* at, uint64_t bytes) const {
    std::lock_guard lock(mutex_);
    const auto after = pages_.upper_bound(at);
    if (after == pages_.begin()) return false;
    const auto& [first, size] = *std::prev(after);
    return at + bytes <= first + size;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const uint8_t*, int64_t> pages_;
};

class EmulatedProgram : public Program {
 public:
  EmulatedProgram(std::unique_ptr<SharedObject> object, FiberBlock::Entry entry)
      : object_(std::move(object)), entry_(entry) {}

  // One launch at a time: the code knows its fiber by a variable of its own.
  Status Run(const LaunchShape& shape, DeviceAddress argument, const Memory& memory,
             const HostPages& pages) const {
    std::lock_guard lock(mutex_);
    Touched touched{pages};
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
      common.memory = memory.base();
      common.memory_bytes = static_cast<uint64_t>(memory.bytes());
      common.touched = &touched;
      common.touch_host = &TouchHost;
      SVM_RETURN_NOT_OK(threads.Run(entry_, common));
    }
    if (touched.wrongly == nullptr) return Status::OK();
    return MakeError(ErrorCode::kInternal, std::string("emulated GPU: a kernel ") +
                                               touched.wrongly + " memory of the host");
  }

 private:
  // What a launch touches that is not the card's. Kernels may read pages that are mapped, and write
  // none.
  struct Touched {
    const HostPages& pages;
    const char* wrongly = nullptr;
  };

  static void TouchHost(kernels::EmulatedLane* lane, const void* at, uint64_t bytes, bool writes) {
    auto& touched = *static_cast<Touched*>(lane->touched);
    if (writes) {
      touched.wrongly = "writes to";
    } else if (!touched.pages.Hold(static_cast<const uint8_t*>(at), bytes)) {
      touched.wrongly = "reads, though it is not mapped,";
    }
  }

  const std::unique_ptr<SharedObject> object_;
  const FiberBlock::Entry entry_;
  mutable std::mutex mutex_;
};

class EmulatedStream : public Stream {
 public:
  EmulatedStream(const EmulatedOptions& options, Memory* memory, const HostPages* pages)
      : options_(options), memory_(*memory), pages_(*pages) {}

  Status CopyIn(DeviceAddress to, const void* from, int64_t bytes) override {
    SVM_RETURN_NOT_OK(CheckAddress(to, bytes));
    Queue([=] {
      std::memcpy(reinterpret_cast<void*>(to), from, static_cast<size_t>(bytes));
      return Status::OK();
    });
    return Status::OK();
  }

  Status CopyOut(void* to, DeviceAddress from, int64_t bytes) override {
    SVM_RETURN_NOT_OK(CheckAddress(from, bytes));
    Queue([=] {
      std::memcpy(to, reinterpret_cast<const void*>(from), static_cast<size_t>(bytes));
      return Status::OK();
    });
    return Status::OK();
  }

  bool CopiesOutPromptly(int64_t bytes) const override { return bytes <= kPromptBytes; }

  Status Clear(DeviceAddress at, int64_t bytes) override {
    SVM_RETURN_NOT_OK(CheckAddress(at, bytes));
    Queue([=] {
      std::memset(reinterpret_cast<void*>(at), 0, static_cast<size_t>(bytes));
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
    const auto run = [this, &code, shape, argument] {
      const auto start = std::chrono::steady_clock::now();
      const Status status = code.Run(shape, argument, memory_, pages_);
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      running_milliseconds_ += time.count();
      return status;
    };
    queue_.push_back({run, /*is_launch=*/true});
    return Status::OK();
  }

  Status Synchronize() override {
    RunUntil([] { return false; });
    const Status status = std::exchange(failed_, Status::OK());
    milliseconds_ = std::exchange(running_milliseconds_, 0);
    return status;
  }

  // Goes on to the end of a launch and of what belongs to it, so that who asks again and again sees
  // one after another.
  Result<bool> IsDone() override {
    int launches = 0;
    RunUntil([&] { return queue_.front().is_launch && launches++ > 0; });
    SVM_RETURN_NOT_OK(failed_);
    return queue_.empty();
  }

  double launch_milliseconds() const override { return milliseconds_; }

 private:
  struct Work {
    std::function<Status()> run;
    bool is_launch = false;
  };

  void Queue(std::function<Status()> run) { queue_.push_back({std::move(run)}); }

  // After a failure nothing happens any more, until Synchronize has told of it.
  void RunUntil(const std::function<bool()>& enough) {
    memory_.Open();
    while (!queue_.empty() && !enough()) {
      if (failed_.ok()) failed_ = queue_.front().run();
      queue_.pop_front();
    }
    memory_.Close();
  }

  Status CheckAddress(DeviceAddress address, int64_t bytes) const {
    if (memory_.Holds(address, bytes)) return Status::OK();
    return MakeError(ErrorCode::kInternal, "not an address of the emulated GPU");
  }

  const EmulatedOptions& options_;
  Memory& memory_;
  const HostPages& pages_;
  std::deque<Work> queue_;
  Status failed_;
  double running_milliseconds_ = 0, milliseconds_ = 0;
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
    facts_.driver = "none";
  }

  const AcceleratorFacts& facts() const override { return facts_; }

  Result<DeviceMemory> Allocate(int64_t bytes) override {
    SVM_FAULT_POINT("device.emulated.allocate");
    SVM_ASSIGN_OR_RETURN(const DeviceAddress address, memory_->Allocate(bytes));
    return DeviceMemory(this, address, bytes);
  }

  void Forget(DeviceAddress address, int64_t bytes) override { memory_->Spoil(address, bytes); }

  // As with a card's driver, the address is the host's; only then may a kernel read there.
  Result<HostMapping> MapHost(void* pages, int64_t bytes) override {
    SVM_FAULT_POINT("device.emulated.map");
    if (reinterpret_cast<uintptr_t>(pages) % kPageBytes != 0 || bytes % kPageBytes != 0) {
      return MakeError(ErrorCode::kInternal, "the emulated GPU maps whole pages only");
    }
    SVM_RETURN_NOT_OK(pages_.Add(static_cast<const uint8_t*>(pages), bytes));
    return HostMapping(this, pages, reinterpret_cast<DeviceAddress>(pages));
  }

  Result<std::unique_ptr<Program>> Load(const std::string& name, const std::string& code) override {
    SVM_ASSIGN_OR_RETURN(auto object, SharedObject::Load(name, code));
    SVM_ASSIGN_OR_RETURN(void* entry, object->Find(kEntry));
    return std::make_unique<EmulatedProgram>(std::move(object),
                                             reinterpret_cast<FiberBlock::Entry>(entry));
  }

  Result<std::unique_ptr<Stream>> MakeStream() override {
    return std::make_unique<EmulatedStream>(options_, memory_.get(), &pages_);
  }

 private:
  void Free(DeviceAddress address, int64_t bytes) override { memory_->Free(address, bytes); }
  void UnmapHost(void* pages) override { pages_.Remove(static_cast<const uint8_t*>(pages)); }

  const EmulatedOptions options_;
  const std::unique_ptr<Memory> memory_;
  HostPages pages_;
  AcceleratorFacts facts_;
};

}  // namespace

Result<std::unique_ptr<Accelerator>> MakeEmulatedDevice(const EmulatedOptions& options) {
  SVM_ASSIGN_OR_RETURN(auto memory, Memory::Map(options.memory_bytes));
  return std::make_unique<EmulatedDevice>(options, std::move(memory));
}

}  // namespace shadowvm::device
