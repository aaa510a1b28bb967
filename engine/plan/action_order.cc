// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/action_order.h"

#include <string>
#include <unordered_map>
#include <utility>

namespace shadowvm::plan {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;

Status Bad(std::string_view message) { return MakeError(ErrorCode::kBadCommand, message); }

std::string_view KindName(const v1::Action& action) {
  switch (action.kind_case()) {
    case v1::Action::kScan:
      return "scan";
    case v1::Action::kFilter:
      return "filter";
    case v1::Action::kMap:
      return "map";
    case v1::Action::kJoin:
      return "join";
    case v1::Action::kAggregate:
      return "aggregate";
    case v1::Action::kSort:
      return "sort";
    case v1::Action::kLimit:
      return "limit";
    case v1::Action::kTopN:
      return "top_n";
    case v1::Action::kSink:
      return "sink";
    case v1::Action::KIND_NOT_SET:
      return "unknown";
  }
  return "unknown";
}

int NumInputs(const v1::Action& action) {
  if (action.has_scan()) return 0;
  return action.has_join() ? 2 : 1;
}

Status CheckAction(const v1::Action& action, uint32_t root) {
  if (action.kind_case() == v1::Action::KIND_NOT_SET) {
    return MakeError(ErrorCode::kUnsupported,
                     PlaceOf(action) + ": this kind of action is not known");
  }
  if (action.inputs_size() != NumInputs(action)) {
    return Bad(PlaceOf(action) + " takes " + std::to_string(NumInputs(action)) + " inputs, not " +
               std::to_string(action.inputs_size()));
  }
  if (action.has_sink() && action.id() != root) return Bad(PlaceOf(action) + " is not the root");
  return Status::OK();
}

// Walks from the root with a stack of its own: a chain of actions may be long.
class Order {
 public:
  Order(const v1::Command& command) : command_(command) {}

  Result<std::vector<OrderedAction>> Run() {
    SVM_RETURN_NOT_OK(Index());
    SVM_ASSIGN_OR_RETURN(const int root, Find(command_.root(), "the root"));
    stack_.push_back({root, 0});
    while (!stack_.empty()) SVM_RETURN_NOT_OK(Advance());
    if (order_.size() != static_cast<size_t>(command_.actions_size())) {
      return Bad("the root does not need every action");
    }
    return std::move(order_);
  }

 private:
  static constexpr int kNew = -1;
  static constexpr int kOpen = -2;
  struct Visit {
    int action;
    int next_input;
  };

  Status Index() {
    places_.assign(command_.actions_size(), kNew);
    by_id_.reserve(command_.actions_size());
    for (int i = 0; i < command_.actions_size(); ++i) {
      const v1::Action& action = command_.actions(i);
      SVM_RETURN_NOT_OK(CheckAction(action, command_.root()));
      if (!by_id_.emplace(action.id(), i).second) {
        return Bad("two actions have the id " + std::to_string(action.id()));
      }
    }
    return Status::OK();
  }

  Result<int> Find(uint32_t id, std::string_view who) const {
    const auto found = by_id_.find(id);
    if (found != by_id_.end()) return found->second;
    return Bad("there is no action " + std::to_string(id) + ", named by " + std::string(who));
  }

  // Goes one input deeper, or places the action when all its inputs are placed.
  Status Advance() {
    Visit& visit = stack_.back();
    const v1::Action& action = command_.actions(visit.action);
    places_[visit.action] = kOpen;
    if (visit.next_input == action.inputs_size()) return Place(action);
    SVM_ASSIGN_OR_RETURN(const int input, Find(action.inputs(visit.next_input++), PlaceOf(action)));
    if (places_[input] == kOpen) return Bad(PlaceOf(action) + " is part of a cycle");
    if (places_[input] == kNew) stack_.push_back({input, 0});
    return Status::OK();
  }

  Status Place(const v1::Action& action) {
    OrderedAction ordered{&action, {}};
    for (const uint32_t id : action.inputs()) ordered.inputs.push_back(places_[by_id_.at(id)]);
    places_[stack_.back().action] = static_cast<int>(order_.size());
    order_.push_back(std::move(ordered));
    stack_.pop_back();
    return Status::OK();
  }

  const v1::Command& command_;
  std::unordered_map<uint32_t, int> by_id_;
  std::vector<int> places_;  // place in order_, kNew or kOpen
  std::vector<Visit> stack_;
  std::vector<OrderedAction> order_;
};

}  // namespace

std::string PlaceOf(const v1::Action& action) {
  return "action " + std::to_string(action.id()) + " (" + std::string(KindName(action)) + ")";
}

Result<std::vector<OrderedAction>> OrderActions(const v1::Command& command,
                                                const PlanLimits& limits) {
  if (command.actions_size() == 0) return Bad("no actions");
  if (command.actions_size() > limits.max_actions) {
    return Bad(std::to_string(command.actions_size()) + " actions; at most " +
               std::to_string(limits.max_actions) + " are allowed");
  }
  return Order(command).Run();
}

}  // namespace shadowvm::plan
