// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/memory/budget.h"
#include "engine/node/private_folder.h"

namespace shadowvm::node {

struct SharedFile {
  std::filesystem::path path;
  int64_t bytes = 0;
  int64_t reserved = 0;  // of the budget
};

// Answers as files in memory, for clients on the same machine: each an Arrow IPC stream in a
// private folder. A file belongs to its receiver, who maps and removes it; what nobody removes goes
// with its session. Bytes are reserved in the budget while a file is there. Thread-safe.
class SharedAnswers {
 public:
  // So that a reader can map a file in one piece: a Java buffer ends at 2 GiB.
  static constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

  // A root (a folder in memory) that cannot be used is no error: then every Write says why.
  SharedAnswers(const std::filesystem::path& root, memory::MemoryBudget* budget,
                int64_t max_file_bytes = kMaxFileBytes);
  ~SharedAnswers();

  // The batches as files, in order; whole, or not at all. kWriteFailed if the folder is absent or
  // full, or a batch does not fit a file; kOutOfMemory. Fault point "node.shared.write".
  base::Result<std::vector<SharedFile>> Write(const std::string& session,
                                              const arrow::RecordBatchVector& batches);
  // Removes what a session has left.
  void Drop(const std::string& session);
  // Gives back the bytes of files that their receivers have removed.
  void Sweep();

  int64_t bytes() const;  // of the files that are there
  // Empty if there is none.
  std::filesystem::path folder() const;

 private:
  struct Cut {  // one file's share of the batches
    arrow::RecordBatchVector batches;
    int64_t bytes = 0;
  };
  base::Result<std::vector<Cut>> CutIntoFiles(const arrow::RecordBatchVector& batches) const;
  base::Result<SharedFile> WriteFile(const Cut& cut);
  void Remove(const SharedFile& file);

  memory::MemoryBudget* const budget_;
  const int64_t max_file_bytes_;
  base::Status problem_;
  std::unique_ptr<PrivateFolder> folder_;
  mutable std::mutex mutex_;
  int64_t next_file_ = 0;
  std::map<std::string, std::vector<SharedFile>> files_;  // by session
};

}  // namespace shadowvm::node
