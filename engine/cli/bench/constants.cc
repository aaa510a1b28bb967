// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/constants.h"

namespace shadowvm::cli {

int Constants::Int(const std::string& name, int specified) {
  known_.insert(name);
  const auto given = given_.find(name);
  if (given == given_.end()) return specified;
  if (given->is_number_integer()) return given->get<int>();
  if (wrong_.empty()) wrong_ = name + " must be a whole number";
  return specified;
}

std::string Constants::Text(const std::string& name, const std::string& specified) {
  known_.insert(name);
  const auto given = given_.find(name);
  if (given == given_.end()) return specified;
  if (given->is_string()) return given->get<std::string>();
  if (wrong_.empty()) wrong_ = name + " must be a text";
  return specified;
}

base::Status Constants::Check(const std::string& query) const {
  if (!wrong_.empty()) return base::MakeError(base::ErrorCode::kBadCommand, query + ": " + wrong_);
  for (const auto& item : given_.items()) {
    if (known_.contains(item.key())) continue;
    return base::MakeError(base::ErrorCode::kBadCommand,
                           query + " has no constant called '" + item.key() + "'");
  }
  return base::Status::OK();
}

}  // namespace shadowvm::cli
