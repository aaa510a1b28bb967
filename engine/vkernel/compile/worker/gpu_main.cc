// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

// shadowvm-gpu-compiler LIBNVRTC ARCHITECTURE: the compile worker for GPUs. It speaks as
// shadowvm-compiler does (worker/protocol.h) and is a program beside it, because it needs neither
// Clang to be built nor Clang's memory to run, and because a crash of one compiler should not end
// the other.

#include <chrono>
#include <string>

#include "engine/vkernel/compile/worker/nvrtc_compile.h"
#include "engine/vkernel/compile/worker/owner_watch.h"
#include "engine/vkernel/compile/worker/protocol.h"

namespace shadowvm::vkernel {
namespace {

Frame Compile(const NvrtcApi& api, const std::vector<NvrtcHeader>& headers, const Frame& request) {
  const auto start = std::chrono::steady_clock::now();
  const bool quick = request.parts[1] == "fast";
  NvrtcOutcome made = CompileWithNvrtc(api, request.parts[0], headers, request.parts[3], quick);
  if (made.cubin.empty()) return {FrameKind::kFailed, {made.log}};
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return {FrameKind::kObject, {std::move(made.cubin), made.log, std::to_string(time.count())}};
}

// NVRTC's first compile loads and sets up what later ones find: nobody should wait for that. What
// comes of it does not matter; a text that is asked for will tell.
void WarmUp(const NvrtcApi& api, const std::string& architecture,
            const std::vector<NvrtcHeader>& headers, const std::string& prelude) {
  if (prelude.empty()) return;
  static_cast<void>(CompileWithNvrtc(api, architecture, headers,
                                     "#include \"" + prelude + "\"\nSVM_KERNEL(call) {}\n", true));
}

int Serve(const NvrtcApi& api, const std::string& architecture) {
  Frame frame;
  if (ReadFrame(kOwnerSocket, &frame, {}) != FrameResult::kOk ||
      frame.kind != FrameKind::kHeaders || frame.parts.size() % 2 != 1) {
    return 1;
  }
  std::vector<NvrtcHeader> headers;
  for (size_t i = 1; i < frame.parts.size(); i += 2) {
    headers.push_back({std::move(frame.parts[i]), std::move(frame.parts[i + 1])});
  }
  WarmUp(api, architecture, headers, frame.parts[0]);
  FrameResult sent = WriteFrame(kOwnerSocket, {FrameKind::kReady, {api.version}}, {});
  while (sent == FrameResult::kOk) {
    if (ReadFrame(kOwnerSocket, &frame, {}) != FrameResult::kOk) return 0;
    if (frame.kind != FrameKind::kCompile || frame.parts.size() != 4) return 1;
    sent = WriteFrame(kOwnerSocket, Compile(api, headers, frame), {});
  }
  return 0;
}

}  // namespace
}  // namespace shadowvm::vkernel

int main(int argc, char** argv) {
  using namespace shadowvm::vkernel;
  LeaveNoCore();
  EndWithOwner();
  NvrtcApi api;
  std::string error;
  if (argc != 3 || !api.Load(argv[1], &error)) {
    error += "\n";
    static_cast<void>(!::write(STDERR_FILENO, error.data(), error.size()));
    ::_exit(1);
  }
  ::_exit(Serve(api, argv[2]));
}
