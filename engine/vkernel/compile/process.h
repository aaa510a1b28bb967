// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status.h"

namespace shadowvm::vkernel {

// A file descriptor that is closed when its owner goes.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() { Close(); }

  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  void Close();

 private:
  int number_ = -1;
};

struct ProcessSpec {
  std::string program;                 // a path, never looked up
  std::vector<std::string> arguments;  // without the program itself
  std::vector<std::string> environment;
  int input = -1;   // becomes descriptor 0; -1: /dev/null
  int output = -1;  // becomes descriptor 1
  int errors = -1;  // becomes descriptor 2
};

// A child process in a group of its own (a Ctrl-C at the terminal is not meant for it), with no
// descriptor of ours but the three above. Killed, with its own children, and reaped when the object
// goes.
class Process {
 public:
  static base::Result<Process> Start(const ProcessSpec& spec);

  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}
  Process& operator=(Process&&) = delete;
  ~Process() { Kill(); }

  pid_t pid() const { return pid_; }
  // The wait status once the process has ended.
  std::optional<int> Poll();
  // Waits until it ends or time is up.
  std::optional<int> WaitUntil(std::chrono::steady_clock::time_point deadline);
  void Kill();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  std::optional<int> status_;
};

// "exit code 1", "signal 11 (Segmentation fault)".
std::string DescribeExit(int status);

}  // namespace shadowvm::vkernel
