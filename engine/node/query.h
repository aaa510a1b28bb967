// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/table.h>

#include <chrono>
#include <climits>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/exec/query_context.h"
#include "engine/exec/query_plan.h"
#include "engine/memory/budget.h"
#include "engine/schedule/cancel_token.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::node {

using Answer = base::Result<std::shared_ptr<arrow::Table>>;

// A command that was read and planned.
struct CheckedCommand {
  std::string bytes;  // as they came: what makes two requests the same
  std::shared_ptr<exec::QueryPlan> plan;
  v1::Execution execution = {};  // as the sender wishes it
  // What planning took, and then what the run did.
  std::unique_ptr<exec::QueryStats> stats = std::make_unique<exec::QueryStats>();
};

// One query: registered, run at most once, its answer kept as long as the query is. Several callers
// may wait for it, or for the barrier of one of its pipelines. Thread-safe.
class Query {
 public:
  // To wait for the answer, not for a barrier.
  static constexpr int kAllPipelines = INT_MAX;

  // The bytes of the answer are reserved in 'budget', which outlives the query.
  Query(std::string id, CheckedCommand command, memory::MemoryBudget* budget);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  const std::string& id() const { return id_; }
  const CheckedCommand& command() const { return command_; }
  schedule::CancelToken& cancel() { return cancel_; }

  // True for one caller, who is to run it and to call Finish.
  bool Begin();
  // A pipeline is done; they come in their order.
  void PassBarrier(const exec::PipelineStats& pipeline);
  // Before Finish, by the one who runs it: the answer with its bytes reserved, or kOutOfMemory
  // where there is no room to keep it.
  Answer Reserve(Answer answer);
  // Wakes those who wait.
  void Finish(Answer answer);

  void Enter();
  // True when nobody waits any longer for what the last caller has abandoned: it is cancelled then.
  bool Leave(bool abandoned);
  // True once so many pipelines are done or it has finished; false when that took longer than
  // 'patience'.
  bool Await(int num_pipelines, std::chrono::milliseconds patience);
  bool has_finished() const;
  // Registered, and nobody has asked for it yet.
  bool is_idle() const;
  // Of an answer that nobody waits for.
  int64_t unwanted_bytes() const;
  // Of the pipelines that are done.
  std::vector<exec::PipelineStats> pipelines() const;
  // From the start of the run to its end, or until now.
  double total_ms() const;
  // Only once it has finished.
  const Answer& answer() const { return answer_; }

 private:
  enum class State { kRegistered, kRunning, kFinished };
  using Clock = std::chrono::steady_clock;

  const std::string id_;
  const CheckedCommand command_;
  memory::MemoryBudget* const budget_;
  schedule::CancelToken cancel_;

  mutable std::mutex mutex_;
  std::condition_variable progress_;
  State state_ = State::kRegistered;
  int callers_ = 0;
  Clock::time_point begin_;
  Clock::time_point end_;
  std::vector<exec::PipelineStats> pipelines_;
  int64_t answer_bytes_ = 0;
  Answer answer_;
};

}  // namespace shadowvm::node
