// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/columns/segment.h"
#include "engine/exec/gpu/device_arena.h"
#include "engine/exec/value_range.h"
#include "engine/memory/buffer.h"

namespace shadowvm::exec {

class PipelineBinding;

// What the segments that a kernel reads follow from: the values of columns, how they are laid out,
// and the ranges by which segments are skipped.
struct ScanKey {
  // Whose columns have these addresses. Not held: a scan on the device keeps no table alive.
  std::weak_ptr<const void> contents;
  std::vector<const void*> columns;
  std::vector<columns::Layout> layouts;
  std::vector<int> range_columns;
  std::vector<ValueRange> ranges;  // by range, as its column

  static ScanKey Of(const PipelineBinding& binding);
  bool operator==(const ScanKey& other) const;
};

// All segments of a scan in the device's memory, listed there as kernels are told of them.
struct PlacedScan {
  // A copy that kernels read, and whose it is.
  struct Part {
    const memory::Buffer* of = nullptr;
    std::shared_ptr<const DeviceBlock> copy;
    int64_t bytes = 0;  // that a launch reads of it
  };
  std::vector<Part> parts;
  DeviceBlock lists;
  std::vector<device::DeviceAddress> columns;  // by column, in the lists
  device::DeviceAddress rows = 0;              // likewise
  int64_t end_tile = 0;                        // LaunchBlock's
  int64_t num_tiles = 0;
  int64_t num_rows = 0;
  int64_t launch_bytes = 0;  // that a launch reads, estimated

  // What a query counts that runs it.
  int64_t segments_run = 0, segments_skipped = 0;
  int64_t bytes_read = 0;

  mutable std::atomic<int64_t> uses{0};  // since it was placed
};

// Scans that lie in the device's memory as a whole: who asks for one again is spared to look for
// each of its segments, and to tell the device of them. They give way when memory is short.
// Thread-safe.
class PlacedScans {
 public:
  using ScanPtr = std::shared_ptr<const PlacedScan>;

  // Null where there is none.
  ScanPtr Find(const ScanKey& key);
  void Keep(ScanKey key, ScanPtr scan);
  // Those that no launch reads now; they are forgotten here.
  std::vector<ScanPtr> TakeUnused();
  void Clear();
  int64_t size();

 private:
  struct Kept {
    ScanKey key;
    ScanPtr scan;
  };
  using Scans = std::list<Kept>;  // most recently used first
  // Moves out those of tables that are gone.
  void ForgetDeadLocked(Scans* dead);

  std::mutex mutex_;
  Scans kept_;
};

}  // namespace shadowvm::exec
