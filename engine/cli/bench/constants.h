// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "engine/base/status.h"

namespace shadowvm::cli {

// The constants of one query: those asked for by name, and the specification's for the rest.
// Reading never fails; what was wrong (a name the query does not have, a text for a number) is said
// once, by Check.
class Constants {
 public:
  explicit Constants(nlohmann::json given) : given_(std::move(given)) {}

  int Int(const std::string& name, int specified);
  std::string Text(const std::string& name, const std::string& specified);
  base::Status Check(const std::string& query) const;

 private:
  nlohmann::json given_;
  std::set<std::string> known_;
  std::string wrong_;  // the first constant of a wrong type
};

}  // namespace shadowvm::cli
