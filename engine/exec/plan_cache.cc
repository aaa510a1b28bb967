// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/plan_cache.h"

#include <algorithm>
#include <utility>

#include "engine/exec/engine.h"
#include "engine/exec/query.h"
#include "engine/plan/plan_builder.h"

namespace shadowvm::exec {

PlanCache::PlanCache(Engine* engine) : engine_(*engine) { engine_.budget().AddReclaimer(this); }

PlanCache::~PlanCache() { engine_.budget().RemoveReclaimer(this); }

void PlanCache::ForgetRuns() {
  std::vector<QueryPlan::Rest> forgotten;  // freed after the lock
  std::lock_guard lock(mutex_);
  for (const Kept& kept : kept_) forgotten.push_back(kept.plan->TakeRest());
}

base::Result<std::shared_ptr<QueryPlan>> PlanCache::Take(const std::string& command,
                                                         base::Spans* spans) {
  std::unique_ptr<QueryPlan> plan = Find(command);
  {
    const base::Span span(spans, base::Stage::kPlan);
    // With other columns than before it is another plan.
    if (plan != nullptr && !plan->Reopen().ok()) plan = nullptr;
  }
  if (plan == nullptr) {
    SVM_ASSIGN_OR_RETURN(const v1::Command parsed, plan::ParseCommand(command));
    SVM_ASSIGN_OR_RETURN(plan, QueryPlan::Make(&engine_, parsed, spans));
  }
  if (command.size() > kMostBytes) return std::shared_ptr<QueryPlan>(std::move(plan));
  return std::shared_ptr<QueryPlan>(plan.release(),
                                    [command, self = weak_from_this()](QueryPlan* used) {
                                      std::unique_ptr<QueryPlan> given_back(used);
                                      if (const auto cache = self.lock())
                                        cache->Keep(command, std::move(given_back));
                                    });
}

std::unique_ptr<QueryPlan> PlanCache::Find(const std::string& command) {
  std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Kept& kept) { return kept.command == command; });
  if (found == kept_.end()) return nullptr;
  std::unique_ptr<QueryPlan> plan = std::move(found->plan);
  kept_.erase(found);
  return plan;
}

void PlanCache::Keep(std::string command, std::unique_ptr<QueryPlan> plan) {
  plan->CloseTables();
  std::list<Kept> dropped;  // freed after the lock
  std::lock_guard lock(mutex_);
  kept_.push_front({std::move(command), std::move(plan)});
  if (kept_.size() > kMostPlans) dropped.splice(dropped.end(), kept_, std::prev(kept_.end()));
}

void PlanCache::Clear() {
  std::list<Kept> dropped;  // freed after the lock
  std::lock_guard lock(mutex_);
  dropped.swap(kept_);
}

int64_t PlanCache::size() const {
  std::lock_guard lock(mutex_);
  return static_cast<int64_t>(kept_.size());
}

}  // namespace shadowvm::exec
