// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

// shadowvm-gpu-compiler LIBNVRTC ARCHITECTURE: the compile worker for GPUs. It speaks as
// shadowvm-compiler does (worker/protocol.h) and is a program beside it, because it needs neither
// Clang to be built nor Clang's memory to run, and because a crash of one compiler should not end
// the other.

#include <malloc.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "engine/vkernel/compile/worker/nvrtc_prelude.h"
#include "engine/vkernel/compile/worker/owner_watch.h"
#include "engine/vkernel/compile/worker/protocol.h"

namespace shadowvm::vkernel {
namespace {

// What one compile frees the next one takes: by default a good part goes back to the system, and
// comes back page by page.
void KeepMemory() {
#if defined(__GLIBC__)
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

void Complain(std::string what) {
  what += "\n";
  static_cast<void>(!::write(STDERR_FILENO, what.data(), what.size()));
}

class Service {
 public:
  Service(const NvrtcApi& api, const std::string& architecture, Frame headers)
      : api_(api),
        architecture_(architecture),
        headers_(HeadersOf(&headers)),
        prelude_(api, architecture, headers_, headers.parts[0]) {}

  // Nothing, with a word on standard error, where the compiler itself failed: it is started anew
  // for the next text, and this one is asked for again.
  std::optional<Frame> Compile(const Frame& request) const {
    const auto start = std::chrono::steady_clock::now();
    const std::string& text = request.parts[3];
    const bool quick = request.parts[1] == "fast";
    const std::vector<std::string> plain = NvrtcFlags(architecture_, quick);
    const std::vector<std::string> flags = prelude_.FlagsFor(text, quick);
    NvrtcOutcome made = CompileWithNvrtc(api_, headers_, text, flags);
    // With what was precompiled NVRTC needs room for a temporary file. The text may be right.
    if (made.cubin.empty() && flags != plain) made = CompileWithNvrtc(api_, headers_, text, plain);
    if (!made.is_final) {
      Complain(made.log);
      return std::nullopt;
    }
    if (made.cubin.empty()) return Frame{FrameKind::kFailed, {made.log}};
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    return Frame{FrameKind::kObject,
                 {std::move(made.cubin), made.log, std::to_string(time.count())}};
  }

 private:
  static std::vector<NvrtcHeader> HeadersOf(Frame* frame) {
    std::vector<NvrtcHeader> headers;
    for (size_t i = 1; i < frame->parts.size(); i += 2) {
      headers.push_back({std::move(frame->parts[i]), std::move(frame->parts[i + 1])});
    }
    return headers;
  }

  const NvrtcApi& api_;
  const std::string architecture_;
  const std::vector<NvrtcHeader> headers_;
  const NvrtcPrelude prelude_;
};

int Serve(const NvrtcApi& api, const std::string& architecture) {
  Frame headers;
  if (ReadFrame(kOwnerSocket, &headers, {}) != FrameResult::kOk ||
      headers.kind != FrameKind::kHeaders || headers.parts.size() % 2 != 1) {
    return 1;
  }
  const Service service(api, architecture, std::move(headers));
  FrameResult sent = WriteFrame(kOwnerSocket, {FrameKind::kReady, {api.version}}, {});
  while (sent == FrameResult::kOk) {
    Frame frame;
    if (ReadFrame(kOwnerSocket, &frame, {}) != FrameResult::kOk) return 0;
    if (frame.kind != FrameKind::kCompile || frame.parts.size() != 4) return 1;
    const std::optional<Frame> answer = service.Compile(frame);
    if (!answer) return 1;
    sent = WriteFrame(kOwnerSocket, *answer, {});
  }
  return 0;
}

}  // namespace
}  // namespace shadowvm::vkernel

int main(int argc, char** argv) {
  using namespace shadowvm::vkernel;
  KeepMemory();
  LeaveNoCore();
  EndWithOwner();
  NvrtcApi api;
  std::string error;
  if (argc != 3 || !api.Load(argv[1], &error)) {
    Complain(error);
    ::_exit(1);
  }
  ::_exit(Serve(api, argv[2]));
}
