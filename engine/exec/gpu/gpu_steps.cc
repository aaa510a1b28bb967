// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/gpu_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/kernels/common/launch.h"
#include "engine/vkernel/render/target.h"

namespace shadowvm::exec {
namespace {

// Instructions that a lane could have done meanwhile, roughly, as measured on an H200. A byte is
// what a processor could do while it is loaded: 128 a cycle, for 17.6 bytes. What is done row by
// row waits for one load after the other.
constexpr double kByte = 7.3;
// The same of the host's memory: 50 GB a second for all processors.
constexpr double kLinkByte = 90 * kByte;
constexpr double kWideRange = 4;     // a row, alive or not
constexpr double kWideStep = 10;     // the same, where a table is asked
constexpr double kFarProbe = 250;    // beside it, a row that asks a table outside shared memory
constexpr double kQueue = 200;       // a row that is queued and taken out again
constexpr double kNarrowStep = 300;  // a row
constexpr double kRowProbe = 400;    // a row: a condition, a hash
constexpr double kSectorBytes = 32;
// Shorter runs are none.
constexpr double kLeastRun = 1.5;
// A range that leaves more is no step of its own.
constexpr double kMostLeftByRange = 0.5;
// A probe that the sink could do without is left out after the range of its keys, if it keeps this
// much of what the range has left.
constexpr double kLeastKeptByProbe = 0.9;
// More steps than this are taken in the CPU's order.
constexpr size_t kMostSteps = 10;

// Whether a wide tile reads the values of that column, and not only which are null.
bool ReadsValues(const vkernel::Step& step) {
  return step.kind == vkernel::StepKind::kRange || step.kind == vkernel::StepKind::kPass ||
         step.kind == vkernel::StepKind::kProbe;
}

// How many rows steps leave, taken to know nothing of each other; but steps over columns whose
// values come in runs leave runs.
struct Left {
  double runs = 1, rows_of_run = 1;
  double run = 1;  // rows

  void Add(const StepEstimate& step) {
    if (step.run < kLeastRun) {
      rows_of_run *= step.selectivity;
    } else {
      runs *= step.selectivity;
      run = std::max(run, step.run);
    }
  }
  double rows() const { return runs * rows_of_run; }
};

// How many of a column's sectors hold a row that is left.
double TouchedSectors(const Left& left, double width, double rows_at_once) {
  const double rows_of_sector = std::max(rows_at_once, kSectorBytes / std::max(width, 1.0));
  const double run = std::min(left.run, rows_of_sector);
  const double runs_left =
      std::min(left.runs, 1.0) * (1 - std::pow(1 - std::min(left.rows_of_run, 1.0), run));
  return 1 - std::pow(1 - runs_left, rows_of_sector / run);
}

// The cheapest way to have done a set of steps.
struct Best {
  double cost = std::numeric_limits<double>::infinity();
  int step = -1;          // that came last
  bool queued = false;    // narrow: rows were queued after that step, and not before
  bool left_out = false;  // that step is
};

class Search {
 public:
  Search(const vkernel::Blueprint& blueprint, const MeasuredSteps& steps,
         const std::vector<uint8_t>& order, const std::vector<bool>& resident, double byte)
      : blueprint_(blueprint),
        steps_(steps),
        order_(order),
        resident_(resident),
        byte_(byte),
        count_(order.size()) {
    for (const uint8_t number : order) ordered_ |= uint64_t{1} << number;
  }

  GpuSteps Run() {
    const size_t sets = size_t{1} << count_;
    wide_.resize(sets);
    narrow_.resize(sets);
    wide_[0].cost = 0;
    for (size_t set = 0; set < sets; ++set) {
      const Left left = LeftAfter(set);
      const double queued = wide_[set].cost + left.rows() * kQueue;
      if (queued < narrow_[set].cost) narrow_[set] = {queued, -1, true, false};
      for (size_t i = 0; i < count_; ++i) Extend(set, i, left);
    }
    return Trace(sets - 1);
  }

 private:
  const vkernel::Step& StepOf(size_t i) const { return blueprint_.levels[0].steps[order_[i]]; }

  // The join whose keys step i asks for: whether they are there, or in their range; or -1.
  int JoinOf(size_t i, vkernel::StepKind kind) const {
    const vkernel::Step& step = StepOf(i);
    if (step.kind != kind) return -1;
    if (kind == vkernel::StepKind::kProbe) return step.join;
    return step.slot >= 0 ? blueprint_.ranges[static_cast<size_t>(step.slot)].join : -1;
  }

  // The step of the set that asks for the keys of a join, or -1.
  int FindStep(size_t set, vkernel::StepKind kind, int join) const {
    for (size_t k = 0; k < count_ && join >= 0; ++k) {
      if ((set >> k & 1) != 0 && JoinOf(k, kind) == join) return static_cast<int>(k);
    }
    return -1;
  }

  // Whether a step of the set has done all that step i would: a probe drops what the range of its
  // keys drops.
  bool IsCovered(size_t set, size_t i) const {
    return FindStep(set, vkernel::StepKind::kProbe, JoinOf(i, vkernel::StepKind::kRange)) >= 0;
  }

  // Whether step i is a probe that may be left out and would drop little that the range of its keys
  // has not.
  bool IsNeedless(size_t set, size_t i) const {
    const StepEstimate& probe = steps_.estimates[order_[i]];
    if (!probe.optional) return false;
    const int range =
        FindStep(set, vkernel::StepKind::kRange, JoinOf(i, vkernel::StepKind::kProbe));
    return range >= 0 &&
           probe.selectivity >= kLeastKeptByProbe * steps_.estimates[order_[range]].selectivity;
  }

  Left LeftAfter(size_t set) const {
    Left left;
    for (size_t i = 0; i < count_; ++i) {
      if ((set >> i & 1) != 0 && !IsCovered(set, i)) left.Add(steps_.estimates[order_[i]]);
    }
    return left;
  }

  bool MayFollow(size_t set, size_t i) const {
    // Steps that were left out are not waited for.
    uint64_t after = StepOf(i).after & ordered_;
    for (size_t k = 0; k < count_; ++k) {
      if ((set >> k & 1) != 0) after &= ~(uint64_t{1} << order_[k]);
    }
    return after == 0;
  }

  bool IsFar(const vkernel::Step& step) const {
    return step.kind == vkernel::StepKind::kProbe && !resident_[static_cast<size_t>(step.join)];
  }

  // A column of one or two bytes has no verb that asks a table outside shared memory.
  bool MayBeWide(size_t i) const {
    const vkernel::Step& step = StepOf(i);
    if (!vkernel::IsOneVerb(step, blueprint_)) return false;
    return !IsFar(step) || blueprint_.columns[ColumnOf(i)].layout.width > 2;
  }

  // Of a row, alive or not; 'left' are.
  double WideCost(size_t i, double left) const {
    if (StepOf(i).kind == vkernel::StepKind::kRange) return kWideRange;
    return kWideStep + (IsFar(StepOf(i)) ? left * kFarProbe : 0);
  }

  int ColumnOf(size_t i) const { return vkernel::StepColumn(blueprint_, StepOf(i)); }

  // Bytes a row that a step brings from the device's memory; none where a step of the set has read
  // the same column.
  double WidthOf(size_t set, size_t i) const {
    const int column = ColumnOf(i);
    if (column < 0) return 4;
    for (size_t k = 0; k < count_; ++k) {
      if ((set >> k & 1) != 0 && ColumnOf(k) == column) return 0;
    }
    return blueprint_.columns[column].layout.width;
  }

  void Extend(size_t set, size_t i, const Left& left) {
    if ((set >> i & 1) != 0 || !MayFollow(set, i)) return;
    const size_t larger = set | size_t{1} << i;
    if (IsCovered(set, i) || IsNeedless(set, i)) return LeaveOut(set, static_cast<int>(i));
    const double width = WidthOf(set, i);
    const double touched = TouchedSectors(left, width, kernels::kGroupRows);
    if (MayBeWide(i)) {
      const double cost = wide_[set].cost + WideCost(i, left.rows()) + touched * width * byte_;
      if (cost < wide_[larger].cost) wide_[larger] = {cost, static_cast<int>(i), false, false};
    }
    const double work = vkernel::IsOneVerb(StepOf(i), blueprint_) ? kNarrowStep : kRowProbe;
    const double cost = narrow_[set].cost + left.rows() * work + touched * width * byte_;
    if (cost < narrow_[larger].cost) narrow_[larger] = {cost, static_cast<int>(i), false, false};
  }

  // A step with nothing left to do.
  void LeaveOut(size_t set, int step) {
    const size_t larger = set | size_t{1} << step;
    for (std::vector<Best>* found : {&wide_, &narrow_}) {
      const double cost = (*found)[set].cost;
      if (cost < (*found)[larger].cost) (*found)[larger] = {cost, step, false, true};
    }
  }

  // Back from the set of all steps to none.
  GpuSteps Trace(size_t set) const {
    GpuSteps found;
    bool narrow = true;
    for (;;) {
      const Best& best = narrow ? narrow_[set] : wide_[set];
      if (narrow && best.queued) {
        narrow = false;
        continue;
      }
      if (best.step < 0) break;
      if (!best.left_out) {
        found.order.push_back(order_[static_cast<size_t>(best.step)]);
        if (!narrow) ++found.wide;
      }
      set &= ~(size_t{1} << best.step);
    }
    std::reverse(found.order.begin(), found.order.end());
    return found;
  }

  const vkernel::Blueprint& blueprint_;
  const MeasuredSteps& steps_;
  const std::vector<uint8_t>& order_;
  const std::vector<bool>& resident_;
  const double byte_;
  const size_t count_;
  uint64_t ordered_ = 0;
  std::vector<Best> wide_, narrow_;  // by set of steps
};

// Columns that are read row by row, by steps on narrow tiles and by the sink.
class RowReads {
 public:
  explicit RowReads(const vkernel::Blueprint& blueprint)
      : blueprint_(blueprint), columns_(blueprint.columns.size()) {}

  void AddStep(const vkernel::Step& step) {
    AddColumn(vkernel::StepColumn(blueprint_, step));
    AddExpression(step.condition);
    if (step.kind == vkernel::StepKind::kProbe) AddJoin(blueprint_.joins[step.join]);
  }
  void AddJoin(const vkernel::Join& join) {
    AddColumn(join.key_column);
    for (const plan::ExpressionPtr& key : join.keys) AddExpression(key);
  }
  void AddSink(const vkernel::Sink& sink) {
    for (const vkernel::OutputColumn& output : sink.outputs) AddExpression(output.value);
    for (const vkernel::Accumulate& accumulate : sink.accumulates) {
      AddExpression(accumulate.argument);
    }
    for (const vkernel::GroupKey& key : sink.keys) {
      AddColumn(key.column);
      AddExpression(key.value);
      if (key.join >= 0) AddColumn(blueprint_.joins[key.join].key_column);
    }
  }

  bool has(int column) const { return columns_[static_cast<size_t>(column)]; }

 private:
  void AddColumn(int column) {
    if (column >= 0) columns_[static_cast<size_t>(column)] = true;
  }
  void AddExpression(const plan::ExpressionPtr& expression) {
    if (expression == nullptr) return;
    for (const plan::ExpressionPtr& argument : expression->args) AddExpression(argument);
    if (!expression->is_column()) return;
    const vkernel::Input& input = blueprint_.inputs[static_cast<size_t>(expression->column)];
    // The build row is looked up by the key again.
    AddColumn(input.is_payload ? blueprint_.joins[blueprint_.payloads[input.index].join].key_column
                               : input.index);
  }

  const vkernel::Blueprint& blueprint_;
  std::vector<bool> columns_;
};

// Without ranges of a join's keys that drop little beside the probe, which is as cheap.
std::vector<uint8_t> WithoutKeyRanges(const vkernel::Blueprint& blueprint,
                                      const MeasuredSteps& measured,
                                      const std::vector<bool>& resident) {
  const std::vector<vkernel::Step>& steps = blueprint.levels[0].steps;
  const std::vector<uint8_t>& order = measured.order;
  const auto is_probed = [&](int join) {
    return join >= 0 && resident[static_cast<size_t>(join)] &&
           std::any_of(order.begin(), order.end(), [&](uint8_t number) {
             return steps[number].kind == vkernel::StepKind::kProbe && steps[number].join == join;
           });
  };
  std::vector<uint8_t> kept;
  for (const uint8_t number : order) {
    const vkernel::Step& step = steps[number];
    const bool range = step.kind == vkernel::StepKind::kRange && step.slot >= 0;
    if (range && measured.estimates[number].selectivity > kMostLeftByRange &&
        is_probed(blueprint.ranges[static_cast<size_t>(step.slot)].join)) {
      continue;
    }
    kept.push_back(number);
  }
  return kept;
}

}  // namespace

GpuSteps OrderForGpu(const vkernel::Blueprint& blueprint, const MeasuredSteps& steps,
                     const std::vector<bool>& resident, bool over_link) {
  const std::vector<uint8_t> order = WithoutKeyRanges(blueprint, steps, resident);
  if (order.size() <= kMostSteps) {
    return Search(blueprint, steps, order, resident, over_link ? kLinkByte : kByte).Run();
  }
  return {order, 0};
}

std::vector<double> TouchedShares(const vkernel::Blueprint& blueprint,
                                  const MeasuredSteps& measured, const GpuSteps& steps) {
  std::vector<double> shares(blueprint.columns.size(), -1);
  const auto read = [&](size_t column, const Left& left, bool wide) {
    const double share = TouchedSectors(left, blueprint.columns[column].layout.width,
                                        wide ? kernels::kGroupRows : 1);
    shares[column] = std::max(shares[column], share);
  };
  Left left;
  std::optional<Left> left_of_others;  // at the first step that may read any column
  for (size_t i = 0; i < steps.order.size(); ++i) {
    const vkernel::Step& step = blueprint.levels[0].steps[steps.order[i]];
    const int column = vkernel::StepColumn(blueprint, step);
    if (column >= 0) {
      read(static_cast<size_t>(column), left, static_cast<int>(i) < steps.wide);
    } else if (!left_of_others) {
      left_of_others = left;
    }
    left.Add(measured.estimates[steps.order[i]]);
  }
  // The rest is read by such a step, or by the sink.
  for (size_t column = 0; column < shares.size(); ++column) {
    if (shares[column] < 0) read(column, left_of_others.value_or(left), false);
  }
  return shares;
}

std::vector<bool> ReadAgain(const vkernel::Blueprint& blueprint, const GpuSteps& steps) {
  RowReads reads(blueprint);
  const auto wide_end = steps.order.begin() + steps.wide;
  const std::vector<vkernel::Step>& first = blueprint.levels[0].steps;
  for (auto step = wide_end; step != steps.order.end(); ++step) reads.AddStep(first[*step]);
  for (size_t level = 1; level < blueprint.levels.size(); ++level) {
    for (const vkernel::Step& step : blueprint.levels[level].steps) reads.AddStep(step);
  }
  for (const vkernel::Join& join : blueprint.joins) {
    if (join.expands()) reads.AddJoin(join);
  }
  reads.AddSink(blueprint.sink);
  std::vector<bool> again(blueprint.columns.size());
  for (auto step = steps.order.begin(); step != wide_end; ++step) {
    const int column = vkernel::StepColumn(blueprint, first[*step]);
    if (column < 0 || !ReadsValues(first[*step])) continue;
    again[static_cast<size_t>(column)] = reads.has(column);
  }
  return again;
}

}  // namespace shadowvm::exec
