// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/cuda/cuda_device.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <vector>

#include "engine/device/cuda/driver_api.h"

namespace shadowvm::device {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;
using cuda::Attribute;
using cuda::DriverApi;

constexpr char kEntry[] = "svm_kernel";
// Compute capability below which the verbs lack instructions.
constexpr int kLeastMajor = 8;
// Rows that are left are few and far between: no more than a sector should come for one of them.
constexpr size_t kFetchBytes = 32;

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "32.0 GT/s PCIe x16": what the kernel's own list says of the card's slot. A card at rest slows
// its link down, so it is what both ends can do that counts.
std::string DescribeLink(const DriverApi& api, cuda::Ordinal device) {
  char id[32] = {};
  if (api.DeviceGetPciBusId(id, sizeof id, device) != cuda::kSuccess) return "link unknown";
  std::string slot = id;
  std::transform(slot.begin(), slot.end(), slot.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string folder = "/sys/bus/pci/devices/" + slot;
  const std::string speed = FirstLine(folder + "/max_link_speed");
  const std::string width = FirstLine(folder + "/max_link_width");
  if (speed.empty() || width.empty()) return "link unknown (slot " + slot + ")";
  const std::string now =
      FirstLine(folder + "/current_link_speed") + " x" + FirstLine(folder + "/current_link_width");
  const std::string most = speed + " x" + width;
  return now == most ? most : most + " (now " + now + ")";
}

// "CUDA 13.0": the newest version of CUDA that the driver knows.
std::string DescribeDriver(const DriverApi& api) {
  int version = 0;
  if (api.DriverGetVersion(&version) != cuda::kSuccess) return "CUDA of unknown version";
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Result<AcceleratorFacts> FactsOf(const DriverApi& api, cuda::Ordinal device) {
  int major = 0, minor = 0, shared_bytes = 0;
  size_t memory_bytes = 0;
  char name[128] = {};
  AcceleratorFacts facts;
  const auto get = [&](Attribute attribute, int* value) {
    return api.Check(api.DeviceGetAttribute(value, attribute, device), "cuDeviceGetAttribute");
  };
  SVM_RETURN_NOT_OK(api.Check(api.DeviceGetName(name, sizeof name, device), "cuDeviceGetName"));
  SVM_RETURN_NOT_OK(api.Check(api.DeviceTotalMem(&memory_bytes, device), "cuDeviceTotalMem"));
  SVM_RETURN_NOT_OK(get(Attribute::kMajor, &major));
  SVM_RETURN_NOT_OK(get(Attribute::kMinor, &minor));
  SVM_RETURN_NOT_OK(get(Attribute::kNumProcessors, &facts.num_processors));
  SVM_RETURN_NOT_OK(get(Attribute::kMaxBlockThreads, &facts.max_block_threads));
  SVM_RETURN_NOT_OK(get(Attribute::kMaxSharedBytes, &shared_bytes));
  facts.name = name;
  facts.architecture = "sm_" + std::to_string(10 * major + minor);
  facts.memory_bytes = static_cast<int64_t>(memory_bytes);
  facts.shared_bytes = shared_bytes;
  facts.link = DescribeLink(api, device);
  facts.driver = DescribeDriver(api);
  if (major < kLeastMajor) {
    return MakeError(ErrorCode::kUnsupported,
                     facts.name + " is " + facts.architecture + "; kernels need sm_80 or later");
  }
  return facts;
}

Result<cuda::Ordinal> FirstDevice(const DriverApi& api) {
  int count = 0;
  SVM_RETURN_NOT_OK(api.Check(api.DeviceGetCount(&count), "cuDeviceGetCount"));
  if (count == 0) return MakeError(ErrorCode::kUnsupported, "the NVIDIA driver sees no card");
  cuda::Ordinal device = 0;
  SVM_RETURN_NOT_OK(api.Check(api.DeviceGet(&device, 0), "cuDeviceGet"));
  return device;
}

// The driver's context is a property of the calling thread: each call names it again, which costs
// nothing when it is named already.
struct Card {
  const DriverApi& api;
  cuda::Ordinal device;
  cuda::Context context;

  Status Enter() const { return api.Check(api.ContextSetCurrent(context), "cuCtxSetCurrent"); }
};

// Pinned memory that small copies of a stream go through: a copy from or to memory that is not
// pinned costs the driver several times as much, and makes the caller wait. What comes out is
// handed on when the stream has been waited for.
class StagingRoom {
 public:
  explicit StagingRoom(const DriverApi& api) : api_(api) {}
  ~StagingRoom() {
    if (base_ != nullptr) api_.HostFree(base_);
  }
  StagingRoom(const StagingRoom&) = delete;
  StagingRoom& operator=(const StagingRoom&) = delete;

  // Without memory every copy goes the long way.
  void Open() {
    void* pages = nullptr;
    if (api_.HostAllocate(&pages, kBytes, 0) == cuda::kSuccess)
      base_ = static_cast<uint8_t*>(pages);
  }

  // False as well where a copy is too large to gain by it.
  bool HasRoom(size_t bytes) const {
    return base_ != nullptr && bytes <= kMostBytes && used_ + RoundUp(bytes) <= kBytes;
  }
  // Room for a copy, until End; null where there is none.
  uint8_t* Take(size_t bytes) {
    if (!HasRoom(bytes)) return nullptr;
    uint8_t* const room = base_ + used_;
    used_ += RoundUp(bytes);
    return room;
  }
  void Expect(void* to, const uint8_t* room, size_t bytes) { out_.push_back({to, room, bytes}); }

  // The stream has been waited for, in vain or not.
  void End(bool deliver) {
    for (const Out& out : out_) {
      if (deliver) std::memcpy(out.to, out.room, out.bytes);
    }
    out_.clear();
    used_ = 0;
  }

 private:
  static constexpr size_t kBytes = size_t{1} << 20;
  // Of many groups, with what a launch is told beside them.
  static constexpr size_t kMostBytes = size_t{160} << 10;
  static constexpr size_t kAlignment = 64;
  static size_t RoundUp(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  struct Out {
    void* to;
    const uint8_t* room;
    size_t bytes;
  };

  const DriverApi& api_;
  uint8_t* base_ = nullptr;
  size_t used_ = 0;
  std::vector<Out> out_;
};

class CudaProgram : public Program {
 public:
  CudaProgram(const Card& card, cuda::Module module, cuda::Function function)
      : card_(card), module_(module), function_(function) {}
  ~CudaProgram() override {
    if (card_.Enter().ok()) card_.api.ModuleUnload(module_);
  }
  cuda::Function function() const { return function_; }

 private:
  const Card& card_;
  cuda::Module module_;
  cuda::Function function_;
};

class CudaStream : public Stream {
 public:
  explicit CudaStream(const Card& card) : card_(card), staging_(card.api) {}
  ~CudaStream() override {
    if (!card_.Enter().ok()) return;
    if (stream_ != nullptr) card_.api.StreamDestroy(stream_);
    for (const Timer& timer : timers_) {
      card_.api.EventDestroy(timer.begin);
      card_.api.EventDestroy(timer.end);
    }
  }

  Status Open() {
    constexpr unsigned kApart = 1;  // does not wait for the default stream
    SVM_RETURN_NOT_OK(card_.Enter());
    SVM_RETURN_NOT_OK(Check(card_.api.StreamCreate(&stream_, kApart), "cuStreamCreate"));
    staging_.Open();
    return AddTimer();
  }

  Status CopyIn(DeviceAddress to, const void* from, int64_t bytes) override {
    SVM_RETURN_NOT_OK(card_.Enter());
    const auto size = static_cast<size_t>(bytes);
    if (uint8_t* const room = staging_.Take(size)) {
      std::memcpy(room, from, size);
      from = room;
    }
    return Check(card_.api.CopyIn(to, from, size, stream_), "cuMemcpyHtoDAsync");
  }

  Status CopyOut(void* to, DeviceAddress from, int64_t bytes) override {
    SVM_RETURN_NOT_OK(card_.Enter());
    const auto size = static_cast<size_t>(bytes);
    if (uint8_t* const room = staging_.Take(size)) {
      staging_.Expect(to, room, size);
      to = room;
    }
    return Check(card_.api.CopyOut(to, from, size, stream_), "cuMemcpyDtoHAsync");
  }

  bool CopiesOutPromptly(int64_t bytes) const override {
    return staging_.HasRoom(static_cast<size_t>(bytes));
  }

  Status Clear(DeviceAddress at, int64_t bytes) override {
    SVM_RETURN_NOT_OK(card_.Enter());
    return Check(card_.api.Fill(at, 0, static_cast<size_t>(bytes), stream_), "cuMemsetD8Async");
  }

  Status Launch(const Program& program, const LaunchShape& shape, DeviceAddress argument) override {
    SVM_RETURN_NOT_OK(card_.Enter());
    const cuda::Function function = static_cast<const CudaProgram&>(program).function();
    const auto shared_bytes = static_cast<unsigned>(shape.shared_bytes);
    void* arguments[] = {&argument};
    if (num_launches_ == timers_.size()) SVM_RETURN_NOT_OK(AddTimer());
    const Timer& timer = timers_[num_launches_];
    SVM_RETURN_NOT_OK(Check(card_.api.EventRecord(timer.begin, stream_), "cuEventRecord"));
    SVM_RETURN_NOT_OK(
        Check(card_.api.LaunchKernel(function, static_cast<unsigned>(shape.num_blocks), 1, 1,
                                     static_cast<unsigned>(shape.block_threads), 1, 1, shared_bytes,
                                     stream_, arguments, nullptr),
              "cuLaunchKernel"));
    ++num_launches_;
    return Check(card_.api.EventRecord(timer.end, stream_), "cuEventRecord");
  }

  Status Synchronize() override {
    SVM_RETURN_NOT_OK(card_.Enter());
    const Status waited = Check(card_.api.StreamSynchronize(stream_), "cuStreamSynchronize");
    staging_.End(/*deliver=*/waited.ok());
    SVM_RETURN_NOT_OK(waited);
    milliseconds_ = 0;
    for (size_t i = 0; i < num_launches_; ++i) {
      float time = 0;
      SVM_RETURN_NOT_OK(Check(card_.api.EventElapsedTime(&time, timers_[i].begin, timers_[i].end),
                              "cuEventElapsedTime"));
      milliseconds_ += time;
    }
    num_launches_ = 0;
    return Status::OK();
  }

  Result<bool> IsDone() override {
    SVM_RETURN_NOT_OK(card_.Enter());
    const cuda::Result result = card_.api.StreamQuery(stream_);
    if (result == cuda::kErrorNotReady) return false;
    SVM_RETURN_NOT_OK(Check(result, "cuStreamQuery"));
    return true;
  }

  double launch_milliseconds() const override { return milliseconds_; }

 private:
  // What stands before and after a launch.
  struct Timer {
    cuda::Event begin = nullptr, end = nullptr;
  };

  Status Check(cuda::Result result, const char* call) const {
    return card_.api.Check(result, call);
  }

  Status AddTimer() {
    Timer timer;
    SVM_RETURN_NOT_OK(Check(card_.api.EventCreate(&timer.begin, 0), "cuEventCreate"));
    const Status status = Check(card_.api.EventCreate(&timer.end, 0), "cuEventCreate");
    if (!status.ok()) {
      card_.api.EventDestroy(timer.begin);
      return status;
    }
    timers_.push_back(timer);
    return Status::OK();
  }

  const Card& card_;
  StagingRoom staging_;
  cuda::Stream stream_ = nullptr;
  std::vector<Timer> timers_;  // those of the launches since Synchronize come first
  size_t num_launches_ = 0;
  double milliseconds_ = 0;
};

class CudaDevice : public Accelerator {
 public:
  CudaDevice(const Card& card, AcceleratorFacts facts) : card_(card), facts_(std::move(facts)) {}
  ~CudaDevice() override { card_.api.PrimaryContextRelease(card_.device); }

  const AcceleratorFacts& facts() const override { return facts_; }

  Result<DeviceMemory> Allocate(int64_t bytes) override {
    SVM_RETURN_NOT_OK(card_.Enter());
    cuda::Address address = 0;
    // The driver refuses to give nothing.
    const auto size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
    SVM_RETURN_NOT_OK(
        card_.api.Check(card_.api.MemoryAllocate(&address, size),
                        ("cuMemAlloc of " + std::to_string(size) + " bytes").c_str()));
    return DeviceMemory(this, address, bytes);
  }

  Result<HostMapping> MapHost(void* pages, int64_t bytes) override {
    SVM_RETURN_NOT_OK(card_.Enter());
    SVM_RETURN_NOT_OK(card_.api.Check(
        card_.api.HostRegister(pages, static_cast<size_t>(bytes), cuda::kHostRegisterDeviceMap),
        ("cuMemHostRegister of " + std::to_string(bytes) + " bytes").c_str()));
    cuda::Address address = 0;
    const Status found = card_.api.Check(card_.api.HostGetDevicePointer(&address, pages, 0),
                                         "cuMemHostGetDevicePointer");
    if (!found.ok()) {
      card_.api.HostUnregister(pages);
      return found;
    }
    return HostMapping(this, pages, address);
  }

  Result<std::unique_ptr<Program>> Load(const std::string& name, const std::string& code) override {
    SVM_RETURN_NOT_OK(card_.Enter());
    cuda::Module module = nullptr;
    cuda::Function function = nullptr;
    const Status loaded =
        card_.api.Check(card_.api.ModuleLoad(&module, code.data()), "cuModuleLoadData");
    // A card that is lost or full is not the program's fault: the code stays.
    if (!loaded.ok()) return base::WithContext(loaded, "'" + name + "'");
    const Status found =
        card_.api.Check(card_.api.ModuleGetFunction(&function, module, kEntry), kEntry);
    auto program = std::make_unique<CudaProgram>(card_, module, function);
    if (!found.ok()) return base::WithContext(found, "'" + name + "'");
    // A launch may then ask for as much as there is.
    SVM_RETURN_NOT_OK(
        card_.api.Check(card_.api.FunctionSetAttribute(function, cuda::kFunctionSharedBytes,
                                                       static_cast<int>(facts_.shared_bytes)),
                        "cuFuncSetAttribute"));
    return program;
  }

  Result<std::unique_ptr<Stream>> MakeStream() override {
    auto stream = std::make_unique<CudaStream>(card_);
    SVM_RETURN_NOT_OK(stream->Open());
    return stream;
  }

 private:
  void Free(DeviceAddress address, int64_t) override {
    if (card_.Enter().ok()) card_.api.MemoryFree(address);
  }
  void UnmapHost(void* pages) override {
    if (card_.Enter().ok()) card_.api.HostUnregister(pages);
  }

  const Card card_;
  const AcceleratorFacts facts_;
};

}  // namespace

Result<AcceleratorFacts> FindCudaDevice() {
  SVM_ASSIGN_OR_RETURN(const DriverApi* api, DriverApi::Get());
  SVM_ASSIGN_OR_RETURN(const cuda::Ordinal device, FirstDevice(*api));
  return FactsOf(*api, device);
}

Result<std::unique_ptr<Accelerator>> OpenCudaDevice() {
  SVM_ASSIGN_OR_RETURN(const DriverApi* api, DriverApi::Get());
  SVM_ASSIGN_OR_RETURN(const cuda::Ordinal device, FirstDevice(*api));
  SVM_ASSIGN_OR_RETURN(AcceleratorFacts facts, FactsOf(*api, device));
  cuda::Context context = nullptr;
  SVM_RETURN_NOT_OK(
      api->Check(api->PrimaryContextRetain(&context, device), "cuDevicePrimaryCtxRetain"));
  auto opened = std::make_unique<CudaDevice>(Card{*api, device, context}, std::move(facts));
  SVM_RETURN_NOT_OK(api->Check(api->ContextSetCurrent(context), "cuCtxSetCurrent"));
  // A hint: older cards refuse it and are no worse for it.
  api->ContextSetLimit(cuda::kLimitFetchBytes, kFetchBytes);
  return opened;
}

}  // namespace shadowvm::device
