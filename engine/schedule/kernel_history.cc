// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/kernel_history.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace shadowvm::schedule {
namespace {

// Of another version, speeds were measured in other ways.
constexpr std::string_view kFirstLine = "shadowvm kernel speeds 2";

constexpr uint64_t kSeed = 14695981039346656037u;
constexpr uint64_t kPrime = 1099511628211u;

bool IsSpeed(double rows_per_ms) { return std::isfinite(rows_per_ms) && rows_per_ms >= 0; }

// FNV-1a by words of eight bytes: texts are long, and some are looked for in every run.
uint64_t HashOf(uint64_t seed, std::string_view text) {
  uint64_t hash = seed ^ text.size();
  for (; !text.empty(); text.remove_prefix(std::min<size_t>(text.size(), sizeof(uint64_t)))) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), std::min(text.size(), sizeof word));
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  return hash;
}

int64_t Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

uint64_t KernelHistory::ShapeOf(std::string_view text) { return HashOf(kSeed, text); }

uint64_t KernelHistory::At(uint64_t kernel, std::string_view place) {
  return HashOf(kernel, place);
}

KernelHistory::Entry& KernelHistory::Touch(uint64_t shape) {
  if (entries_.size() >= kMostShapes && !entries_.contains(shape)) {
    entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](auto& a, auto& b) {
      return a.second.used < b.second.used;
    }));
  }
  Entry& entry = entries_[shape];
  entry.used = ++clock_;
  return entry;
}

BySide<double> KernelHistory::Find(uint64_t shape) {
  std::lock_guard lock(mutex_);
  return entries_.contains(shape) ? Touch(shape).rows_per_ms : BySide<double>();
}

void KernelHistory::Record(uint64_t shape, Side side, double rows_per_ms) {
  if (!IsSpeed(rows_per_ms) || rows_per_ms == 0) return;
  std::lock_guard lock(mutex_);
  Entry& entry = Touch(shape);
  double& known = entry.rows_per_ms[side];
  known = known == 0 ? rows_per_ms : (known + rows_per_ms) / 2;
  entry.is_new = has_news_ = true;
}

bool KernelHistory::has_news() const {
  std::lock_guard lock(mutex_);
  return has_news_;
}

void KernelHistory::Merge(uint64_t shape, const Entry& saved) {
  const auto found = entries_.find(shape);
  if (found == entries_.end()) {
    // What this process has asked for goes before what others have.
    if (entries_.size() < kMostShapes) entries_.emplace(shape, saved);
    return;
  }
  Entry& own = found->second;
  const bool is_newer = !own.is_new && saved.saved_at >= own.saved_at;
  for (const Side side : kSides) {
    const double speed = saved.rows_per_ms[side];
    if (speed > 0 && (is_newer || own.rows_per_ms[side] == 0)) own.rows_per_ms[side] = speed;
  }
  if (is_newer) own.saved_at = saved.saved_at;
}

void KernelHistory::Load(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != kFirstLine) return;
  Entries all;
  uint64_t shape = 0;
  Entry saved;
  BySide<double>& speed = saved.rows_per_ms;
  while (file >> std::hex >> shape >> speed[Side::kCpu] >> speed[Side::kGpu] >> saved.saved_at) {
    if (IsSpeed(speed[Side::kCpu]) && IsSpeed(speed[Side::kGpu])) all.emplace_back(shape, saved);
  }
  std::lock_guard lock(mutex_);
  for (const auto& [known, entry] : all) Merge(known, entry);
}

KernelHistory::Entries KernelHistory::TakeNews(int64_t now) {
  Entries all;
  all.reserve(kMostShapes);
  std::lock_guard lock(mutex_);
  has_news_ = false;
  for (auto& [shape, entry] : entries_) {
    if (std::exchange(entry.is_new, false)) entry.saved_at = now;
    all.emplace_back(shape, entry);
  }
  return all;
}

base::Status KernelHistory::Save(const std::string& path) {
  Load(path);
  // A file of our own: others may save at the same time.
  std::string pending = path + ".XXXXXX";
  const int made = ::mkstemp(pending.data());
  if (made >= 0) ::close(made);
  std::ofstream file(pending, std::ios::trunc);
  file << kFirstLine << "\n" << std::hex;
  for (const auto& [shape, entry] : TakeNews(Now())) {
    file << shape << " " << entry.rows_per_ms[Side::kCpu] << " " << entry.rows_per_ms[Side::kGpu]
         << " " << entry.saved_at << "\n";
  }
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(pending, path, error);
  if (file && !error) return base::Status::OK();
  std::filesystem::remove(pending, error);
  std::lock_guard lock(mutex_);
  has_news_ = true;
  return base::MakeError(base::ErrorCode::kWriteFailed, path);
}

}  // namespace shadowvm::schedule
