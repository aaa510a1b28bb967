// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/gpu.h"

#include <algorithm>
#include <iterator>

#include "engine/base/elapsed.h"
#include "engine/base/fault.h"
#include "engine/device/cuda/cuda_device.h"
#include "engine/device/emulated/emulated_device.h"
#include "engine/vkernel/compile/clang_compiler.h"
#include "engine/vkernel/compile/nvrtc_compiler.h"
#include "engine/vkernel/compile/subprocess_compiler.h"

namespace shadowvm::exec {
namespace {

using base::Result;

// The driver and others need some of a card's memory too.
constexpr double kUsedShare = 0.9;
// What kernels include first.
constexpr char kPrelude[] = "engine/kernels/cuda/verbs.h";
// Scratch memory that stays with its slot, at most.
constexpr int64_t kKeptScratch = int64_t{64} << 20;
// How soon who waits for a turn notices that its query was cancelled, or that a turn that was left
// behind is over.
constexpr std::chrono::milliseconds kLookAgain{1};

Result<std::unique_ptr<device::Accelerator>> OpenAccelerator(GpuKind kind) {
  SVM_FAULT_POINT("exec.gpu.open");
  if (kind == GpuKind::kCuda) return device::OpenCudaDevice();
  return device::MakeEmulatedDevice();
}

// Text for a GPU becomes a cubin, or the emulated device's shared object with the compilers of the
// CPU's kernels.
Result<std::unique_ptr<vkernel::Compiler>> MakeCompiler(GpuKind kind, vkernel::HeaderSet headers,
                                                        const device::AcceleratorFacts& facts) {
  SVM_FAULT_POINT("exec.gpu.compiler");
  if (kind == GpuKind::kCuda) {
    vkernel::NvrtcOptions nvrtc;
    nvrtc.headers = headers;
    nvrtc.architecture = facts.architecture;
    nvrtc.prelude = kPrelude;
    SVM_ASSIGN_OR_RETURN(auto compiler, vkernel::NvrtcCompiler::Create(nvrtc));
    compiler->Prewarm();
    return compiler;
  }
  vkernel::ClangCompilerOptions clang;
  clang.headers = headers;
  clang.prelude = kPrelude;
  clang.timeout = std::chrono::minutes(1);  // tests ask for it, on machines that are busy
  if (auto compiler = vkernel::ClangCompiler::Create(std::move(clang)); compiler.ok()) {
    return std::move(*compiler);
  }
  SVM_ASSIGN_OR_RETURN(auto compiler, vkernel::SubprocessCompiler::Create({.headers = headers}));
  return compiler;
}

// A device that has failed was warned of: that its programs do not load says nothing new.
vkernel::ProgramCacheOptions ProgramOptionsOf(const GpuOptions& options,
                                              const device::GuardedDevice* device) {
  vkernel::ProgramCacheOptions programs = options.programs;
  programs.warn = [warn = options.warn, device](const std::string& text) {
    if (device->CheckUsable().ok()) warn(text);
  };
  // The emulated device's compilers are quick as it is.
  programs.quick_first = options.kind == GpuKind::kCuda;
  return programs;
}

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::Open(const GpuOptions& options, memory::MemoryBudget* budget) {
  SVM_ASSIGN_OR_RETURN(auto opened, OpenAccelerator(options.kind));
  auto accelerator = std::make_unique<device::GuardedDevice>(
      std::move(opened),
      device::GuardOptions{options.launch_limit, options.limit_option, options.on_failure});
  SVM_ASSIGN_OR_RETURN(auto compiler,
                       MakeCompiler(options.kind, options.programs.headers, accelerator->facts()));
  std::unique_ptr<Gpu> gpu(new Gpu(options, std::move(accelerator), std::move(compiler), budget));
  for (int i = 0; i < std::max(options.concurrent, 1); ++i) {
    auto slot = std::make_unique<Slot>();
    SVM_ASSIGN_OR_RETURN(slot->streams.emplace_back(), gpu->accelerator_->MakeStream());
    gpu->slots_.push_back(std::move(slot));
  }
  return gpu;
}

Gpu::Gpu(const GpuOptions& options, std::unique_ptr<device::GuardedDevice> accelerator,
         std::unique_ptr<vkernel::Compiler> compiler, memory::MemoryBudget* budget)
    : options_(options),
      budget_(budget),
      accelerator_(std::move(accelerator)),
      programs_(std::make_unique<vkernel::ProgramCache>(
          ProgramOptionsOf(options, accelerator_.get()), accelerator_.get(), std::move(compiler))),
      pinned_(std::make_unique<PinnedPages>(accelerator_.get(), budget->pool())),
      arena_(std::make_unique<DeviceArena>(
          accelerator_.get(),
          options.memory_bytes > 0
              ? options.memory_bytes
              : static_cast<int64_t>(kUsedShare * static_cast<double>(facts().memory_bytes)))),
      scans_(std::make_unique<PlacedScans>()),
      copies_(std::make_unique<DeviceCopies>(arena_.get(), scans_.get())) {
  budget_->AddReclaimer(this);
}

// What was left behind has turns, and names memory.
Gpu::~Gpu() {
  budget_->RemoveReclaimer(this);
  left_.clear();
}

void Gpu::LeaveBehind(std::unique_ptr<LeftWork> work) {
  std::lock_guard lock(mutex_);
  left_.push_back(std::move(work));
}

void Gpu::DropDone() {
  // Asked and ended outside the lock: a failure calls back, and a turn's end takes it.
  std::vector<std::unique_ptr<LeftWork>> left, done;
  {
    std::lock_guard lock(mutex_);
    left = std::exchange(left_, {});
  }
  if (left.empty()) return;
  std::erase_if(left, [&](std::unique_ptr<LeftWork>& work) {
    const Result<bool> is_done = work->IsDone();
    if (!is_done.ok() || !*is_done) return false;
    done.push_back(std::move(work));
    return true;
  });
  std::lock_guard lock(mutex_);
  std::move(left.begin(), left.end(), std::back_inserter(left_));
}

Gpu::Slot* Gpu::FreeSlotLocked() {
  for (const auto& slot : slots_) {
    if (slot->taken) continue;
    slot->taken = true;
    return slot.get();
  }
  return nullptr;
}

Result<Gpu::Slot*> Gpu::AwaitSlotLocked(std::unique_lock<std::mutex>* lock,
                                        const schedule::CancelToken* cancel) {
  const int64_t ticket = next_ticket_++;
  waiting_.push_back(ticket);
  Slot* slot = nullptr;
  base::Status status;
  while (slot == nullptr && status.ok()) {
    freed_.wait_for(*lock, kLookAgain);
    lock->unlock();
    DropDone();
    lock->lock();
    status = CheckUsable();
    if (status.ok() && cancel != nullptr) status = cancel->Check();
    if (status.ok() && waiting_.front() == ticket) slot = FreeSlotLocked();
  }
  std::erase(waiting_, ticket);
  freed_.notify_all();  // there may be another one, for who is first now
  SVM_RETURN_NOT_OK(status);
  return slot;
}

Result<Gpu::Turn> Gpu::AwaitTurn(const schedule::CancelToken* cancel) {
  DropDone();
  SVM_RETURN_NOT_OK(CheckUsable());
  std::unique_lock lock(mutex_);
  Slot* slot = waiting_.empty() ? FreeSlotLocked() : nullptr;
  if (slot != nullptr) return Turn(this, slot, 0);
  const auto asked = std::chrono::steady_clock::now();
  SVM_ASSIGN_OR_RETURN(slot, AwaitSlotLocked(&lock, cancel));
  return Turn(this, slot, base::MillisecondsSince(asked));
}

std::optional<Gpu::Turn> Gpu::TryTurn() {
  DropDone();
  std::lock_guard lock(mutex_);
  Slot* const slot = waiting_.empty() ? FreeSlotLocked() : nullptr;
  return slot != nullptr ? std::optional<Turn>(Turn(this, slot, 0)) : std::nullopt;
}

int Gpu::num_waiting() {
  std::lock_guard lock(mutex_);
  return static_cast<int>(waiting_.size());
}

void Gpu::NoteEnd(const base::Status& ended) {
  if (ended.ok()) {
    if (!has_worked_) has_worked_ = true;
    return;
  }
  if (base::CodeOf(ended) != base::ErrorCode::kOutOfMemory) return;
  const auto now = std::chrono::steady_clock::now();
  {
    std::lock_guard lock(mutex_);
    const auto before = std::exchange(full_at_, now);
    if (before && now - *before <= options_.retry_after) return;
  }
  options_.warn("work meant for the GPU is done by the CPU, for want of memory: " +
                ended.message());
}

Gpu::Turn::~Turn() {
  if (slot_ == nullptr) return;
  // Room for all groups or rows of one query is seldom what the next one needs.
  if (slot_->scratch.bytes() > kKeptScratch) slot_->scratch = DeviceBlock();
  {
    std::lock_guard lock(gpu_.mutex_);
    slot_->taken = false;
  }
  gpu_.freed_.notify_all();
}

Result<device::Stream*> Gpu::Turn::Stream(int number) {
  while (slot_->streams.size() <= static_cast<size_t>(number)) {
    SVM_ASSIGN_OR_RETURN(auto stream, gpu_.accelerator_->MakeStream());
    slot_->streams.push_back(std::move(stream));
  }
  return slot_->streams[static_cast<size_t>(number)].get();
}

Result<device::DeviceAddress> Gpu::Turn::Scratch(int64_t bytes) {
  return Grow(&slot_->scratch, bytes);
}

Result<device::DeviceAddress> Gpu::Turn::Chunk(int stream, int64_t bytes) {
  if (slot_->chunks.size() <= static_cast<size_t>(stream)) {
    slot_->chunks.resize(static_cast<size_t>(stream) + 1);
  }
  return Grow(&slot_->chunks[static_cast<size_t>(stream)], bytes);
}

Result<device::DeviceAddress> Gpu::Turn::Grow(DeviceBlock* block, int64_t bytes) {
  if (block->bytes() >= bytes) return block->address();
  *block = DeviceBlock();
  auto grown = gpu_.arena_->Take(bytes + bytes / 2);
  if (!grown.ok()) grown = gpu_.TakeMemory(bytes);
  SVM_RETURN_NOT_OK(grown.status());
  *block = std::move(*grown);
  return block->address();
}

Result<DeviceBlock> Gpu::TakeMemory(int64_t bytes) {
  auto taken = arena_->Take(bytes);
  // What is freed may lie in stretches that are too short each, so more and more gives way.
  const int64_t most = arena_->CouldTake(bytes) ? 2 * arena_->cap() : 0;
  for (int64_t room = bytes; !taken.ok() && room < most; room *= 2) {
    copies_->Drop(room);
    taken = arena_->Take(bytes);
  }
  return taken;
}

}  // namespace shadowvm::exec
