// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/query.h"

#include <arrow/util/byte_size.h>

#include <utility>

namespace shadowvm::node {

Query::Query(std::string id, CheckedCommand command, memory::MemoryBudget* budget)
    : id_(std::move(id)),
      command_(std::move(command)),
      budget_(budget),
      answer_(base::MakeError(base::ErrorCode::kInternal, "the query has not finished")) {}

Query::~Query() { budget_->Release(answer_bytes_); }

bool Query::Begin() {
  std::lock_guard lock(mutex_);
  if (state_ != State::kRegistered) return false;
  state_ = State::kRunning;
  begin_ = std::chrono::steady_clock::now();
  return true;
}

base::Status Query::ReserveAnswer(const arrow::Table& table) {
  const int64_t bytes = arrow::util::TotalBufferSize(table);
  SVM_RETURN_NOT_OK(budget_->Reserve(bytes, "the answer of a query"));
  answer_bytes_ = bytes;
  return base::Status::OK();
}

const Answer& Query::Finish(Answer answer) {
  // Before the lock: making room may take long, and nobody else touches the answer yet.
  if (answer.ok()) {
    if (const auto reserved = ReserveAnswer(**answer); !reserved.ok()) answer = reserved;
  }
  std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
  total_ms_ =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
  state_ = State::kFinished;
  finished_.notify_all();
  return answer_;
}

void Query::Enter() {
  std::lock_guard lock(mutex_);
  ++callers_;
}

void Query::Leave() {
  std::lock_guard lock(mutex_);
  if (--callers_ == 0 && state_ != State::kFinished) cancel_.Cancel();
}

bool Query::Await(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return finished_.wait_for(lock, patience, [this] { return state_ == State::kFinished; });
}

}  // namespace shadowvm::node
