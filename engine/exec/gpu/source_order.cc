// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/source_order.h"

#include "engine/exec/state/prefix_sort.h"

namespace shadowvm::exec {
namespace {

using memory::Buffer;

base::Result<std::shared_ptr<Buffer>> MakeEntries(size_t count, memory::MemoryBudget* budget) {
  return Buffer::Make(budget, static_cast<int64_t>(count * sizeof(SortEntry)), "order of rows");
}

}  // namespace

// Ids of one launch differ in few digits.
base::Result<std::shared_ptr<Buffer>> SourceOrder(std::span<const uint64_t> ids,
                                                  memory::MemoryBudget* budget) {
  SVM_ASSIGN_OR_RETURN(const auto entries, MakeEntries(ids.size(), budget));
  SVM_ASSIGN_OR_RETURN(const auto room, MakeEntries(ids.size(), budget));
  const std::span sorted(entries->as<SortEntry>(), ids.size());
  for (size_t i = 0; i < ids.size(); ++i) sorted[i] = {ids[i], static_cast<uint32_t>(i)};
  SortByPrefix(sorted, {room->as<SortEntry>(), ids.size()});
  SVM_ASSIGN_OR_RETURN(auto order,
                       Buffer::Make(budget, static_cast<int64_t>(ids.size() * 4), "order of rows"));
  for (size_t i = 0; i < ids.size(); ++i) order->as<uint32_t>()[i] = sorted[i].row;
  return order;
}

}  // namespace shadowvm::exec
