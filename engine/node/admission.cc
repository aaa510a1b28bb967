// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/admission.h"

#include <chrono>
#include <string>
#include <utility>

namespace shadowvm::node {
namespace {

// How often a query that waits looks for room: most memory comes back without a word.
constexpr std::chrono::milliseconds kPatience{10};
// How long one that runs alone waits for answers of others to be fetched. Who fetches his never
// must not stop the rest.
constexpr std::chrono::seconds kLongestWait{10};
// Of the budget, what may be in use while memory counts as free: what a node holds for itself.
constexpr int64_t kFreePart = 8;

}  // namespace

Admission::Admission(const memory::MemoryBudget* budget, std::function<int64_t()> droppable,
                     int64_t max_waiting)
    : budget_(budget), droppable_(std::move(droppable)), max_waiting_(max_waiting) {}

bool Admission::HoldNoMoreThan(int64_t bytes) const {
  return budget_->used() - droppable_() <= bytes;
}

bool Admission::IsFree() const { return HoldNoMoreThan(budget_->limit() / kFreePart); }

bool Admission::HasRoomLocked(const Waiter& waiter) const {
  if (running_ == 0) {
    return !waiter.alone || IsFree() || std::chrono::steady_clock::now() >= waiter.until;
  }
  if (waiter.alone || one_runs_alone_) return false;
  return HoldNoMoreThan(budget_->limit() / 2);
}

base::Status Admission::Enter(const schedule::CancelToken& cancel, Waiter waiter,
                              int64_t* company) {
  std::unique_lock lock(mutex_);
  if (static_cast<int64_t>(waiting_.size()) >= max_waiting_) {
    return base::MakeError(base::ErrorCode::kOutOfMemory,
                           std::to_string(waiting_.size()) + " queries wait for memory already");
  }
  const auto place = waiting_.insert(waiting_.end(), waiter);
  const auto may_run = [&] { return place == waiting_.begin() && HasRoomLocked(waiter); };
  while (!may_run() && !cancel.cancelled()) changed_.wait_for(lock, kPatience);
  waiting_.erase(place);
  changed_.notify_all();
  SVM_RETURN_NOT_OK(cancel.Check());
  one_runs_alone_ = waiter.alone;
  *company = meetings_;
  if (++running_ > 1 || !IsFree()) ++meetings_;
  return base::Status::OK();
}

bool Admission::Leave(int64_t company) {
  std::lock_guard lock(mutex_);
  --running_;
  one_runs_alone_ = false;
  changed_.notify_all();
  return meetings_ != company;
}

base::Status Admission::Admit(const schedule::CancelToken& cancel, const Run& run) {
  int64_t company = 0;
  SVM_RETURN_NOT_OK(Enter(cancel, {}, &company));
  const base::Status status = run();
  const bool met = Leave(company);
  if (status.ok() || base::CodeOf(status) != base::ErrorCode::kOutOfMemory || !met) return status;
  const auto until = std::chrono::steady_clock::now() + kLongestWait;
  SVM_RETURN_NOT_OK(Enter(cancel, {.alone = true, .until = until}, &company));
  const base::Status second = run();
  Leave(company);
  return second;
}

int64_t Admission::waiting() const {
  std::lock_guard lock(mutex_);
  return static_cast<int64_t>(waiting_.size());
}

}  // namespace shadowvm::node
