// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>
#include <vector>

#include "engine/exec/gpu/launch_sink.h"

namespace shadowvm::exec {

// Where one launch leaves what it finds: words that are copied there before it and back after it,
// and space.
struct SinkPlace {
  device::DeviceAddress words = 0;
  device::DeviceAddress space = 0;
};

// A sink whose launches may be apart: each leaves what it finds in a place of its own, so that it
// can be taken in before the others are done, or not at all.
class ApartSink : public LaunchSink {
 public:
  // From now on launches are; they have nothing in common.
  void SetApart() { apart_ = true; }

  // What a place's words are before a launch.
  virtual std::vector<int64_t> WordsAt(const SinkPlace& place) const = 0;
  // What a place takes beside them.
  virtual int64_t PlaceBytes() const { return 0; }
  // Queues what must be done to the space before a launch.
  virtual base::Status PrepareAt(device::Stream*, const SinkPlace&) { return base::Status::OK(); }
  // Points a launch's head there.
  virtual void PointAt(const SinkPlace& place, kernels::LaunchBlock* head) const = 0;
  // Takes in what a launch has found, whose words have come; strings as by Take. False: there was
  // too little room, so that nothing of it counts; places have more from now on, and none that is
  // in use keeps its shape.
  virtual base::Result<bool> TakeAt(device::Stream* stream, const SinkPlace& place,
                                    std::span<int64_t> words, TextOrigins* texts) = 0;

 protected:
  bool is_apart() const { return apart_; }

 private:
  bool apart_ = false;
};

}  // namespace shadowvm::exec
