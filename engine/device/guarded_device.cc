// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/guarded_device.h"

#include <string>
#include <thread>
#include <utility>

#include "engine/base/fault.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace shadowvm::device {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using Clock = std::chrono::steady_clock;

// A fault point as a status: its failure is the device's.
Status Fault([[maybe_unused]] const char* point) {
  SVM_FAULT_POINT(point);
  return Status::OK();
}

// What a launch that hangs is said to have done.
std::string LimitPassed(const GuardOptions& options) {
  const int64_t limit = options.launch_limit.count();
  if (limit == 0) return "a kernel does not end";
  const std::string time =
      limit % 1000 == 0 ? std::to_string(limit / 1000) + " s" : std::to_string(limit) + " ms";
  const std::string changed_by = options.limit_option.empty()
                                     ? ""
                                     : " (" + options.limit_option + " sets how long it may take)";
  return "a kernel has not ended within " + time + changed_by;
}

bool IsOfTheDevice(const Status& status) {
  const ErrorCode code = base::CodeOf(status);
  return code != ErrorCode::kOutOfMemory && code != ErrorCode::kKernelLoad;
}

}  // namespace

template <typename T>
void GuardedDevice::Discard(std::unique_ptr<T> part) {
  if (!hangs_) return;
#ifdef __SANITIZE_ADDRESS__
  __lsan_ignore_object(part.get());
#endif
  static_cast<void>(part.release());
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it must not end

class GuardedDevice::GuardedProgram : public Program {
 public:
  GuardedProgram(GuardedDevice* device, std::unique_ptr<Program> program)
      : device_(*device), program_(std::move(program)) {}
  ~GuardedProgram() override { device_.Discard(std::move(program_)); }
  const Program& program() const { return *program_; }

 private:
  GuardedDevice& device_;
  std::unique_ptr<Program> program_;
};

class GuardedDevice::GuardedStream : public Stream {
 public:
  GuardedStream(GuardedDevice* device, std::unique_ptr<Stream> stream)
      : device_(*device), stream_(std::move(stream)) {}
  ~GuardedStream() override { device_.Discard(std::move(stream_)); }

  Status CopyIn(DeviceAddress to, const void* from, int64_t bytes) override {
    SVM_RETURN_NOT_OK(device_.CheckUsable());
    return device_.Note(stream_->CopyIn(to, from, bytes));
  }

  // A copy that makes its caller wait does so inside the driver, where nobody looks for a hang.
  Status CopyOut(void* to, DeviceAddress from, int64_t bytes) override {
    SVM_RETURN_NOT_OK(device_.CheckUsable());
    if (!CopiesOutPromptly(bytes)) {
      SVM_RETURN_NOT_OK(Await());
      SVM_RETURN_NOT_OK(device_.CheckUsable());
    }
    return device_.Note(stream_->CopyOut(to, from, bytes));
  }

  bool CopiesOutPromptly(int64_t bytes) const override { return stream_->CopiesOutPromptly(bytes); }

  Status Clear(DeviceAddress at, int64_t bytes) override {
    SVM_RETURN_NOT_OK(device_.CheckUsable());
    return device_.Note(stream_->Clear(at, bytes));
  }

  Status Launch(const Program& program, const LaunchShape& shape, DeviceAddress argument) override {
    SVM_RETURN_NOT_OK(device_.CheckUsable());
    SVM_RETURN_NOT_OK(device_.Note(Fault("device.launch")));
    if (hang_.ok()) hang_ = Fault("device.hang");
    if (launches_++ == 0) begin_ = Clock::now();
    return device_.Note(
        stream_->Launch(static_cast<const GuardedProgram&>(program).program(), shape, argument));
  }

  // Also when another stream has failed, since the caller is about to use the memory otherwise.
  Status Synchronize() override {
    if (launches_ == 0) begin_ = Clock::now();
    SVM_RETURN_NOT_OK(Await());
    launches_ = 0;
    SVM_RETURN_NOT_OK(device_.Note(stream_->Synchronize()));
    SVM_RETURN_NOT_OK(device_.Note(Fault("device.wait")));
    return device_.CheckUsable();
  }

  // Who asks again and again instead of waiting notices a hang, too.
  Result<bool> IsDone() override {
    SVM_RETURN_NOT_OK(device_.CheckUsable());
    return Poll();
  }

  double launch_milliseconds() const override { return stream_->launch_milliseconds(); }

 private:
  // Whether the driver must not be the one that waits: it might for ever.
  bool IsLimited() const {
    if (device_.hangs_ || !hang_.ok()) return true;
    return launches_ > 0 && device_.options_.launch_limit.count() > 0;
  }

  Result<bool> Poll() {
    Result<bool> done = hang_.ok() ? stream_->IsDone() : false;
    if (!done.ok()) return device_.Note(done.status());
    if (*done || !IsLimited()) return done;
    if (Clock::now() > begin_ + device_.options_.launch_limit) return device_.Hang();
    return false;
  }

  // Waits until all is done, or a launch's limit is over; not at all where the driver may.
  Status Await() {
    // Who sleeps is late by a tenth of a millisecond, which counts for kernels of a few.
    const auto patience = begin_ + std::chrono::milliseconds(20);
    while (IsLimited()) {
      SVM_ASSIGN_OR_RETURN(const bool done, Poll());
      if (done) break;
      if (Clock::now() < patience) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    }
    return Status::OK();
  }

  GuardedDevice& device_;
  std::unique_ptr<Stream> stream_;
  int launches_ = 0;  // since Synchronize
  Clock::time_point begin_;
  Status hang_;
};

GuardedDevice::GuardedDevice(std::unique_ptr<Accelerator> device, GuardOptions options)
    : device_(std::move(device)), options_(std::move(options)) {}

GuardedDevice::~GuardedDevice() { Discard(std::move(device_)); }

Status GuardedDevice::CheckUsable() const {
  if (!failed_) return Status::OK();
  std::lock_guard lock(mutex_);
  return failure_;
}

Status GuardedDevice::Note(Status status) {
  if (status.ok() || !IsOfTheDevice(status)) return status;
  {
    std::lock_guard lock(mutex_);
    if (failed_) return failure_;
    failure_ = status;
    failed_ = true;
  }
  options_.on_failure(status);
  return status;
}

Status GuardedDevice::Hang() {
  hangs_ = true;
  return Note(base::MakeError(ErrorCode::kInternal, LimitPassed(options_)));
}

Result<DeviceMemory> GuardedDevice::Allocate(int64_t bytes) {
  SVM_RETURN_NOT_OK(CheckUsable());
  SVM_RETURN_NOT_OK(Note(Fault("device.allocate")));
  Result<DeviceMemory> memory = device_->Allocate(bytes);
  if (!memory.ok()) return Note(memory.status());
  const DeviceAddress address = memory->address();
  allocated_bytes_ += bytes;
  std::lock_guard lock(mutex_);
  memory_[address] = std::move(*memory);
  return DeviceMemory(this, address, bytes);
}

void GuardedDevice::Free(DeviceAddress address, int64_t bytes) {
  auto freed = std::make_unique<DeviceMemory>();
  {
    std::lock_guard lock(mutex_);
    const auto found = memory_.find(address);
    *freed = std::move(found->second);
    memory_.erase(found);
  }
  allocated_bytes_ -= bytes;
  Discard(std::move(freed));
}

Result<HostMapping> GuardedDevice::MapHost(void* pages, int64_t bytes) {
  SVM_RETURN_NOT_OK(CheckUsable());
  Result<HostMapping> mapping = device_->MapHost(pages, bytes);
  if (!mapping.ok()) return mapping.status();  // pages that cannot be pinned are no failure
  const DeviceAddress address = mapping->address();
  std::lock_guard lock(mutex_);
  mappings_[pages] = std::move(*mapping);
  return HostMapping(this, pages, address);
}

void GuardedDevice::UnmapHost(void* pages) {
  auto unmapped = std::make_unique<HostMapping>();
  {
    std::lock_guard lock(mutex_);
    const auto found = mappings_.find(pages);
    *unmapped = std::move(found->second);
    mappings_.erase(found);
  }
  Discard(std::move(unmapped));
}

Result<std::unique_ptr<Program>> GuardedDevice::Load(const std::string& name,
                                                     const std::string& code) {
  SVM_RETURN_NOT_OK(CheckUsable());
  SVM_RETURN_NOT_OK(Fault("device.load"));
  auto program = device_->Load(name, code);
  if (!program.ok()) return Note(program.status());
  return std::make_unique<GuardedProgram>(this, std::move(*program));
}

Result<std::unique_ptr<Stream>> GuardedDevice::MakeStream() {
  SVM_RETURN_NOT_OK(CheckUsable());
  SVM_RETURN_NOT_OK(Note(Fault("device.stream")));
  auto stream = device_->MakeStream();
  if (!stream.ok()) return Note(stream.status());
  return std::make_unique<GuardedStream>(this, std::move(*stream));
}

}  // namespace shadowvm::device
