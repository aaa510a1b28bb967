// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/base/temporary_folder.h"
#include "engine/cli/bench/settings.h"
#include "engine/cli/stop_request.h"

namespace shadowvm::cli {

// The benchmark's tables as Parquet files for one run of the program: among the system's temporary
// files, in a folder that goes with this. Ctrl-C and SIGTERM take it along as well, though queries
// never ask for them: a thread does. Make it before other threads (StopRequest).
class GeneratedFiles {
 public:
  // Of the settings' scale factor, by as many threads as they say. kWriteFailed where there is no
  // room.
  static base::Result<std::unique_ptr<GeneratedFiles>> Make(const BenchSettings& settings);
  ~GeneratedFiles();

  const std::string& folder() const { return folder_->path(); }

 private:
  GeneratedFiles() = default;
  base::Status Write(const BenchSettings& settings) const;
  void Watch();

  // They go in the opposite order: a signal that waits ends the process last of all.
  const StopRequest stop_;
  std::optional<base::TemporaryFolder> folder_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_over_ = false;
  std::thread watch_;
};

}  // namespace shadowvm::cli
