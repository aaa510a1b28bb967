// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace shadowvm::cli {
namespace {

constexpr int kWidth = 32;
constexpr auto kRedraw = std::chrono::milliseconds(100);

}  // namespace

std::string ProgressText(int64_t done, int64_t total, double seconds) {
  const double share =
      total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0)
                : 1.0;
  const int filled = static_cast<int>(share * kWidth);
  std::string bar;
  for (int i = 0; i < kWidth; ++i) bar += i < filled ? "█" : "░";
  char numbers[48];
  std::snprintf(numbers, sizeof numbers, " %3d %%", static_cast<int>(share * 100));
  std::string text = bar + numbers;
  if (share > 0 && share < 1) {
    std::snprintf(numbers, sizeof numbers, "  %.0f s left", seconds / share * (1 - share));
    text += numbers;
  }
  return text;
}

ProgressBar::ProgressBar(std::string label, int64_t total)
    : label_(std::move(label)),
      total_(total),
      visible_(::isatty(STDOUT_FILENO) == 1),
      start_(Clock::now()) {}

ProgressBar::~ProgressBar() {
  if (!visible_) return;
  std::fputs("\r\033[K", stdout);
  std::fflush(stdout);
}

void ProgressBar::Update(int64_t done) {
  const auto now = Clock::now();
  if (!visible_ || now - drawn_ < kRedraw) return;
  drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::printf("\r%-12s %s\033[K", label_.c_str(), ProgressText(done, total_, seconds).c_str());
  std::fflush(stdout);
}

}  // namespace shadowvm::cli
