// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/build_choice.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/exec/gpu/launch_segments.h"

namespace shadowvm::exec {

bool IsOnDevice(Gpu* gpu, columns::TableSource* table, std::span<const int> ordinals) {
  std::vector<int> numbers(static_cast<size_t>(table->num_segments()));
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<SegmentPtr> segments = table->FindResident(numbers, ordinals);
  return std::all_of(segments.begin(), segments.end(), [&](const SegmentPtr& segment) {
    return segment != nullptr && HasCopies(gpu->copies(), *segment);
  });
}

std::string WhyNotBuildOnGpu(Gpu* gpu, const SourceView& source,
                             const vkernel::Blueprint& blueprint) {
  const int64_t least_rows = gpu->options().least_build_rows;
  if (least_rows == 0) return "";
  if (source.table->num_rows() < least_rows) return "a build side of few rows";
  std::vector<int> ordinals;
  for (const auto& column : blueprint.columns) ordinals.push_back(column.ordinal);
  if (!IsOnDevice(gpu, source.table.get(), ordinals)) {
    return "a build side that is not in the GPU's memory";
  }
  return "";
}

}  // namespace shadowvm::exec
