// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "engine/base/span.h"
#include "engine/base/status.h"
#include "engine/exec/query_plan.h"
#include "engine/memory/budget.h"

namespace shadowvm::exec {

// Plans that wait to be used again, by the bytes of their commands: a client that asks the same
// again and again is not planned for again and again. A plan depends on its command and on the
// columns of its tables; the latter are compared whenever it is taken. Thread-safe.
class PlanCache : public std::enable_shared_from_this<PlanCache>, public memory::Reclaimer {
 public:
  // 'engine' outlives the cache and every plan.
  explicit PlanCache(Engine* engine);
  ~PlanCache() override;

  // A plan for a serialized command, for one caller, who gives it back by letting go of it. Its
  // tables are open. Errors are those of plan::ParseCommand and QueryPlan::Make. 'spans' may be
  // null.
  base::Result<std::shared_ptr<QueryPlan>> Take(const std::string& command, base::Spans* spans);

  void Clear();
  // Lets go of what plans that nobody uses have left of their last run.
  void ForgetRuns();
  // Build sides of such runs could not be given back otherwise.
  void Reclaim(int64_t) override { ForgetRuns(); }
  int64_t size() const;

 private:
  static constexpr size_t kMostPlans = 256;
  // A command beyond this is planned each time.
  static constexpr size_t kMostBytes = 256 << 10;

  struct Kept {
    std::string command;
    std::unique_ptr<QueryPlan> plan;
  };

  std::unique_ptr<QueryPlan> Find(const std::string& command);
  void Keep(std::string command, std::unique_ptr<QueryPlan> plan);

  Engine& engine_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // the last used first; of one command there may be several
};

}  // namespace shadowvm::exec
