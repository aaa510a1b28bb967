// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/generated_files.h"

#include <chrono>
#include <filesystem>
#include <system_error>

#include "engine/cli/progress.h"
#include "engine/cli/ssb/scale.h"
#include "engine/cli/ssb/write_parquet.h"

namespace shadowvm::cli {
namespace {

// How long a signal waits, at most.
constexpr std::chrono::milliseconds kAskAgain{100};

}  // namespace

base::Result<std::unique_ptr<GeneratedFiles>> GeneratedFiles::Make(const BenchSettings& settings) {
  std::unique_ptr<GeneratedFiles> files(new GeneratedFiles());
  SVM_ASSIGN_OR_RETURN(auto folder, base::TemporaryFolder::Make());
  files->folder_.emplace(std::move(folder));
  SVM_RETURN_NOT_OK(files->Write(settings));
  files->watch_ = std::thread([watched = files.get()] { watched->Watch(); });
  return files;
}

GeneratedFiles::~GeneratedFiles() {
  if (!watch_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_one();
  watch_.join();
}

base::Status GeneratedFiles::Write(const BenchSettings& settings) const {
  SVM_ASSIGN_OR_RETURN(const ssb::Scale scale, ssb::MakeScale(settings.scale_factor, /*seed=*/1));
  ssb::WriteOptions options;
  options.directory = folder();
  options.threads = settings.threads;
  for (const auto& table : ssb::MakeTables(scale)) {
    ProgressBar bar(table->name(), table->num_rows());
    SVM_RETURN_NOT_OK(ssb::WriteParquet(*table, options, [&](int64_t rows) {
      bar.Update(rows);
      return stop_.Check();
    }));
  }
  return base::Status::OK();
}

void GeneratedFiles::Watch() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    if (!stop_.Check().ok()) {
      std::error_code ignored;
      std::filesystem::remove_all(folder(), ignored);
      stop_.Release();
    }
    wake_.wait_for(lock, kAskAgain, [&] { return is_over_; });
  }
}

}  // namespace shadowvm::cli
