// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the compile worker and its owner say to one another over a socket: frames of strings. Shared
// by both programs, and free of Arrow, so that the worker starts without it.
//
//   owner  -> worker  kHeaders  prelude path, then path and text of every header; once, at the
//   start worker -> owner   kReady    the compiler's version owner  -> worker  kCompile  target
//   ("host", or a GPU's "sm_90"), level ("fast", "full" or
//                               "library"), name, text
//   worker -> owner   kObject   shared object ("library": relocatable object; for a GPU: cubin),
//                               log, milliseconds
//                  or kFailed   log
//   owner  -> worker  kLibrary  a relocatable object that was compiled as "library", to be linked
//                               with the kernels that follow; no answer
//
// A worker is for one kind of target: shadowvm-compiler for the host, shadowvm-gpu-compiler for
// GPUs.
namespace shadowvm::vkernel {

enum class FrameKind : uint32_t { kHeaders = 1, kReady, kCompile, kObject, kFailed, kLibrary };

struct Frame {
  FrameKind kind = FrameKind::kFailed;
  std::vector<std::string> parts;
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

enum class FrameResult { kOk, kClosed, kTimeout, kMalformed };

// Nothing larger is sent or believed.
inline constexpr uint64_t kMaxFrameBytes = 64 << 20;
inline constexpr uint32_t kMaxFrameParts = 4096;

// Both wait until the deadline (for ever without one). The socket may be used by one thread at a
// time.
FrameResult WriteFrame(int socket, const Frame& frame, Deadline deadline);
FrameResult ReadFrame(int socket, Frame* frame, Deadline deadline);

}  // namespace shadowvm::vkernel
