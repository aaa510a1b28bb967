// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/hash_fill.h"

#include <algorithm>
#include <chrono>

#include "engine/base/elapsed.h"
#include "engine/exec/gpu/gpu_run.h"
#include "engine/exec/gpu/hash_build.h"
#include "engine/exec/state/key_words.h"
#include "engine/schedule/fill_choice.h"

namespace shadowvm::exec {
namespace {

using schedule::Mode;
using schedule::Side;
using Clock = std::chrono::steady_clock;

// What fewer rows took, in caches and mostly by one core, tells nothing of others.
constexpr int64_t kManyRows = 256 << 10;
// Fewer rows are looked at by one worker.
constexpr int64_t kLookedAtRows = 32 << 10;
// More would drive out what scans have there.
constexpr int64_t kPartOfCard = 4;

bool HasNulls(const HashFill& fill) {
  return std::any_of(fill.key_columns.begin(), fill.key_columns.end(),
                     [&](int key) { return fill.rows.columns[key].valid != nullptr; });
}

}  // namespace

HashFillRun::HashFillRun(const QueryContext& context, const Table& table) : context_(context) {
  report_.build = table.build;
  report_.pipeline = table.pipeline;
  report_.step = table.step;
  report_.rows = table.rows.num_rows;
  int key_words = 0;
  for (const int key : table.key_columns) key_words += KeyWords(table.rows.columns[key].column);
  // Speeds are of tables that are alike in what a row costs.
  shape_ = schedule::KernelHistory::ShapeOf("hash build, words: " + std::to_string(key_words),
                                            context.gpu->facts().name);
  Choose(HashBuildLinkBytes(report_.rows, key_words));
  if (report_.mode != Mode::kGpu) return;
  const base::Status found = FindProgram();
  if (!found.ok()) TurnToCores(found);
}

void HashFillRun::Choose(int64_t link_bytes) {
  schedule::FillFacts facts;
  facts.rows = report_.rows;
  if (facts.rows < std::max<int64_t>(context_.gpu->options().least_fill_rows, 1)) {
    facts.why_not_gpu = "too few rows to be worth a launch";
  } else if (link_bytes > context_.gpu->arena().cap() / kPartOfCard) {
    facts.why_not_gpu = "more than the GPU has room for";
  }
  facts.link_bytes = link_bytes;
  facts.cores = context_.workers.count();
  facts.remembered = context_.history->Find(shape_);
  const schedule::DeviceChoice choice = schedule::ChooseFill(facts);
  const bool asked_for = context_.mode == Mode::kGpu && facts.why_not_gpu.empty();
  report_.mode = asked_for ? Mode::kGpu : choice.mode;
  if (!asked_for) report_.reason = choice.reason;
  report_.predicted_ms = choice.predicted(report_.mode);
}

base::Status HashFillRun::FindProgram() {
  SVM_ASSIGN_OR_RETURN(program_, exec::FindProgram(context_, kHashBuildTitle, kHashBuildText));
  if (program_ != nullptr) return base::Status::OK();
  return base::MakeError(base::ErrorCode::kUnsupported, kStillCompiling);
}

void HashFillRun::TurnToCores(const base::Status& why) {
  report_.reason = why.message();
  report_.mode = Mode::kCpu;
  report_.times = {};
}

base::Result<HashFilled> HashFillRun::Fill(const HashFill& fill, const OnCores& on_cores) {
  const auto start = Clock::now();
  base::Result<HashFilled> filled = HashFilled();
  const bool tried = report_.mode == Mode::kGpu;
  if (tried) {
    filled = OnGpu(fill);
    if (base::CodeOf(filled.status()) == base::ErrorCode::kCancelled) return filled;
    if (!filled.ok()) TurnToCores(filled.status());
  }
  if (report_.mode == Mode::kCpu) {
    const auto cores_start = Clock::now();
    filled = on_cores();
    SVM_RETURN_NOT_OK(filled.status());
    NoteTime(Side::kCpu, base::MillisecondsSince(cores_start));
    // It is to be tried again only where it would be worth it even so.
    if (tried) NoteTime(Side::kGpu, base::MillisecondsSince(start));
  }
  Report();
  return filled;
}

void HashFillRun::Report() {
  std::erase_if(context_.stats->fills, [&](const FillDevices& fill) {
    return fill.pipeline == report_.pipeline && fill.step == report_.step;
  });
  context_.stats->fills.push_back(report_);
}

base::Result<HashFilled> HashFillRun::OnGpu(const HashFill& fill) {
  if (context_.workers.cancel != nullptr) SVM_RETURN_NOT_OK(context_.workers.cancel->Check());
  const auto start = Clock::now();
  std::shared_ptr<memory::Buffer> takes_part;
  if (HasNulls(fill)) {
    SVM_ASSIGN_OR_RETURN(takes_part, RowsTakingPart(fill));
  }
  const auto built =
      BuildHashTable(context_.gpu, *program_, fill, takes_part.get(), context_.workers.cancel);
  context_.gpu->NoteEnd(built.status());
  SVM_RETURN_NOT_OK(built.status());
  report_.times = built->times;
  NoteTime(Side::kGpu, base::MillisecondsSince(start));
  return built->filled;
}

base::Result<std::shared_ptr<memory::Buffer>> HashFillRun::RowsTakingPart(
    const HashFill& fill) const {
  const int64_t num_rows = fill.rows.num_rows;
  SVM_ASSIGN_OR_RETURN(std::shared_ptr<memory::Buffer> bytes,
                       memory::Buffer::Make(context_.budget, num_rows, "join rows"));
  const auto look = [&](int, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      bytes->data()[row] = HasNullKey(fill.rows, fill.key_columns, row) ? 0 : 1;
    }
    return base::Status::OK();
  };
  SVM_RETURN_NOT_OK(schedule::ParallelRanges(context_.workers, num_rows, kLookedAtRows, look));
  return bytes;
}

void HashFillRun::NoteTime(Side side, double milliseconds) {
  report_.real_ms = milliseconds;
  const double own_ms = milliseconds - report_.times.wait_ms;
  if (own_ms <= 0 || report_.rows < kManyRows) return;
  const double speed = static_cast<double>(report_.rows) / own_ms;
  context_.history->Record(shape_, side,
                           side == Side::kGpu ? speed : speed / context_.workers.count());
}

}  // namespace shadowvm::exec
