// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/table.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "engine/base/status.h"
#include "engine/exec/query_context.h"
#include "engine/memory/budget.h"
#include "engine/schedule/cancel_token.h"
#include "shadowvm/v1/command.pb.h"

namespace shadowvm::node {

using Answer = base::Result<std::shared_ptr<arrow::Table>>;

// A command that was read and checked.
struct CheckedCommand {
  std::string bytes;  // as they came: what makes two requests the same
  v1::Command command;
  std::shared_ptr<arrow::Schema> schema;  // of the answer
};

// One query: registered, run at most once, its answer kept as long as the query is. Several callers
// may wait for it; when the last of them goes away before it has finished, nobody wants the answer
// and it is cancelled. Thread-safe.
class Query {
 public:
  // The bytes of the answer are reserved in 'budget', which outlives the query.
  Query(std::string id, CheckedCommand command, memory::MemoryBudget* budget);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  const std::string& id() const { return id_; }
  const CheckedCommand& command() const { return command_; }
  schedule::CancelToken& cancel() { return cancel_; }
  exec::QueryStats& stats() { return stats_; }

  // True for one caller, who is to run it and to call Finish.
  bool Begin();
  // The answer, or kOutOfMemory where there is no room to keep it. Wakes those who wait.
  const Answer& Finish(Answer answer);

  void Enter();
  void Leave();
  // True once it has finished; false when that took longer than 'patience'.
  bool Await(std::chrono::milliseconds patience);
  // Both only once it has finished.
  const Answer& answer() const { return answer_; }
  double total_ms() const { return total_ms_; }

 private:
  enum class State { kRegistered, kRunning, kFinished };
  base::Status ReserveAnswer(const arrow::Table& table);

  const std::string id_;
  const CheckedCommand command_;
  memory::MemoryBudget* const budget_;
  schedule::CancelToken cancel_;
  exec::QueryStats stats_;

  std::mutex mutex_;
  std::condition_variable finished_;
  State state_ = State::kRegistered;
  int callers_ = 0;
  std::chrono::steady_clock::time_point begin_;
  double total_ms_ = 0;
  int64_t answer_bytes_ = 0;
  Answer answer_;
};

}  // namespace shadowvm::node
