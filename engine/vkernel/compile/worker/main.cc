// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

// shadowvm-compiler: the compile worker. It compiles kernels for the program that started it, over
// the socket that is its standard input (worker/protocol.h), and ends with it.
//
// It is a program of its own, not the caller's re-executed: the engine is also a library, and the
// program of an in-process client cannot be started as a worker. Clang's start-up, memory, crashes
// and hangs stay here.

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/TargetSelect.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "engine/vkernel/compile/worker/backend.h"
#include "engine/vkernel/compile/worker/frontend.h"
#include "engine/vkernel/compile/worker/owner_watch.h"
#include "engine/vkernel/compile/worker/protocol.h"

namespace shadowvm::vkernel {
namespace {

// Standard output becomes the linker's file.
bool PrepareOutput() {
  const int output = ::memfd_create("shared-object", MFD_CLOEXEC);
  if (output < 0 || ::dup2(output, STDOUT_FILENO) < 0) return false;
  ::close(output);
  return true;
}

Frame Compile(const Frontend& frontend, const Target& target, const std::string& library,
              const Frame& request) {
  const auto start = std::chrono::steady_clock::now();
  const bool is_library = request.parts[1] == "library";
  const bool full = is_library || request.parts[1] == "full";
  const auto use = is_library        ? Frontend::Library::kDefined
                   : library.empty() ? Frontend::Library::kNone
                                     : Frontend::Library::kUsed;
  std::string log;
  llvm::LLVMContext context;
  const auto module = frontend.Parse(request.parts[2], request.parts[3], use, &context, &log);
  if (!module) return {FrameKind::kFailed, {log}};
  std::string object = GenerateObject(target, full, is_library, module.get(), &log);
  if (object.empty()) return {FrameKind::kFailed, {log}};
  std::string shared = is_library ? std::move(object) : LinkShared(object, library, &log);
  if (shared.empty()) return {FrameKind::kFailed, {log}};
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return {FrameKind::kObject, {std::move(shared), log, std::to_string(time.count())}};
}

// Nobody waits for full code: while it is made, queries and other compiles go first. It has a
// thread of its own, since only a privileged one could leave this priority again.
Frame CompileGivingWay(const Frontend& frontend, const Target& target, const std::string& library,
                       const Frame& request) {
  Frame reply;
  std::thread([&] {
    const sched_param parameters{};
    ::sched_setscheduler(0, SCHED_IDLE, &parameters);
    reply = Compile(frontend, target, library, request);
  }).join();
  return reply;
}

int Serve() {
  Frame frame;
  if (ReadFrame(kOwnerSocket, &frame, {}) != FrameResult::kOk ||
      frame.kind != FrameKind::kHeaders || frame.parts.size() % 2 != 1) {
    return 1;
  }
  Frontend::Headers headers;
  for (size_t i = 1; i < frame.parts.size(); i += 2) {
    headers.emplace_back(std::move(frame.parts[i]), std::move(frame.parts[i + 1]));
  }
  const Target target = HostTarget();
  Frontend frontend(target, std::move(headers), frame.parts[0]);
  frontend.Precompile();
  FrameResult sent = WriteFrame(kOwnerSocket, {FrameKind::kReady, {LLVM_VERSION_STRING}}, {});
  std::string library;
  while (sent == FrameResult::kOk) {
    if (ReadFrame(kOwnerSocket, &frame, {}) != FrameResult::kOk) return 0;
    if (frame.kind == FrameKind::kLibrary && frame.parts.size() == 1) {
      library = std::move(frame.parts[0]);
      continue;
    }
    if (frame.kind != FrameKind::kCompile || frame.parts.size() != 4) return 1;
    const auto compile = frame.parts[1] == "full" ? CompileGivingWay : Compile;
    sent = WriteFrame(kOwnerSocket, compile(frontend, target, library, frame), {});
  }
  return 0;
}

}  // namespace
}  // namespace shadowvm::vkernel

int main() {
  using namespace shadowvm::vkernel;
  LeaveNoCore();
  if (!PrepareOutput()) return 1;
  EndWithOwner();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  // Not a return: nothing here needs destructors, and the watching thread is still there.
  ::_exit(Serve());
}
