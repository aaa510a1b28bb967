// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/gpu_keeper.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace shadowvm::exec {
namespace {

constexpr char kOff[] = "it is switched off";
constexpr char kOpening[] = "it is being opened";
constexpr char kClosed[] = "it is closed";
// The longest wait between two attempts, in first waits.
constexpr int kLongestWait = 20;

}  // namespace

GpuKeeper::GpuKeeper(GpuOptions options, memory::MemoryBudget* budget)
    : budget_(budget), options_(std::move(options)), retry_after_(options_.retry_after) {
  std::lock_guard lock(mutex_);
  down_ = options_.kind == GpuKind::kNone ? kOff : kOpening;
  TendLocked(Clock::now());
}

GpuKeeper::~GpuKeeper() {
  if (opener_.joinable()) opener_.join();
  std::shared_ptr<Gpu> last, failed;  // end outside the lock: a failure on its way calls back
  std::lock_guard lock(mutex_);
  last = std::move(gpu_);
  failed = std::move(failed_);
}

void GpuKeeper::TendLocked(Clock::time_point now) {
  if (options_.kind == GpuKind::kNone || gpu_ != nullptr || opening_ || now < retry_at_) return;
  if (opener_.joinable()) opener_.join();  // it has done its work
  opening_ = true;
  try {
    opener_ = std::thread([this] { Open(); });
  } catch (const std::system_error& error) {
    opening_ = false;
    SetDownLocked(base::MakeError(base::ErrorCode::kInternal, error.what()));
  }
}

bool GpuKeeper::DropFailed() {
  std::shared_ptr<Gpu> failed;
  {
    std::lock_guard lock(mutex_);
    failed = std::move(failed_);
  }
  failed.reset();
  std::lock_guard lock(mutex_);
  if (*gone_) return true;
  retry_at_ = Clock::now() + retry_after_;
  opening_ = false;
  opened_.notify_all();
  return false;
}

std::shared_ptr<Gpu> GpuKeeper::Share(std::unique_ptr<Gpu> gpu) {
  auto gone = std::make_shared<std::atomic<bool>>(false);
  gone_ = gone;
  return {gpu.release(), [gone](Gpu* ended) {
            delete ended;
            *gone = true;
          }};
}

void GpuKeeper::Open() {
  if (!DropFailed()) return;
  GpuOptions options;
  {
    std::lock_guard lock(mutex_);
    options = options_;
  }
  options.on_failure = [this](const base::Status& why) { OnFailure(why); };
  auto opened = Gpu::Open(options, budget_);
  std::lock_guard lock(mutex_);
  opening_ = false;
  const base::Status status = opened.ok() ? (*opened)->CheckUsable() : opened.status();
  if (status.ok()) {
    gpu_ = Share(std::move(*opened));
    down_.clear();
    failure_ = base::Status::OK();
    up_since_ = Clock::now();
  } else {
    SetDownLocked(status);
  }
  opened_.notify_all();
}

void GpuKeeper::SetDownLocked(const base::Status& why) {
  const auto now = Clock::now();
  failure_ = why;
  down_ = why.message();
  ++failures_;
  retry_at_ = now + retry_after_;
  const bool again = std::exchange(warned_of_, down_) == down_;
  // Who cannot do without one gets an error instead of one that never was there.
  if (!again && (WasUpLocked() || !options_.required)) {
    options_.warn("the GPU is not used, queries run on the CPU: " + down_ + "; tried again in " +
                  std::to_string(std::max<int64_t>(retry_after_.count() / 1000, 1)) + " s");
  }
  retry_after_ = std::min(2 * retry_after_, kLongestWait * options_.retry_after);
}

void GpuKeeper::OnFailure(const base::Status& why) {
  std::lock_guard lock(mutex_);
  if (gpu_ == nullptr) return;  // who opens it is told, too; who has closed it does not care
  if (gpu_->has_worked()) warned_of_.clear();
  // It does not end here: the thread that calls may be its own.
  failed_ = std::move(gpu_);
  gpu_ = nullptr;
  // One that worked for long starts anew.
  if (Clock::now() - up_since_ > retry_after_) retry_after_ = options_.retry_after;
  SetDownLocked(why);
}

std::shared_ptr<Gpu> GpuKeeper::Take(bool wait, std::string* why_none) {
  std::unique_lock lock(mutex_);
  if (gpu_ != nullptr) return gpu_;
  TendLocked(Clock::now());
  if (wait) opened_.wait(lock, [&] { return !opening_; });
  const bool wanted = options_.kind != GpuKind::kNone;
  if (gpu_ == nullptr && wanted && why_none != nullptr) *why_none = down_;
  return gpu_;
}

base::Result<std::shared_ptr<Gpu>> GpuKeeper::Require() {
  auto gpu = Take(/*wait=*/true);
  if (gpu != nullptr) return gpu;
  std::lock_guard lock(mutex_);
  return failure_.ok() ? base::MakeError(base::ErrorCode::kUnsupported, down_) : failure_;
}

void GpuKeeper::Close() {
  std::shared_ptr<Gpu> closed;  // ends outside the lock
  std::lock_guard lock(mutex_);
  if (gpu_ == nullptr) return;
  closed = std::move(gpu_);
  down_ = kClosed;
  failure_ = base::Status::OK();
  retry_at_ = {};
}

void GpuKeeper::Reopen(GpuOptions options) {
  static_cast<void>(Take(/*wait=*/true));  // what is being opened has the options of before
  Close();
  std::lock_guard lock(mutex_);
  options_ = std::move(options);
  retry_after_ = options_.retry_after;
  retry_at_ = {};
  up_since_ = {};
  down_ = options_.kind == GpuKind::kNone ? kOff : kClosed;
  failure_ = base::Status::OK();
}

bool GpuKeeper::was_up() {
  std::lock_guard lock(mutex_);
  return WasUpLocked();
}

GpuKeeper::State GpuKeeper::state() {
  std::lock_guard lock(mutex_);
  State state{options_.kind != GpuKind::kNone, down_, 0, failures_, gpu_};
  if (!down_.empty() && !opening_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(retry_at_ - Clock::now());
    state.retry_ms = std::max<int64_t>(left.count(), 0);
  }
  return state;
}

}  // namespace shadowvm::exec
