// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/radix_sort.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/fault.h"
#include "engine/exec/state/prefix_sort.h"
#include "engine/kernels/common/sort.h"

namespace shadowvm::exec {
namespace {

using device::DeviceAddress;
using kernels::kSortDigits;
using kernels::SortPass;
using kernels::SortStep;

// Two such blocks find room on a processor, with the registers and the shared memory that they use.
constexpr int kBlockThreads = 512;
constexpr int kBlocksOfProcessor = 2;

constexpr int64_t kWord = sizeof(kernels::u32);

// Blocks of threads, and how work is spread over them.
struct SortShape {
  int block_threads = 0;
  int num_blocks = 0;  // that count and move
  int64_t shared_bytes = 0;

  SortShape(const device::AcceleratorFacts& facts, int64_t num_rows) {
    block_threads = std::min(kBlockThreads, facts.max_block_threads);
    const auto threads = static_cast<kernels::u32>(block_threads);
    shared_bytes = kernels::sort_layout(threads).bytes;
    const int64_t tile_rows = kernels::sort_tile_rows(threads);
    const int64_t tiles = (num_rows + tile_rows - 1) / tile_rows;
    const int64_t most_blocks = int64_t{kBlocksOfProcessor} * facts.num_processors;
    num_blocks = static_cast<int>(std::min(tiles, most_blocks));
  }

  device::LaunchShape Of(SortStep step) const {
    return {step == SortStep::kPlace ? 1 : num_blocks, block_threads, shared_bytes};
  }
};

// What a sort has in the device's memory. Keys and numbers go to and fro between two places each.
struct SortRoom {
  DeviceAddress keys[2], numbers[2], counts, totals, passes;
  int64_t totals_bytes;

  static int64_t Bytes(const SortShape& shape, int64_t num_rows, int64_t num_digits) {
    SortRoom room{};
    return room.Lay(0, shape, num_rows, num_digits);
  }
  // Gives the end of it.
  int64_t Lay(DeviceAddress at, const SortShape& shape, int64_t num_rows, int64_t num_digits) {
    constexpr int64_t kAlignment = 256;
    const DeviceAddress begin = at;
    const auto take = [&](int64_t bytes) {
      return std::exchange(
          at, at + static_cast<uint64_t>((bytes + kAlignment - 1) / kAlignment * kAlignment));
    };
    for (DeviceAddress& place : keys) place = take(num_rows * int64_t{sizeof(uint64_t)});
    for (DeviceAddress& place : numbers) place = take(num_rows * kWord);
    counts = take(kSortDigits * shape.num_blocks * kWord);
    totals_bytes = num_digits * kSortDigits * kWord;
    totals = take(totals_bytes);
    passes = take(num_digits * 3 * int64_t{sizeof(SortPass)});
    return static_cast<int64_t>(at - begin);
  }
};

template <typename T>
T* Pointer(DeviceAddress address) {
  return reinterpret_cast<T*>(address);
}

// What each launch is told, in their order.
std::vector<SortPass> PlanPasses(const SortShape& shape, const SortRoom& room, int64_t num_rows,
                                 const std::vector<int>& digits) {
  std::vector<SortPass> passes;
  for (size_t i = 0; i < digits.size(); ++i) {
    const size_t from = i % 2, to = 1 - from;
    const bool last = i + 1 == digits.size();
    SortPass pass{};
    pass.keys = Pointer<const kernels::u64>(room.keys[from]);
    pass.rows = i == 0 ? nullptr : Pointer<const kernels::u32>(room.numbers[from]);
    pass.moved_keys = last ? nullptr : Pointer<kernels::u64>(room.keys[to]);
    pass.moved_rows = Pointer<kernels::u32>(room.numbers[to]);
    pass.counts = Pointer<kernels::u32>(room.counts);
    pass.totals = Pointer<kernels::u32>(room.totals) + i * kSortDigits;
    pass.num_rows = static_cast<kernels::u32>(num_rows);
    pass.shift = static_cast<kernels::u32>(digits[i]);
    pass.num_blocks = static_cast<kernels::u32>(shape.num_blocks);
    for (const SortStep step : {SortStep::kCount, SortStep::kPlace, SortStep::kMove}) {
      pass.step = step;
      passes.push_back(pass);
    }
  }
  return passes;
}

base::Status Queue(device::Stream* stream, const device::Program& program, const SortShape& shape,
                   const SortRoom& room, std::span<const uint64_t> keys,
                   const std::vector<SortPass>& passes) {
  const auto size_of = [](const auto& values) {
    return static_cast<int64_t>(values.size() * sizeof values[0]);
  };
  SVM_RETURN_NOT_OK(stream->CopyIn(room.passes, passes.data(), size_of(passes)));
  SVM_RETURN_NOT_OK(stream->Clear(room.totals, room.totals_bytes));
  SVM_RETURN_NOT_OK(stream->CopyIn(room.keys[0], keys.data(), size_of(keys)));
  for (size_t i = 0; i < passes.size(); ++i) {
    SVM_RETURN_NOT_OK(
        stream->Launch(program, shape.Of(passes[i].step), room.passes + i * sizeof(SortPass)));
  }
  return base::Status::OK();
}

// Waits, whatever came of queueing: what is queued names memory of the host.
base::Status Finish(device::Stream* stream, const base::Status& queued) {
  const base::Status finished = stream->Synchronize();
  return queued.ok() ? finished : queued;
}

}  // namespace

std::vector<int> DigitsOf(uint64_t different) {
  std::vector<int> digits;
  while (different != 0) {
    digits.push_back(LowestDigit(different));
    different = WithoutDigit(different, digits.back());
  }
  return digits;
}

base::Result<GpuTimes> SortByDigits(Gpu* gpu, const device::Program& program,
                                    std::span<const uint64_t> keys, uint64_t different,
                                    uint32_t* numbers, const schedule::CancelToken* cancel) {
  SVM_FAULT_POINT("exec.gpu.sort");
  GpuTimes times;
  const std::vector<int> digits = DigitsOf(different);
  if (digits.empty()) {
    std::iota(numbers, numbers + keys.size(), 0u);
    return times;
  }
  const auto num_rows = static_cast<int64_t>(keys.size());
  const auto num_digits = static_cast<int64_t>(digits.size());
  const SortShape shape(gpu->facts(), num_rows);
  SVM_ASSIGN_OR_RETURN(Gpu::Turn turn, gpu->AwaitTurn(cancel));
  times.wait_ms = turn.waited_ms();
  SVM_ASSIGN_OR_RETURN(const DeviceAddress address,
                       turn.Scratch(SortRoom::Bytes(shape, num_rows, num_digits)));
  SortRoom room{};
  room.Lay(address, shape, num_rows, num_digits);
  const std::vector<SortPass> passes = PlanPasses(shape, room, num_rows, digits);
  device::Stream& stream = *turn.stream();
  base::Status status = Queue(&stream, program, shape, room, keys, passes);
  status = Finish(&stream, status);
  times.kernel_ms = stream.launch_milliseconds();
  // Only now: a copy to memory that is not pinned waits for launches, and a hanging one must not be
  // waited for.
  if (status.ok()) {
    status = stream.CopyOut(numbers, room.numbers[digits.size() % 2], num_rows * kWord);
    status = Finish(&stream, status);
  }
  // Nobody knows what a device that failed still holds.
  if (!status.ok()) gpu->copies().Clear();
  SVM_RETURN_NOT_OK(status);
  times.link_bytes = num_rows * (int64_t{sizeof(uint64_t)} + kWord);
  times.device_bytes = num_digits * num_rows * 4 * int64_t{sizeof(uint64_t)};
  return times;
}

}  // namespace shadowvm::exec
