// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/vkernel/compile/compiler.h"
#include "engine/vkernel/compile/process.h"
#include "engine/vkernel/compile/worker/protocol.h"

namespace shadowvm::vkernel {

// A worker program and what it is used for.
struct WorkerSpec {
  std::string program;  // a path
  std::vector<std::string> arguments;
  std::string target;   // of its kernels: "host", "sm_90"
  std::string prelude;  // the header that texts include first, to be kept precompiled; or empty
};

// Our end of one compile worker (worker/main.cc, worker/gpu_main.cc). Used by one thread at a time.
// After an error other than kCompileFailed the worker is of no more use.
class WorkerProcess {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Starts the program and sends it the headers; does not wait until it is ready.
  static base::Result<std::unique_ptr<WorkerProcess>> Start(const WorkerSpec& spec,
                                                            const HeaderSet& headers,
                                                            TimePoint deadline);

  base::Result<CompiledObject> Compile(const CompileRequest& request, TimePoint deadline);
  // Gives the worker a library of verbs to link kernels with, unless it has one.
  base::Status UseLibrary(const std::string& object, TimePoint deadline);
  // Waits until the worker has parsed the headers.
  base::Status AwaitReady(TimePoint deadline);

  bool alive() { return !process_.Poll(); }
  pid_t pid() const { return process_.pid(); }
  int64_t num_compiles() const { return num_compiles_; }

 private:
  WorkerProcess(std::string target, Process process, FileDescriptor socket, FileDescriptor errors)
      : target_(std::move(target)),
        process_(std::move(process)),
        socket_(std::move(socket)),
        errors_(std::move(errors)) {}

  base::Status Check(FrameResult result, const std::string& doing);
  // What the worker wrote to its standard error: LLVM's last words.
  std::string LastWords() const;

  const std::string target_;
  Process process_;
  FileDescriptor socket_;
  FileDescriptor errors_;
  bool ready_ = false;
  bool has_library_ = false;
  int64_t num_compiles_ = 0;
};

}  // namespace shadowvm::vkernel
