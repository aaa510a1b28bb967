// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/fault.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

namespace shadowvm::base {
namespace {

enum class Trigger { kAlways, kNth, kProbability };
enum class Effect { kError, kOutOfMemory, kNoSpace, kKill, kHang };

struct Fault {
  Trigger trigger = Trigger::kAlways;
  int64_t nth = 0;
  double probability = 0;
  std::mt19937_64 random;
  Effect effect = Effect::kError;
  int64_t hang_ms = 0;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// Parses "nth:3:error" and its like; "words" is the specification split at colons.
Result<Fault> ParseFault(const std::vector<std::string>& words) {
  Fault fault;
  size_t next = 0;
  auto take = [&]() { return next < words.size() ? words[next++] : std::string(); };
  const std::string trigger = take();
  if (trigger == "nth") {
    fault.trigger = Trigger::kNth;
    fault.nth = std::atoll(take().c_str());
  } else if (trigger == "prob") {
    fault.trigger = Trigger::kProbability;
    fault.probability = std::atof(take().c_str());
    fault.random.seed(std::atoll(take().c_str()));
  } else if (trigger != "always") {
    return MakeError(ErrorCode::kBadCommand, "unknown fault trigger '" + trigger + "'");
  }
  const std::string effect = take();
  if (effect == "error") {
    fault.effect = Effect::kError;
  } else if (effect == "oom") {
    fault.effect = Effect::kOutOfMemory;
  } else if (effect == "enospc") {
    fault.effect = Effect::kNoSpace;
  } else if (effect == "kill") {
    fault.effect = Effect::kKill;
  } else if (effect == "hang") {
    fault.effect = Effect::kHang;
    fault.hang_ms = std::atoll(take().c_str());
  } else {
    return MakeError(ErrorCode::kBadCommand, "unknown fault effect '" + effect + "'");
  }
  return fault;
}

// The armed faults and the hit counts of one process. A test facility: release builds never reach
// it.
class FaultRegistry {
 public:
  static FaultRegistry& Instance() {
    static FaultRegistry registry;
    return registry;
  }

  Status Arm(std::string_view specification) {
    std::map<std::string, Fault, std::less<>> armed;
    for (const std::string& entry : Split(specification, ';')) {
      const size_t equals = entry.find('=');
      if (equals == std::string::npos) {
        return MakeError(ErrorCode::kBadCommand, "fault without '=': " + entry);
      }
      SVM_ASSIGN_OR_RETURN(armed[entry.substr(0, equals)],
                           ParseFault(Split(entry.substr(equals + 1), ':')));
    }
    std::lock_guard lock(mutex_);
    armed_ = std::move(armed);
    hits_.clear();
    return Status::OK();
  }

  void Disarm() {
    std::lock_guard lock(mutex_);
    armed_.clear();
  }

  Status Hit(std::string_view name) {
    Fault fault;
    {
      std::lock_guard lock(mutex_);
      auto hit = hits_.find(name);
      if (hit == hits_.end()) hit = hits_.emplace(std::string(name), 0).first;
      const int64_t count = ++hit->second;
      auto found = armed_.find(name);
      if (found == armed_.end() || !Fires(&found->second, count)) return Status::OK();
      fault = found->second;
    }
    return Apply(fault, name);
  }

  std::vector<std::string> Names() {
    std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, count] : hits_) names.push_back(name);
    return names;
  }

  int64_t Count(std::string_view name) {
    std::lock_guard lock(mutex_);
    auto hit = hits_.find(name);
    return hit == hits_.end() ? 0 : hit->second;
  }

 private:
  FaultRegistry() {
    if (const char* specification = std::getenv("SHADOWVM_FAULT")) {
      // A wrong specification must not pass for a quiet run.
      if (!Arm(specification).ok()) std::abort();
    }
  }

  static bool Fires(Fault* fault, int64_t count) {
    switch (fault->trigger) {
      case Trigger::kAlways:
        return true;
      case Trigger::kNth:
        return count == fault->nth;
      case Trigger::kProbability:
        return std::uniform_real_distribution<>(0, 1)(fault->random) < fault->probability;
    }
    return false;
  }

  static Status Apply(const Fault& fault, std::string_view name) {
    switch (fault.effect) {
      case Effect::kError:
        return MakeError(ErrorCode::kInjected, name);
      case Effect::kOutOfMemory:
        return MakeError(ErrorCode::kOutOfMemory, name);
      case Effect::kNoSpace:
        return MakeError(ErrorCode::kWriteFailed, std::string(name) + ": no space left on device");
      case Effect::kKill:
        std::raise(SIGKILL);
        return Status::OK();
      case Effect::kHang:
        std::this_thread::sleep_for(std::chrono::milliseconds(fault.hang_ms));
        return Status::OK();
    }
    return Status::OK();
  }

  std::mutex mutex_;
  std::map<std::string, Fault, std::less<>> armed_;
  std::map<std::string, int64_t, std::less<>> hits_;
};

}  // namespace

Status ArmFaults(std::string_view specification) {
  return FaultRegistry::Instance().Arm(specification);
}

void DisarmFaults() { FaultRegistry::Instance().Disarm(); }

std::vector<std::string> FaultPointsHit() { return FaultRegistry::Instance().Names(); }

int64_t FaultHits(std::string_view name) { return FaultRegistry::Instance().Count(name); }

Status HitFaultPoint(std::string_view name) { return FaultRegistry::Instance().Hit(name); }

}  // namespace shadowvm::base
