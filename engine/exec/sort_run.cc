// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/sort_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "engine/base/elapsed.h"
#include "engine/exec/gpu/gpu_run.h"
#include "engine/exec/gpu/radix_sort.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/exec/state/sorter.h"
#include "engine/schedule/sort_choice.h"

namespace shadowvm::exec {
namespace {

using schedule::Mode;
using schedule::Side;

// Prefixes are made by one worker where there are fewer, and nothing is remembered of them: what
// they take tells nothing of others, and to look for it takes as long.
constexpr int64_t kFillRows = 32 << 10;
// The GPU sorts all rows, so it is of little use to who wants fewer than one of so many.
constexpr int64_t kMostRowsOfOne = 8;
// When prefixes do not tell so many rows apart, cores would have to compare most of them anyway.
constexpr double kMostTied = 0.5;

// A sort in a query that has a GPU at hand.
class SortRun {
 public:
  SortRun(const QueryContext& context, const SortOrder& order, const SortPart& part)
      : context_(context),
        order_(order),
        part_(part.Within(order.num_rows())),
        // Speeds are of sorts that are alike in what they cost a row.
        shape_(IsSmall()
                   ? 0
                   : schedule::KernelHistory::ShapeOf(order.is_exact() ? "sort" : "sort with ties",
                                                      context.gpu->facts().name)) {}

  base::Result<RowNumbers> Run() {
    SortDevices& report = context_.stats->sorts.emplace_back();
    report.rows = order_.num_rows();
    Choose(&report);
    if (report.mode == Mode::kGpu) {
      auto numbers = OnGpu(&report);
      if (numbers.ok()) return numbers;
      // If it was the query that failed it fails again, below.
      report.reason = numbers.status().message();
      report.mode = Mode::kCpu;
      report.times = {};
    }
    return OnCpu(&report);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool IsSmall() const { return order_.num_rows() < kFillRows; }

  std::string WhyNot() const {
    const int64_t rows = order_.num_rows();
    if (rows < std::max<int64_t>(context_.gpu->options().least_sort_rows, 2)) {
      return "too few rows to be worth a launch";
    }
    if ((part_.offset + part_.count) * kMostRowsOfOne < rows) {
      return "a few of many rows are found without sorting all of them";
    }
    if (order_.ShareTied() > kMostTied) {
      return "most rows differ only beyond the first 64 bits of their keys";
    }
    return "";
  }

  void Choose(SortDevices* report) const {
    schedule::SortFacts facts;
    facts.why_not_gpu = WhyNot();
    facts.rows = order_.num_rows();
    facts.wanted = part_.offset + part_.count;
    facts.key_bits = order_.prefix_bits();
    facts.cores = context_.workers.count();
    if (!IsSmall()) facts.remembered = context_.history->Find(shape_);
    const schedule::DeviceChoice choice = schedule::ChooseSort(facts);
    const bool asked_for = context_.mode == Mode::kGpu && facts.why_not_gpu.empty();
    report->mode = asked_for ? Mode::kGpu : choice.mode;
    if (!asked_for) report->reason = choice.reason;
    report->predicted_ms = choice.predicted(report->mode);
  }

  base::Result<RowNumbers> OnCpu(SortDevices* report) const {
    const base::Span span(&context_.stats->spans, base::Stage::kMerge);
    const auto start = Clock::now();
    SVM_ASSIGN_OR_RETURN(RowNumbers numbers,
                         OrderRows(order_, part_, context_.budget, context_.workers));
    NoteTime(start, report);
    return numbers;
  }

  base::Result<RowNumbers> OnGpu(SortDevices* report) const {
    SVM_ASSIGN_OR_RETURN(const auto program, FindProgram(context_, kSortTitle, kSortText));
    if (program == nullptr) {
      return base::MakeError(base::ErrorCode::kUnsupported, kStillCompiling);
    }
    const base::Span span(&context_.stats->spans, base::Stage::kMerge);
    const auto start = Clock::now();
    const int64_t rows = order_.num_rows();
    SVM_ASSIGN_OR_RETURN(const auto prefixes,
                         memory::Buffer::Make(context_.budget, rows * 8, "sort keys"));
    auto* const keys = prefixes->as<uint64_t>();
    SVM_ASSIGN_OR_RETURN(const uint64_t different, Fill(keys));
    SVM_ASSIGN_OR_RETURN(RowNumbers numbers,
                         memory::Buffer::Make(context_.budget, rows * 4, "sorted rows"));
    auto* const all = numbers->as<uint32_t>();
    const auto count = static_cast<size_t>(rows);
    const auto sorted = SortByDigits(context_.gpu, *program, {keys, count}, different, all,
                                     context_.workers.cancel);
    context_.gpu->NoteEnd(sorted.status());
    SVM_ASSIGN_OR_RETURN(report->times, sorted);
    SVM_RETURN_NOT_OK(OrderTies(order_, keys, {all, count}, context_.workers));
    if (part_.offset > 0) std::copy_n(all + part_.offset, part_.count, all);
    NoteTime(start, report);
    return numbers;
  }

  // Makes all prefixes; gives the bits in which they differ.
  base::Result<uint64_t> Fill(uint64_t* prefixes) const {
    std::atomic<uint64_t> different{0};
    uint64_t first = 0;
    order_.Fill(0, 1, &first);
    const auto fill = [&](int, int64_t begin, int64_t end) {
      order_.Fill(begin, end, prefixes);
      uint64_t mine = 0;
      for (int64_t row = begin; row < end; ++row) mine |= prefixes[row] ^ first;
      different |= mine;
      return base::Status::OK();
    };
    SVM_RETURN_NOT_OK(
        schedule::ParallelRanges(context_.workers, order_.num_rows(), kFillRows, fill));
    return different.load();
  }

  void NoteTime(Clock::time_point start, SortDevices* report) const {
    report->real_ms = base::MillisecondsSince(start);
    const double own_ms = report->real_ms - report->times.wait_ms;
    // Of few that are wanted it tells nothing of others.
    const bool on_gpu = report->mode == Mode::kGpu;
    const bool whole = part_.count == order_.num_rows();
    if (own_ms <= 0 || IsSmall() || !(on_gpu || whole)) return;
    const double speed = static_cast<double>(report->rows) / own_ms;
    context_.history->Record(shape_, on_gpu ? Side::kGpu : Side::kCpu,
                             on_gpu ? speed : speed / context_.workers.count());
  }

  const QueryContext& context_;
  const SortOrder& order_;
  const SortPart part_;
  const uint64_t shape_;
};

}  // namespace

base::Result<RowSet> SortRows(const QueryContext& context, const SortPlan& plan, RowSet rows) {
  SVM_RETURN_NOT_OK(CheckSortSize(rows));
  const SortOrder order(rows, plan.keys);
  const SortPart part = plan.part.Within(rows.num_rows);
  RowNumbers numbers;
  if (context.gpu != nullptr) {
    SVM_ASSIGN_OR_RETURN(numbers, SortRun(context, order, part).Run());
  }
  const base::Span span(&context.stats->spans, base::Stage::kMerge);
  if (numbers == nullptr) {
    SVM_ASSIGN_OR_RETURN(numbers, OrderRows(order, part, context.budget, context.workers));
  }
  const std::span asked_for(numbers->as<uint32_t>(), static_cast<size_t>(part.count));
  return Gather(rows, asked_for, context.budget, context.workers);
}

}  // namespace shadowvm::exec
