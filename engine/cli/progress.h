// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace shadowvm::cli {

// One line that grows from left to right, redrawn in place at most ten times a second. Draws
// nothing unless standard output is a terminal, so that logs and pipes stay clean.
class ProgressBar {
 public:
  ProgressBar(std::string label, int64_t total);
  ~ProgressBar();  // clears the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Update(int64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  int64_t total_;
  bool visible_;
  Clock::time_point start_;
  Clock::time_point drawn_;
};

// "  37 % [███████▍            ]  4 s left": the text after the label.
std::string ProgressText(int64_t done, int64_t total, double seconds);

}  // namespace shadowvm::cli
