// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/mixed_dense.h"

#include <utility>

namespace shadowvm::exec {

base::Status MixedDense::Bind(int worker, int64_t contest, kernels::KernelCall* call) {
  SVM_ASSIGN_OR_RETURN(call->dense, SlotsFor(worker, contest));
  call->strides = card_.strides().data();
  call->origins = card_.origins().data();
  return base::Status::OK();
}

// All that a worker finds for one contest counts, or nothing of it does.
base::Result<int64_t*> MixedDense::SlotsFor(int worker, int64_t contest) {
  if (contest < 0) return groups_.Slots(worker);
  {
    std::lock_guard lock(mutex_);
    const Array& array = contests_[contest][worker];
    if (array != nullptr) return array->as<int64_t>();
  }
  SVM_ASSIGN_OR_RETURN(Array made, groups_.MakeArray());
  std::lock_guard lock(mutex_);
  return (contests_[contest][worker] = std::move(made))->as<int64_t>();
}

base::Status MixedDense::AddBatch(const schedule::Partition&) {
  if (found_ == nullptr) {
    SVM_ASSIGN_OR_RETURN(found_, groups_.MakeArray());
  }
  return groups_.MergeArray(card_.found_apart().data(), found_->as<int64_t>());
}

void MixedDense::AddContests(const Won& won) {
  if (found_ != nullptr) groups_.AddArray(std::move(found_));
  for (auto& [contest, arrays] : contests_) {
    if (!won(contest)) continue;
    for (auto& [worker, array] : arrays) groups_.AddArray(std::move(array));
  }
}

}  // namespace shadowvm::exec
