// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/name_index.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace shadowvm::plan {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;

constexpr int kAmbiguous = -2;
constexpr size_t kMaxMatches = 3;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& character : lower) {
    character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  }
  return lower;
}

// Levenshtein's distance, one row at a time.
size_t Distance(std::string_view left, std::string_view right) {
  std::vector<size_t> row(right.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= left.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::vector<std::string> NearMatches(const std::string& name, const columns::Schema& schema) {
  const std::string wanted = Lower(name);
  std::vector<std::pair<size_t, std::string>> near;
  for (const auto& field : schema.fields) {
    const size_t distance = Distance(wanted, Lower(field.name));
    if (distance <= std::max<size_t>(1, wanted.size() / 3)) near.emplace_back(distance, field.name);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(near.size(), kMaxMatches); ++i) names.push_back(near[i].second);
  return names;
}

std::string NameIndex::KeyOf(std::string_view name) const {
  return case_sensitive_ ? std::string(name) : Lower(name);
}

void NameIndex::Fill() {
  ordinals_.reserve(schema_.fields.size());
  for (int i = 0; i < schema_.num_fields(); ++i) {
    const auto [place, added] = ordinals_.emplace(KeyOf(schema_.fields[i].name), i);
    if (!added) place->second = kAmbiguous;
  }
}

Result<int> NameIndex::Find(const std::string& name) {
  if (ordinals_.empty()) Fill();
  const auto found = ordinals_.find(KeyOf(name));
  if (found == ordinals_.end()) {
    for (const columns::LeftOutField& field : schema_.left_out) {
      if (KeyOf(field.name) == KeyOf(name)) {
        return MakeError(ErrorCode::kUnsupportedType, name + " is of type " + field.type);
      }
    }
    const auto near = NearMatches(name, schema_);
    return MakeError(ErrorCode::kUnknownColumn,
                     name + (near.empty() ? "" : " (did you mean " + Joined(near) + "?)"));
  }
  if (found->second != kAmbiguous) return found->second;
  return MakeError(ErrorCode::kUnknownColumn,
                   name + " is ambiguous: several columns have the name");
}

}  // namespace shadowvm::plan
