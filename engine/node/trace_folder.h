// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/schedule/query_trace.h"

namespace shadowvm::node {

struct TraceFolderOptions {
  std::filesystem::path path = {};  // empty: none is kept
  int most_queries = 100;           // whose traces stay, the newest
  // Told once, in a sentence, when a trace could not be written.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

// Traces of a node's queries as files: trace-TIME-NUMBER-QUERY.json for Chrome's tracing, and the
// same as a drawing, .svg. Their names sort by age. The oldest give way to new ones, those of
// earlier nodes too; other files of the folder are left alone. Thread-safe.
class TraceFolder {
 public:
  // kWriteFailed if there is no such folder and it cannot be made, or nothing can be written to it.
  static base::Result<std::unique_ptr<TraceFolder>> Make(TraceFolderOptions options);

  // Writes both files; nothing for a query without traces. A failure costs the trace alone. Fault
  // point node.trace.write.
  void Keep(const std::string& query, const std::vector<schedule::QueryTrace>& traces);

 private:
  explicit TraceFolder(TraceFolderOptions options) : options_(std::move(options)) {}

  base::Status Write(const std::string& query, const std::vector<schedule::QueryTrace>& traces);
  void RemoveOldest() const;

  const TraceFolderOptions options_;
  std::mutex mutex_;
  int64_t num_written_ = 0;
  bool warned_ = false;
};

}  // namespace shadowvm::node
