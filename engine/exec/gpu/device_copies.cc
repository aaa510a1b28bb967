// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/device_copies.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace shadowvm::exec {
namespace {

// Launches after which a read counts half.
constexpr double kHalfLife = 64;
// How much more a newcomer must be worth than what gives way to it: bringing it in costs time too.
constexpr double kClearly = 1.25;

}  // namespace

std::vector<DeviceCopies::CopyPtr> DeviceCopies::Use(const std::vector<Read>& reads) {
  std::vector<CopyPtr> copies;
  copies.reserve(reads.size());
  std::lock_guard lock(mutex_);
  if (entries_.size() >= forget_at_) ForgetDeadLocked();
  ++tick_;
  for (const Read& read : reads) {
    Entry& entry = entries_[read.buffer.get()];
    if (entry.of.expired()) {
      // New, or another buffer had this address.
      if (entry.copy != nullptr) bytes_ -= entry.copy->bytes();
      entry = Entry{.of = read.buffer, .copy = nullptr};
    }
    entry.score = WorthLocked(entry, 1) + static_cast<double>(read.bytes);
    entry.tick = tick_;
    copies.push_back(entry.copy);
  }
  return copies;
}

DeviceCopies::CopyPtr DeviceCopies::Find(const BufferPtr& buffer) const {
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(buffer.get());
  return entry == entries_.end() || entry->second.of.expired() ? nullptr : entry->second.copy;
}

base::Result<DeviceCopies::Brought> DeviceCopies::Bring(const std::vector<Wanted>& wanted,
                                                        int64_t allowance, device::Stream* stream) {
  std::lock_guard lock(making_);
  Brought brought;
  std::vector<Wanted> missing;
  std::vector<size_t> places;  // of the missing ones
  for (const Wanted& each : wanted) {
    brought.copies.push_back(Find(each.buffer));
    if (brought.copies.back() != nullptr) continue;
    missing.push_back(each);
    places.push_back(brought.copies.size() - 1);
  }
  const std::vector<CopyPtr> made = MakeRoom(missing, allowance);
  base::Status status;
  for (size_t i = 0; i < missing.size() && status.ok(); ++i) {
    if (made[i] == nullptr) continue;
    const memory::Buffer& buffer = *missing[i].buffer;
    status = stream->CopyIn(made[i]->address(), buffer.data(), buffer.size());
    brought.bytes += buffer.size();
  }
  // What was queued reads buffers and writes room that may go now, and others launch on streams
  // that know nothing of this one.
  if (brought.bytes > 0) {
    const base::Status finished = stream->Synchronize();
    if (status.ok()) status = finished;
  }
  SVM_RETURN_NOT_OK(status);
  for (size_t i = 0; i < missing.size(); ++i) {
    brought.copies[places[i]] = made[i];
    if (made[i] != nullptr && missing[i].kept) Publish(missing[i].buffer, made[i]);
  }
  return brought;
}

std::vector<DeviceCopies::CopyPtr> DeviceCopies::MakeRoom(const std::vector<Wanted>& wanted,
                                                          int64_t allowance) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  std::vector<CopyPtr> copies(wanted.size());
  std::vector<std::pair<double, size_t>> without;
  std::lock_guard lock(mutex_);
  const auto take = [&](bool needed) {
    int64_t too_large = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].needed != needed) continue;
      if (wanted[i].bytes() < too_large) copies[i] = Take(wanted[i].bytes());
      if (copies[i] != nullptr) continue;
      too_large = std::min(too_large, wanted[i].bytes());
      without.emplace_back(needed ? kInfinite : WorthLocked(wanted[i]) / kClearly, i);
    }
  };
  take(true);
  take(false);
  if (without.empty()) return copies;
  ForgetDeadLocked();
  Victims victims = VictimsLocked();
  std::sort(without.begin(), without.end(), std::greater<>());
  for (const auto& [worth, i] : without) {
    int64_t unlimited = std::numeric_limits<int64_t>::max();
    copies[i] = ReplaceLocked(&victims, wanted[i].bytes(), worth,
                              wanted[i].needed ? &unlimited : &allowance);
  }
  return copies;
}

DeviceCopies::CopyPtr DeviceCopies::ReplaceLocked(Victims* victims, int64_t bytes, double worth,
                                                  int64_t* allowance) {
  // The device has been asked for more already.
  const auto take = [&]() -> CopyPtr {
    auto block = arena_.TakeHeld(bytes);
    return block ? std::make_shared<const DeviceBlock>(std::move(*block)) : nullptr;
  };
  CopyPtr copy = take();
  int64_t freed = 0;
  while (copy == nullptr && victims->next < victims->by_worth.size()) {
    const auto& [own, victim] = victims->by_worth[victims->next];
    const int64_t size = victim->second.copy->bytes();
    if (own >= worth || size > *allowance) break;
    ++victims->next;
    *allowance -= size;
    freed += size;
    DropLocked(victim);
    // Stretches of the same size are the rule, so it is not worth trying before.
    if (freed >= bytes) copy = take();
  }
  return copy;
}

DeviceCopies::CopyPtr DeviceCopies::Take(int64_t bytes) {
  auto block = arena_.Take(bytes);
  return block.ok() ? std::make_shared<const DeviceBlock>(std::move(*block)) : nullptr;
}

void DeviceCopies::Publish(const BufferPtr& buffer, CopyPtr copy) {
  std::lock_guard lock(mutex_);
  Entry& entry = entries_[buffer.get()];
  if (entry.copy != nullptr) bytes_ -= entry.copy->bytes();
  bytes_ += copy->bytes();
  entry.of = buffer;
  entry.copy = std::move(copy);
}

void DeviceCopies::Drop(int64_t bytes) {
  std::lock_guard lock(mutex_);
  ForgetDeadLocked();
  const Victims victims = VictimsLocked();
  for (const auto& [own, victim] : victims.by_worth) {
    if (arena_.cap() - arena_.used() >= bytes) return;
    DropLocked(victim);
  }
}

void DeviceCopies::Clear() {
  scans_.Clear();
  std::lock_guard lock(mutex_);
  entries_.clear();
  bytes_ = 0;
}

int64_t DeviceCopies::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

int64_t DeviceCopies::dropped() const {
  std::lock_guard lock(mutex_);
  return dropped_;
}

double DeviceCopies::WorthLocked(const Entry& entry, int64_t bytes) const {
  const double age = static_cast<double>(tick_ - entry.tick);
  return entry.score * std::exp2(-age / kHalfLife) / static_cast<double>(bytes);
}

double DeviceCopies::WorthLocked(const Wanted& wanted) const {
  const auto entry = entries_.find(wanted.buffer.get());
  return entry == entries_.end() ? 0 : WorthLocked(entry->second, wanted.bytes());
}

void DeviceCopies::ForgetDeadLocked() {
  std::erase_if(entries_, [&](const auto& entry) {
    if (!entry.second.of.expired()) return false;
    if (entry.second.copy != nullptr) bytes_ -= entry.second.copy->bytes();
    return true;
  });
  forget_at_ = 2 * entries_.size() + 1024;
}

void DeviceCopies::EndScansLocked() {
  for (const PlacedScans::ScanPtr& scan : scans_.TakeUnused()) {
    const int64_t uses = scan->uses;
    tick_ += uses;
    for (const PlacedScan::Part& part : scan->parts) {
      const auto found = entries_.find(part.of);
      // Another buffer may have this address by now.
      if (found == entries_.end() || found->second.copy != part.copy) continue;
      Entry& entry = found->second;
      entry.score = WorthLocked(entry, 1) + static_cast<double>(uses * part.bytes);
      entry.tick = tick_;
    }
  }
}

DeviceCopies::Victims DeviceCopies::VictimsLocked() {
  EndScansLocked();
  Victims victims;
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    const CopyPtr& copy = entry->second.copy;
    if (copy == nullptr || copy.use_count() > 1) continue;
    victims.by_worth.emplace_back(WorthLocked(entry->second, copy->bytes()), entry);
  }
  std::sort(victims.by_worth.begin(), victims.by_worth.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return victims;
}

void DeviceCopies::DropLocked(Entries::iterator entry) {
  bytes_ -= entry->second.copy->bytes();
  entry->second.copy = nullptr;
  ++dropped_;
}

}  // namespace shadowvm::exec
