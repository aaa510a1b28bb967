// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/type.h"

namespace shadowvm::plan {

// Looks columns up by name in one schema, as the session's case sensitivity says. The index is made
// at the first look-up, since planners send ordinals and never ask. The schema must outlive it.
class NameIndex {
 public:
  NameIndex(const columns::Schema& schema, bool case_sensitive)
      : schema_(schema), case_sensitive_(case_sensitive) {}

  // kUnknownColumn names the column and what was probably meant, or says that several have the
  // name.
  base::Result<int> Find(const std::string& name);

 private:
  std::string KeyOf(std::string_view name) const;
  void Fill();

  const columns::Schema& schema_;
  bool case_sensitive_;
  std::unordered_map<std::string, int> ordinals_;  // kAmbiguous for names that are there twice
};

// At most three names of 'schema' that 'name' may have been meant to be, nearest first.
std::vector<std::string> NearMatches(const std::string& name, const columns::Schema& schema);

}  // namespace shadowvm::plan
