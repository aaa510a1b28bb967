// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/columns/dictionary.h"
#include "engine/columns/segment.h"

namespace shadowvm::storage {

// How a string column of a table is laid out at present. A new version means another encoding: what
// was read or compiled for an older one does not fit.
struct TextLayout {
  int version = 0;
  columns::Encoding encoding = columns::Encoding::kCodes;
  std::shared_ptr<columns::Dictionary> dictionary;  // kCodes only
};

// The string column of a table that all its readers share: undecided until its first segment was
// seen, then codes, and plain text for ever once the dictionary rule is broken. Thread-safe.
class TextColumn {
 public:
  explicit TextColumn(int num_segments) : seen_(num_segments, false) {}

  // Held while deciding, so that the first segment is read once.
  std::mutex& decision() { return decision_; }
  bool decided() const;
  TextLayout layout() const;

  void Decide(columns::Encoding encoding, std::shared_ptr<columns::Dictionary> dictionary);
  // From codes of 'version' to plain text; nothing if that has happened already.
  void SwitchToText(int version);

  // The strings of a segment are in the dictionary.
  void MarkSeen(int segment);
  bool all_seen() const;

 private:
  std::mutex decision_;
  mutable std::mutex mutex_;
  bool decided_ = false;
  TextLayout layout_;
  std::vector<bool> seen_;
  size_t num_seen_ = 0;
};

}  // namespace shadowvm::storage
