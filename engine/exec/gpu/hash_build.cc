// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/hash_build.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/fault.h"
#include "engine/exec/gpu/launch_tables.h"
#include "engine/exec/state/join_shape.h"
#include "engine/kernels/common/hash_build.h"

namespace shadowvm::exec {
namespace {

using device::DeviceAddress;
using kernels::HashBuild;
using kernels::HashBuildCounts;
using memory::Buffer;

constexpr int kBlockThreads = 512;
// Lanes wait for memory most of the time, so there are as many as find room.
constexpr int kBlocksOfProcessor = 4;

template <typename T>
T* Pointer(DeviceAddress address) {
  return reinterpret_cast<T*>(address);
}

device::LaunchShape ShapeOf(const device::AcceleratorFacts& facts, int64_t num_rows) {
  const int threads = std::min(kBlockThreads, facts.max_block_threads);
  const int64_t blocks = (num_rows + threads - 1) / threads;
  const int64_t most_blocks = int64_t{kBlocksOfProcessor} * facts.num_processors;
  return {static_cast<int>(std::min(blocks, most_blocks)), threads, 0};
}

// A table in the device's memory while it is made.
class FillRoom {
 public:
  explicit FillRoom(const HashFill& fill) : fill_(fill) {}

  base::Status Take(Gpu* gpu, Gpu::Turn* turn, const Buffer* takes_part) {
    SVM_ASSIGN_OR_RETURN(keys_, gpu->TakeMemory(fill_.keys->size() + kTableReadAhead));
    SVM_ASSIGN_OR_RETURN(slots_, gpu->TakeMemory(fill_.slots->size() + kTableReadAhead));
    if (fill_.next != nullptr) {
      SVM_ASSIGN_OR_RETURN(next_, gpu->TakeMemory(fill_.next->size() + kTableReadAhead));
    }
    if (takes_part != nullptr) {
      SVM_ASSIGN_OR_RETURN(takes_part_, gpu->TakeMemory(takes_part->size()));
    }
    SVM_ASSIGN_OR_RETURN(told_, turn->Scratch(sizeof(HashBuild) + sizeof(HashBuildCounts)));
    return base::Status::OK();
  }

  base::Status Queue(device::Stream* stream, const device::Program& program,
                     const device::LaunchShape& shape, const HashBuild& build,
                     const Buffer* takes_part) const {
    SVM_RETURN_NOT_OK(stream->CopyIn(told_, &build, sizeof build));
    SVM_RETURN_NOT_OK(stream->Clear(counts_at(), sizeof(HashBuildCounts)));
    SVM_RETURN_NOT_OK(stream->Clear(slots_.address(), fill_.slots->size()));
    SVM_RETURN_NOT_OK(stream->CopyIn(keys_.address(), fill_.keys->data(), fill_.keys->size()));
    if (takes_part != nullptr) {
      SVM_RETURN_NOT_OK(
          stream->CopyIn(takes_part_.address(), takes_part->data(), takes_part->size()));
    }
    return stream->Launch(program, shape, told_);
  }

  // What the launch is told.
  HashBuild Build(const device::LaunchShape& shape) const {
    HashBuild build{};
    build.keys = Pointer<const kernels::u64>(keys_.address());
    build.takes_part = Pointer<const kernels::u8>(takes_part_.address());
    build.slots = Pointer<kernels::u64>(slots_.address());
    build.next = Pointer<kernels::u32>(next_.address());
    build.counts = Pointer<HashBuildCounts>(counts_at());
    build.mask = fill_.mask;
    build.num_rows = static_cast<kernels::u32>(fill_.rows.num_rows);
    build.key_words = static_cast<kernels::u32>(fill_.key_words);
    build.num_blocks = static_cast<kernels::u32>(shape.num_blocks);
    return build;
  }

  DeviceAddress counts_at() const { return told_ + sizeof(HashBuild); }
  // Links are left where they are when no key has two rows.
  base::Status Fetch(device::Stream* stream, bool with_next) const {
    SVM_RETURN_NOT_OK(stream->CopyOut(fill_.slots->data(), slots_.address(), fill_.slots->size()));
    if (!with_next) return base::Status::OK();
    return stream->CopyOut(fill_.next->data(), next_.address(), fill_.next->size());
  }

  // Who probes the table on the device finds it there.
  void Publish(DeviceCopies* copies, bool with_next) {
    const auto publish = [&](const DeviceCopies::BufferPtr& buffer, DeviceBlock* block) {
      // Worth as much as if it had been brought.
      static_cast<void>(copies->Use({{buffer, buffer->size()}}));
      copies->Publish(buffer, std::make_shared<const DeviceBlock>(std::move(*block)));
    };
    publish(fill_.keys, &keys_);
    publish(fill_.slots, &slots_);
    if (with_next) publish(fill_.next, &next_);
  }

 private:
  const HashFill& fill_;
  DeviceBlock keys_, slots_, next_, takes_part_;
  DeviceAddress told_ = 0;
};

// Waits, whatever came of queueing: what is queued names memory of the host.
base::Status Finish(device::Stream* stream, const base::Status& queued) {
  const base::Status finished = stream->Synchronize();
  return queued.ok() ? finished : queued;
}

// Launches it and gives what it has counted.
base::Result<HashBuildCounts> Launch(device::Stream* stream, const device::Program& program,
                                     const FillRoom& room, const device::LaunchShape& shape,
                                     const Buffer* takes_part, GpuTimes* times) {
  const HashBuild build = room.Build(shape);
  base::Status status = Finish(stream, room.Queue(stream, program, shape, build, takes_part));
  times->kernel_ms = stream->launch_milliseconds();
  // Only now: a copy to memory that is not pinned waits for launches, and a hanging one must not be
  // waited for.
  HashBuildCounts counts{};
  if (status.ok()) {
    status = Finish(stream, stream->CopyOut(&counts, room.counts_at(), sizeof counts));
  }
  SVM_RETURN_NOT_OK(status);
  return counts;
}

base::Status Fetch(device::Stream* stream, const FillRoom& room, const HashFill& fill,
                   bool with_next) {
  base::Status status = Finish(stream, room.Fetch(stream, with_next));
  // Part of them may be there.
  if (!status.ok()) std::memset(fill.slots->data(), 0, static_cast<size_t>(fill.slots->size()));
  return status;
}

}  // namespace

int64_t HashBuildLinkBytes(int64_t rows, int key_words) {
  constexpr int64_t kWord = sizeof(kernels::u64), kLink = sizeof(kernels::u32);
  return rows * (key_words * kWord + kLink) + static_cast<int64_t>(HashSlots(rows)) * kWord;
}

base::Result<HashBuilt> BuildHashTable(Gpu* gpu, const device::Program& program,
                                       const HashFill& fill, const Buffer* takes_part,
                                       const schedule::CancelToken* cancel) {
  SVM_FAULT_POINT("exec.gpu.build");
  HashBuilt built;
  SVM_ASSIGN_OR_RETURN(Gpu::Turn turn, gpu->AwaitTurn(cancel));
  built.times.wait_ms = turn.waited_ms();
  FillRoom room(fill);
  SVM_RETURN_NOT_OK(room.Take(gpu, &turn, takes_part));
  device::Stream* const stream = turn.stream();
  const device::LaunchShape shape = ShapeOf(gpu->facts(), fill.rows.num_rows);
  const auto counts = Launch(stream, program, room, shape, takes_part, &built.times);
  // Nobody knows what a device that failed still holds.
  if (!counts.ok()) gpu->copies().Clear();
  SVM_RETURN_NOT_OK(counts.status());
  if (counts->gave_up != 0) {
    return base::MakeError(base::ErrorCode::kUnsupported, "a key repeats too often for the GPU");
  }
  const bool with_next = fill.next != nullptr && counts->rows != counts->keys;
  const base::Status fetched = Fetch(stream, room, fill, with_next);
  if (!fetched.ok()) gpu->copies().Clear();
  SVM_RETURN_NOT_OK(fetched);
  room.Publish(&gpu->copies(), with_next);
  built.filled = {static_cast<int64_t>(counts->rows), static_cast<int64_t>(counts->keys)};
  built.times.link_bytes = fill.keys->size() + fill.slots->size() +
                           (with_next ? fill.next->size() : 0) +
                           (takes_part == nullptr ? 0 : takes_part->size());
  return built;
}

}  // namespace shadowvm::exec
