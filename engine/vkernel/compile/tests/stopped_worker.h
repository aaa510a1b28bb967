// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include "engine/base/status.h"
#include "engine/vkernel/compile/compiler.h"

// What tests do to the processes of compilers that have one worker, on machines of any speed.
namespace shadowvm::vkernel {

// The state letter of a process in /proc: "T" when stopped, "Z" when ended and not reaped.
inline char StateOf(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const size_t after_name = text.rfind(')');
  return after_name == std::string::npos ? '?' : text[after_name + 2];
}

inline void StopAndAwait(pid_t pid) {
  ::kill(pid, SIGSTOP);
  while (StateOf(pid) != 'T') std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Compiles with a limit that a busy machine may exceed without being stuck: then once more.
template <typename C>
base::Status CompileInTime(C* compiler, const CompileRequest& request) {
  base::Status status;
  for (int i = 0; i < 20; ++i) {
    status = compiler->Compile(request).status();
    if (base::CodeOf(status) != base::ErrorCode::kCompilerTimeout) break;
  }
  return status;
}

// How a compile ends whose worker is killed in the middle, where it surely is while it is stopped.
// On a busy machine the signal may be there before the text: that worker was idle, and the next one
// gets more time.
template <typename C>
base::Status CompileAndKill(C* compiler, const CompileRequest& request) {
  base::Status status;
  for (std::chrono::milliseconds head_start(50); head_start.count() < 3'000; head_start *= 2) {
    status = CompileInTime(compiler, request);
    if (!status.ok()) break;
    const pid_t pid = compiler->worker_pids()[0];
    StopAndAwait(pid);
    auto compiling =
        std::async(std::launch::async, [&] { return compiler->Compile(request).status(); });
    EXPECT_EQ(compiling.wait_for(head_start), std::future_status::timeout);
    ::kill(pid, SIGKILL);
    status = compiling.get();
    if (base::CodeOf(status) == base::ErrorCode::kCompilerCrashed) break;
  }
  return status;
}

}  // namespace shadowvm::vkernel
