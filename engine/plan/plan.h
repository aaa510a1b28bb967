// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/plan/action_node.h"

namespace shadowvm::plan {

// Settings of the session that change results.
struct Settings {
  bool ansi = false;
  std::string time_zone = "UTC";
  bool case_sensitive = false;
  bool strict_float = false;
  bool allow_decimal_precision_loss = true;
};

// Knows the columns of what a scan names. The builder asks once per scan; the executor answers from
// storage and its registered tables, and may keep what it opened.
class Catalog {
 public:
  virtual ~Catalog() = default;
  virtual base::Result<columns::Schema> SchemaOf(const ScanSource& source) = 0;
};

// A typed query: a DAG of nodes that ends in one sink. Immutable once built; move-only. Nodes keep
// their addresses when a plan is moved.
class Plan {
 public:
  Plan(Settings settings, std::vector<std::unique_ptr<const ActionNode>> nodes)
      : settings_(std::move(settings)), nodes_(std::move(nodes)) {}

  const Settings& settings() const { return settings_; }
  // Every node after its inputs; the last one is the root.
  const std::vector<std::unique_ptr<const ActionNode>>& nodes() const { return nodes_; }
  const SinkNode& root() const { return As<SinkNode>(*nodes_.back()); }
  // The schema of the answer.
  const columns::Schema& output() const { return nodes_.back()->output; }

 private:
  Settings settings_;
  std::vector<std::unique_ptr<const ActionNode>> nodes_;
};

// One line per node, inputs first: "3 filter <- 2: (lo_discount >= 1) | lo_revenue".
std::string Describe(const Plan& plan);

}  // namespace shadowvm::plan
