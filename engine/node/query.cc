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
  begin_ = Clock::now();
  return true;
}

Answer Query::Reserve(Answer answer) {
  if (!answer.ok()) return answer;
  const int64_t bytes = arrow::util::TotalBufferSize(**answer);
  SVM_RETURN_NOT_OK(budget_->Reserve(bytes, "the answer of a query"));
  answer_bytes_ = bytes;
  return answer;
}

void Query::PassBarrier(const exec::PipelineStats& pipeline) {
  std::lock_guard lock(mutex_);
  // A run that started over passes barriers again: they stay passed.
  const auto place = static_cast<size_t>(pipeline.index);
  if (place < pipelines_.size()) {
    pipelines_[place] = pipeline;
  } else {
    pipelines_.push_back(pipeline);
  }
  progress_.notify_all();
}

void Query::Finish(Answer answer) {
  std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
  end_ = Clock::now();
  state_ = State::kFinished;
  progress_.notify_all();
}

void Query::Enter() {
  std::lock_guard lock(mutex_);
  ++callers_;
}

bool Query::Leave(bool abandoned) {
  std::lock_guard lock(mutex_);
  if (--callers_ > 0 || !abandoned) return false;
  if (state_ != State::kFinished) cancel_.Cancel();
  return true;
}

bool Query::Await(int num_pipelines, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return progress_.wait_for(lock, patience, [&] {
    return state_ == State::kFinished || std::cmp_greater_equal(pipelines_.size(), num_pipelines);
  });
}

bool Query::is_idle() const {
  std::lock_guard lock(mutex_);
  return state_ == State::kRegistered && callers_ == 0;
}

bool Query::has_finished() const {
  std::lock_guard lock(mutex_);
  return state_ == State::kFinished;
}

int64_t Query::unwanted_bytes() const {
  std::lock_guard lock(mutex_);
  return state_ == State::kFinished && callers_ == 0 ? answer_bytes_ : 0;
}

std::vector<exec::PipelineStats> Query::pipelines() const {
  std::lock_guard lock(mutex_);
  return pipelines_;
}

double Query::total_ms() const {
  std::lock_guard lock(mutex_);
  if (state_ == State::kRegistered) return 0;
  const Clock::time_point end = state_ == State::kFinished ? end_ : Clock::now();
  return std::chrono::duration<double, std::milli>(end - begin_).count();
}

}  // namespace shadowvm::node
