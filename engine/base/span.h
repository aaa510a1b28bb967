// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace shadowvm::base {

// The stages a query's time is split into. Every duration that is reported goes through here:
// nobody measures time by hand.
enum class Stage : uint8_t { kPlan, kRender, kCompile, kScan, kRun, kMerge };
inline constexpr int kNumStages = 6;
std::string_view NameOf(Stage stage);

// Time per stage of one query, added up over threads. Safe to add to from any thread.
class Spans {
 public:
  void Add(Stage stage, std::chrono::nanoseconds time) {
    nanos_[static_cast<int>(stage)].fetch_add(time.count(), std::memory_order_relaxed);
  }
  double Milliseconds(Stage stage) const {
    return static_cast<double>(nanos_[static_cast<int>(stage)].load(std::memory_order_relaxed)) /
           1e6;
  }
  void Reset() {
    for (auto& nanos : nanos_) nanos.store(0, std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<int64_t>, kNumStages> nanos_{};
};

// Adds the time from its construction to its end to one stage.
class Span {
 public:
  Span(Spans* spans, Stage stage) : spans_(spans), stage_(stage), start_(Clock::now()) {}
  ~Span() {
    if (spans_ != nullptr) spans_->Add(stage_, Clock::now() - start_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  Spans* spans_;
  Stage stage_;
  Clock::time_point start_;
};

}  // namespace shadowvm::base
