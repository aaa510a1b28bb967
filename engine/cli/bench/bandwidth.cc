// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/bandwidth.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "engine/base/fault.h"
#include "engine/cli/machine.h"

namespace shadowvm::cli {
namespace {

constexpr int kPasses = 3;

// Anonymous memory on huge pages where the machine gives them.
class Mapping {
 public:
  static base::Result<Mapping> Make(int64_t bytes) {
    SVM_FAULT_POINT("bench.bandwidth.map");
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
      return base::MakeError(base::ErrorCode::kOutOfMemory, "buffer to measure bandwidth");
    ::madvise(data, bytes, MADV_HUGEPAGE);
    return Mapping(data, bytes);
  }
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  ~Mapping() {
    if (data_ != nullptr) ::munmap(data_, bytes_);
  }
  int32_t* values() { return static_cast<int32_t*>(data_); }
  int64_t num_values() const { return bytes_ / static_cast<int64_t>(sizeof(int32_t)); }

 private:
  Mapping(void* data, int64_t bytes) : data_(data), bytes_(bytes) {}
  void* data_;
  int64_t bytes_;
};

uint32_t Sum(const int32_t* values, int64_t count) {
  uint32_t sum = 0;  // wraps, which is all right: only the reading counts
  for (int64_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(values[i]);
  return sum;
}

// Every thread passes over its part once per barrier round; a round's time is that of the slowest.
double BestPassSeconds(const int32_t* values, int64_t count, int threads) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start;
  double best = std::numeric_limits<double>::infinity();
  bool running = false;
  std::barrier round(threads, [&]() noexcept {
    if (running) best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    running = !running;
    start = Clock::now();
  });
  std::atomic<uint32_t> total{0};
  const int64_t part = count / threads;
  std::vector<std::jthread> workers;
  for (int worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      for (int pass = 0; pass < kPasses; ++pass) {
        round.arrive_and_wait();
        total += Sum(values + worker * part, part);
        round.arrive_and_wait();
      }
    });
  }
  workers.clear();  // joins
  return best;
}

}  // namespace

int64_t BandwidthBufferBytes() {
  constexpr int64_t kMiB = 1 << 20;
  const Machine machine = DescribeMachine();
  const int64_t wanted = std::clamp<int64_t>(machine.l3_bytes * 4, 256 * kMiB, 2048 * kMiB);
  return std::max(16 * kMiB, std::min(wanted, machine.memory_bytes / 8)) / kMiB * kMiB;
}

base::Result<double> MeasureReadBandwidth(int threads, int64_t buffer_bytes) {
  SVM_ASSIGN_OR_RETURN(Mapping mapping, Mapping::Make(buffer_bytes));
  std::memset(mapping.values(), 1, mapping.num_values() * sizeof(int32_t));
  const double seconds = BestPassSeconds(mapping.values(), mapping.num_values(), threads);
  return static_cast<double>(mapping.num_values()) * sizeof(int32_t) / seconds;
}

base::Result<Bandwidth> MeasureMachine(int threads) {
  Bandwidth bandwidth;
  SVM_ASSIGN_OR_RETURN(bandwidth.one_thread, MeasureReadBandwidth(1, BandwidthBufferBytes()));
  SVM_ASSIGN_OR_RETURN(bandwidth.all, MeasureReadBandwidth(threads, BandwidthBufferBytes()));
  return bandwidth;
}

}  // namespace shadowvm::cli
