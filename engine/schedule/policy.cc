// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/policy.h"

#include <charconv>
#include <cmath>
#include <deque>

namespace shadowvm::schedule {
namespace {

constexpr std::string_view kStaticPrefix = "static:";
constexpr int kElasticFolds = 5;

class GuidedPolicy : public Policy {
 public:
  explicit GuidedPolicy(int64_t num_units) : left_{0, num_units} {}

  UnitRange Take(Side side, int64_t most, const Speeds&) override {
    return side == Side::kGpu ? left_.TakeFront(most) : left_.TakeBack(most);
  }
  UnitRange TakeOver(Side, int64_t) override { return {}; }
  int64_t num_waiting() const override { return left_.size(); }

 private:
  UnitRange left_;
};

// A waiting list that is put into two ready queues fold by fold. In a fold the card has the front.
class FoldedPolicy : public Policy {
 public:
  FoldedPolicy(int64_t num_units, int num_folds, double gpu_share)
      : waiting_{0, num_units},
        num_folds_(num_folds),
        fold_units_((num_units + num_folds - 1) / num_folds),
        gpu_share_(gpu_share) {}

  UnitRange Take(Side side, int64_t most, const Speeds& speeds) override {
    while (ready_[side].empty() && !waiting_.empty()) ClassifyFold(speeds);
    return TakeFrom(&ready_[side], side, most);
  }
  UnitRange TakeOver(Side side, int64_t most) override {
    return TakeFrom(&ready_[Other(side)], side, most);
  }
  int64_t num_waiting() const override {
    int64_t units = waiting_.size();
    for (const Side side : kSides) {
      for (const UnitRange& range : ready_[side]) units += range.size();
    }
    return units;
  }

 private:
  using Queue = std::deque<UnitRange>;

  void ClassifyFold(const Speeds& speeds) {
    // A part of what was found, so that a few odd partitions do not decide.
    if (speeds[Side::kCpu].is_measured() && speeds[Side::kGpu].is_measured()) {
      gpu_share_ += (GpuShare(speeds) - gpu_share_) / num_folds_;
    }
    UnitRange fold = waiting_.TakeFront(fold_units_);
    const auto gpu_units = std::llround(gpu_share_ * static_cast<double>(fold.size()));
    Push(fold.TakeFront(gpu_units), &ready_[Side::kGpu]);
    Push(fold, &ready_[Side::kCpu]);
  }
  static void Push(UnitRange units, Queue* queue) {
    if (!units.empty()) queue->push_back(units);
  }
  // The card from a queue's front, cores from its back: so that each leaves the other long ranges.
  // The card's are of one size, since a short one costs it as much beside its rows.
  static UnitRange TakeFrom(Queue* queue, Side side, int64_t most) {
    if (queue->empty()) return {};
    if (side == Side::kGpu) {
      const int64_t batches = (queue->front().size() + most - 1) / most;
      const UnitRange taken =
          queue->front().TakeFront((queue->front().size() + batches - 1) / batches);
      if (queue->front().empty()) queue->pop_front();
      return taken;
    }
    const UnitRange taken = queue->back().TakeBack(most);
    if (queue->back().empty()) queue->pop_back();
    return taken;
  }

  UnitRange waiting_;
  BySide<Queue> ready_;
  const int num_folds_;
  const int64_t fold_units_;
  double gpu_share_;
};

}  // namespace

std::optional<PolicyChoice> ParsePolicy(std::string_view text) {
  if (text == "guided") return PolicyChoice{PolicyKind::kGuided};
  if (text == "elastic") return PolicyChoice{PolicyKind::kElastic};
  if (text == "apriori") return PolicyChoice{PolicyKind::kApriori};
  if (!text.starts_with(kStaticPrefix)) return std::nullopt;
  text.remove_prefix(kStaticPrefix.size());
  PolicyChoice choice{PolicyKind::kStatic};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, choice.gpu_percent);
  const bool percent = choice.gpu_percent >= 0 && choice.gpu_percent <= 100;
  if (error != std::errc() || at != end || !percent) return std::nullopt;
  return choice;
}

std::string ToText(const PolicyChoice& choice) {
  switch (choice.kind) {
    case PolicyKind::kGuided:
      return "guided";
    case PolicyKind::kElastic:
      return "elastic";
    case PolicyKind::kApriori:
      return "apriori";
    case PolicyKind::kStatic:
      break;
  }
  return std::string(kStaticPrefix) + std::to_string(choice.gpu_percent);
}

std::unique_ptr<Policy> MakePolicy(const PolicyChoice& choice, int64_t num_units,
                                   const Speeds& speeds) {
  switch (choice.kind) {
    case PolicyKind::kGuided:
      return std::make_unique<GuidedPolicy>(num_units);
    case PolicyKind::kElastic:
      return std::make_unique<FoldedPolicy>(num_units, kElasticFolds, 0.5);
    case PolicyKind::kApriori:
      return std::make_unique<FoldedPolicy>(num_units, 1, GpuShare(speeds));
    case PolicyKind::kStatic:
      break;
  }
  return std::make_unique<FoldedPolicy>(num_units, 1, choice.gpu_percent / 100.0);
}

}  // namespace shadowvm::schedule
