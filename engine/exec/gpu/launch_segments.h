// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <vector>

#include "engine/exec/gpu/device_copies.h"
#include "engine/exec/kernel_binding.h"
#include "engine/kernels/common/launch.h"

namespace shadowvm::exec {

using SegmentPtr = std::shared_ptr<const columns::Segment>;

// The segments of one launch as its kernel sees them. A segment of which only stretches of rows are
// there appears once for each.
struct LaunchSegments {
  std::vector<std::vector<kernels::SegmentColumn>> columns;  // by column, then by entry
  std::vector<kernels::SegmentRows> rows;                    // by entry
};

// Reads the source's segments that can hold rows that pass.
base::Result<std::vector<SegmentPtr>> ReadSegments(const PipelineBinding& binding,
                                                   QueryStats* stats);

// Has the segments copied to the device where they are not there yet. They must live until the
// stream has been waited for. kOutOfMemory when there is no room, or more than one launch takes.
base::Result<LaunchSegments> CopySegments(const PipelineBinding& binding,
                                          const std::vector<SegmentPtr>& segments,
                                          DeviceCopies* copies, device::Stream* stream);

}  // namespace shadowvm::exec
