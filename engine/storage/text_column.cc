// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/text_column.h"

#include <utility>

namespace shadowvm::storage {

bool TextColumn::decided() const {
  std::lock_guard lock(mutex_);
  return decided_;
}

TextLayout TextColumn::layout() const {
  std::lock_guard lock(mutex_);
  return layout_;
}

void TextColumn::Decide(columns::Encoding encoding,
                        std::shared_ptr<columns::Dictionary> dictionary) {
  std::lock_guard lock(mutex_);
  decided_ = true;
  layout_.encoding = encoding;
  layout_.dictionary = std::move(dictionary);
}

void TextColumn::SwitchToText(int version) {
  std::lock_guard lock(mutex_);
  if (layout_.version != version) return;
  layout_ = {version + 1, columns::Encoding::kText, nullptr};
}

void TextColumn::MarkSeen(int segment) {
  std::lock_guard lock(mutex_);
  if (seen_[segment]) return;
  seen_[segment] = true;
  ++num_seen_;
}

bool TextColumn::all_seen() const {
  std::lock_guard lock(mutex_);
  return num_seen_ == seen_.size();
}

}  // namespace shadowvm::storage
