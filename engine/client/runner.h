// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/table.h>

#include <memory>
#include <string>

#include "shadowvm/v1/command.pb.h"

namespace shadowvm::client {

// What answers commands: the engine in this process, or a node. Thread-safe.
class Runner {
 public:
  virtual ~Runner() = default;

  // A command that writes a file answers with an empty table.
  virtual arrow::Result<std::shared_ptr<arrow::Table>> Run(const v1::Command& command) = 0;
  // Makes a table known by name, in place of one that had it.
  virtual arrow::Status AddTable(const std::string& name, std::shared_ptr<arrow::Table> table) = 0;
};

}  // namespace shadowvm::client
