// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/kernel_history.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace shadowvm::schedule {
namespace {

constexpr std::string_view kFirstLine = "shadowvm kernel speeds 1";

bool IsSpeed(double rows_per_ms) { return std::isfinite(rows_per_ms) && rows_per_ms >= 0; }

}  // namespace

uint64_t KernelHistory::ShapeOf(std::string_view text, std::string_view place) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a: the same in every process
  for (const std::string_view part : {text, place}) {
    for (const char c : part) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  }
  return hash;
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
  double& known = Touch(shape).rows_per_ms[side];
  known = known == 0 ? rows_per_ms : (known + rows_per_ms) / 2;
}

void KernelHistory::Load(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != kFirstLine) return;
  std::lock_guard lock(mutex_);
  uint64_t shape = 0;
  BySide<double> speed;
  while (entries_.size() < kMostShapes &&
         file >> std::hex >> shape >> speed[Side::kCpu] >> speed[Side::kGpu]) {
    if (!IsSpeed(speed[Side::kCpu]) || !IsSpeed(speed[Side::kGpu])) continue;
    Touch(shape).rows_per_ms = speed;
  }
}

base::Status KernelHistory::Save(const std::string& path) const {
  // Of this process alone: another one may save at the same time.
  const std::string pending = path + "." + std::to_string(::getpid());
  std::ofstream file(pending, std::ios::trunc);
  file << kFirstLine << "\n";
  {
    std::lock_guard lock(mutex_);
    for (const auto& [shape, entry] : entries_) {
      file << std::hex << shape << " " << entry.rows_per_ms[Side::kCpu] << " "
           << entry.rows_per_ms[Side::kGpu] << "\n";
    }
  }
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(pending, path, error);
  if (file && !error) return base::Status::OK();
  std::filesystem::remove(pending, error);
  return base::MakeError(base::ErrorCode::kWriteFailed, path);
}

}  // namespace shadowvm::schedule
