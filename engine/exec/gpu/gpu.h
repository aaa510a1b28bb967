// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/device/guarded_device.h"
#include "engine/exec/gpu/device_arena.h"
#include "engine/exec/gpu/device_copies.h"
#include "engine/exec/gpu/pinned_pages.h"
#include "engine/memory/budget.h"
#include "engine/schedule/cancel_token.h"
#include "engine/vkernel/compile/program_cache.h"

namespace shadowvm::exec {

enum class GpuKind : uint8_t { kNone, kCuda, kEmulated };

// How a launch comes by the segments it reads.
enum class GpuPrefetch : uint8_t {
  kKept,  // from copies in the device's memory, made on first use; in place where there is no room
  kPassive,  // in place, from the host's memory: only what survivors need crosses the link
  kActive,   // copied for this launch alone, a chunk at a time
};

struct GpuOptions {
  GpuKind kind = GpuKind::kNone;
  // An engine does not start without it; else it starts, and works on the CPU as long as need be.
  bool required = true;
  vkernel::ProgramCacheOptions programs;
  GpuPrefetch prefetch = GpuPrefetch::kKept;
  int active_streams = 2;  // of kActive: copies and kernels of so many chunks overlap
  int64_t chunk_rows = int64_t{8} << 20;  // of kActive, at least
  int64_t memory_bytes = 0;               // of the device's memory, to be used; 0: nine tenths
  int concurrent = 2;                     // queries that work there at a time; others wait
  // A join's build side whose rows are collected, of fewer rows, or with segments of which the
  // device has no copies, is left to the CPU (gpu/build_choice.h); 0: none is.
  int64_t least_build_rows = int64_t{4} << 20;
  // Fewer rows are always sorted by the CPU; see schedule/sort_choice.h for others.
  int64_t least_sort_rows = int64_t{256} << 10;
  // The same of build rows that are entered into a table by hash; see schedule/fill_choice.h.
  int64_t least_fill_rows = int64_t{256} << 10;
  // A kernel that takes longer hangs; 0: none does.
  std::chrono::milliseconds launch_limit{60'000};
  std::string limit_option;  // of the program, that sets it; for messages
  // From a failure until the next attempt; longer after each failure in a row.
  std::chrono::milliseconds retry_after{30'000};
  // Told once about each failure, in a sentence.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  // Told when the device has failed (device::GuardOptions).
  std::function<void(const base::Status&)> on_failure = [](const base::Status&) {};
};

// What an engine's queries share of a GPU: the card, the programs made for it, its memory and the
// tables in it. Opened once and kept. Thread-safe.
class Gpu : public memory::Reclaimer {
 public:
  // kUnsupported or kNoCompiler says what is missing. The budget's buffers are what is copied, or
  // read in place; it outlives this.
  static base::Result<std::unique_ptr<Gpu>> Open(const GpuOptions& options,
                                                 memory::MemoryBudget* budget);
  ~Gpu() override;

  const GpuOptions& options() const { return options_; }
  const device::AcceleratorFacts& facts() const { return accelerator_->facts(); }
  // OK, or why it is of no more use; every call says so.
  base::Status CheckUsable() const { return accelerator_->CheckUsable(); }
  int64_t allocated_bytes() const { return accelerator_->allocated_bytes(); }
  vkernel::ProgramCache& programs() { return *programs_; }
  PinnedPages& pinned() { return *pinned_; }
  DeviceCopies& copies() { return *copies_; }
  PlacedScans& scans() { return *scans_; }
  DeviceArena& arena() { return *arena_; }
  // Bytes of the arena that copies of segments give way to.
  base::Result<DeviceBlock> TakeMemory(int64_t bytes);
  // To be told how a query's work here has ended. Want of memory is warned of when it begins, and
  // not again as long as it comes back within options().retry_after.
  void NoteEnd(const base::Status& ended);
  // Whether a query's work has ever ended well.
  bool has_worked() const { return has_worked_; }

 private:
  // Streams and memory that one query works with; they are kept for the next.
  struct Slot {
    std::vector<std::unique_ptr<device::Stream>> streams;
    DeviceBlock scratch;
    std::vector<DeviceBlock> chunks;  // by stream
    bool taken = false;
  };

 public:
  // What a query works with, until it goes.
  class Turn {
   public:
    Turn(Turn&& other) noexcept
        : gpu_(other.gpu_),
          slot_(std::exchange(other.slot_, nullptr)),
          waited_ms_(other.waited_ms_) {}
    ~Turn();
    Turn& operator=(Turn&&) = delete;

    device::Stream* stream() { return slot_->streams[0].get(); }
    // How long others had it.
    double waited_ms() const { return waited_ms_; }
    // Another one, for work that overlaps.
    base::Result<device::Stream*> Stream(int number);
    // Memory for what launches are told, at least 'bytes'; the same at every turn unless it grows.
    // Copies of segments give way to it.
    base::Result<device::DeviceAddress> Scratch(int64_t bytes);
    // Memory for a chunk of segments, likewise: one of each stream.
    base::Result<device::DeviceAddress> Chunk(int stream, int64_t bytes);

   private:
    friend class Gpu;
    Turn(Gpu* gpu, Slot* slot, double waited_ms) : gpu_(*gpu), slot_(slot), waited_ms_(waited_ms) {}
    base::Result<device::DeviceAddress> Grow(DeviceBlock* block, int64_t bytes);

    Gpu& gpu_;
    Slot* slot_;  // null: it was moved on
    double waited_ms_;
  };

  // What the device is still at for a query that has ended without it, with all that this names. It
  // may have a turn.
  class LeftWork {
   public:
    virtual ~LeftWork() = default;  // waits for the device
    // Does not wait.
    virtual base::Result<bool> IsDone() = 0;
  };
  // Keeps it until it is done, and somebody asks for a turn or runs short of memory.
  void LeaveBehind(std::unique_ptr<LeftWork> work);
  void Reclaim(int64_t) override { DropDone(); }

  // Waits while others have all turns; who came first is first. kCancelled once the query is, whose
  // token may be null. What has failed gives no turn.
  base::Result<Turn> AwaitTurn(const schedule::CancelToken* cancel);
  // None where AwaitTurn would wait, or has failed.
  std::optional<Turn> TryTurn();
  // That wait for a turn now.
  int num_waiting();

 private:
  Gpu(const GpuOptions& options, std::unique_ptr<device::GuardedDevice> accelerator,
      std::unique_ptr<vkernel::Compiler> compiler, memory::MemoryBudget* budget);
  // Ends what was left behind and is done. Unless the device has failed: then it ends with this.
  void DropDone();
  // Null: all are taken.
  Slot* FreeSlotLocked();
  base::Result<Slot*> AwaitSlotLocked(std::unique_lock<std::mutex>* lock,
                                      const schedule::CancelToken* cancel);

  const GpuOptions options_;
  memory::MemoryBudget* const budget_;
  // In the order of their making: what is below goes before what it was made from.
  std::unique_ptr<device::GuardedDevice> accelerator_;
  std::unique_ptr<vkernel::ProgramCache> programs_;
  std::unique_ptr<PinnedPages> pinned_;
  std::unique_ptr<DeviceArena> arena_;
  std::unique_ptr<PlacedScans> scans_;
  std::unique_ptr<DeviceCopies> copies_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::unique_ptr<LeftWork>> left_;
  std::deque<int64_t> waiting_;  // tickets of those who wait for one, in the order they came
  int64_t next_ticket_ = 0;
  std::atomic<bool> has_worked_{false};
  std::optional<std::chrono::steady_clock::time_point> full_at_;  // last time memory was wanting
};

}  // namespace shadowvm::exec
