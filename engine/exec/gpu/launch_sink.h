// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

#include "engine/device/accelerator.h"
#include "engine/exec/gpu/launch_writer.h"
#include "engine/kernels/common/launch.h"

namespace shadowvm::exec {

class TextOrigins;

// What becomes of the rows that are left at the end of a run's launches: what the kernel is told of
// it, and what comes back. One run at a time.
class LaunchSink {
 public:
  virtual ~LaunchSink() = default;

  // Rows that may come, at the begin of a run: how many the source has, and the share of them that
  // the steps are thought to leave. kUnsupported: so many are better off elsewhere.
  virtual base::Status Expect(int64_t rows, double share) = 0;
  // Writes the sink's part of the head and of its call. Twice, as all who write. Room for the
  // kernel's error comes right behind the last that it asks for.
  virtual void Write(LaunchWriter* writer, kernels::LaunchBlock* head) = 0;
  // Whether that is the same in every run of its pipeline.
  virtual bool writes_alike() const { return false; }
  // Bytes of groups that are better off in shared memory; 0: none.
  virtual int64_t shared_bytes() const = 0;
  // Queues what must be done before the launches.
  virtual base::Status Prepare(device::Stream*) { return base::Status::OK(); }
  // Queues what tells how the launches went, after them, and the error from where they left it.
  virtual base::Status Fetch(device::Stream* stream, device::DeviceAddress error_at) = 0;
  // The error, after it has come; 0: there was none.
  virtual kernels::u32 error() const { return error_; }
  // After that has come. False: there was too little room, so that nothing else it tells counts,
  // and a run with more is asked for. kOutOfMemory: no room would do.
  virtual base::Result<bool> HadRoom() { return true; }
  // Takes the results in, strings from where they are in the host's memory. Those lie no longer
  // than until this is over.
  virtual base::Status Take(device::Stream* stream, TextOrigins* texts) = 0;

 protected:
  base::Status FetchError(device::Stream* stream, device::DeviceAddress error_at) {
    return stream->CopyOut(&error_, error_at, sizeof error_);
  }

 private:
  kernels::u32 error_ = 0;
};

}  // namespace shadowvm::exec
