// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/shared_answers.h"

#include <arrow/io/file.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/fault.h"
#include "engine/node/answer_batches.h"

namespace shadowvm::node {
namespace {

using base::ErrorCode;
using base::MakeError;

// The schema and the end of a stream, generously.
constexpr int64_t kStreamFrame = 64 << 10;

base::Status WriteFailed(const std::filesystem::path& path, const std::string& complaint) {
  return MakeError(ErrorCode::kWriteFailed, path.string() + ": " + complaint);
}

base::Result<int64_t> WriteTo(const std::filesystem::path& path,
                              const arrow::RecordBatchVector& batches) {
  SVM_FAULT_POINT("node.shared.write");
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return WriteFailed(path, std::strerror(errno));
  SVM_ASSIGN_OR_RETURN(const auto out, arrow::io::FileOutputStream::Open(file));
  // Written, not mapped: a full folder is then an error and not a signal.
  SVM_RETURN_NOT_OK(WriteStream(batches, out.get()));
  SVM_ASSIGN_OR_RETURN(const int64_t bytes, out->Tell());
  SVM_RETURN_NOT_OK(out->Close());
  return bytes;
}

}  // namespace

SharedAnswers::SharedAnswers(const std::filesystem::path& root, memory::MemoryBudget* budget,
                             int64_t max_file_bytes)
    : budget_(budget), max_file_bytes_(max_file_bytes) {
  auto made = PrivateFolder::Make(root);
  problem_ = made.status();
  if (made.ok()) folder_ = std::move(*made);
}

SharedAnswers::~SharedAnswers() {
  for (const auto& [session, files] : files_) {
    for (const SharedFile& file : files) Remove(file);
  }
}

base::Result<std::vector<SharedAnswers::Cut>> SharedAnswers::CutIntoFiles(
    const arrow::RecordBatchVector& batches) const {
  std::vector<Cut> cuts(1);
  for (const auto& batch : batches) {
    SVM_ASSIGN_OR_RETURN(const int64_t bytes, StreamBytes(*batch));
    if (bytes + kStreamFrame > max_file_bytes_) {
      return WriteFailed(folder_->path(), "a row of " + std::to_string(bytes) + " bytes");
    }
    if (cuts.back().bytes + bytes + kStreamFrame > max_file_bytes_) cuts.emplace_back();
    cuts.back().batches.push_back(batch);
    cuts.back().bytes += bytes;
  }
  return cuts;
}

base::Result<SharedFile> SharedAnswers::WriteFile(const Cut& cut) {
  SVM_RETURN_NOT_OK(budget_->Reserve(cut.bytes, "an answer in shared memory"));
  std::unique_lock lock(mutex_);
  const std::string name = "answer-" + std::to_string(next_file_++) + ".arrow";
  lock.unlock();
  SharedFile file{folder_->path() / name, 0, cut.bytes};
  auto written = WriteTo(file.path, cut.batches);
  if (!written.ok()) {
    Remove(file);
    // Arrow's own words carry no code of ours.
    return WriteFailed(file.path, written.status().message());
  }
  file.bytes = *written;
  return file;
}

base::Result<std::vector<SharedFile>> SharedAnswers::Write(
    const std::string& session, const arrow::RecordBatchVector& batches) {
  SVM_RETURN_NOT_OK(problem_);
  Sweep();
  SVM_ASSIGN_OR_RETURN(const std::vector<Cut> cuts, CutIntoFiles(batches));
  std::vector<SharedFile> files;
  for (const Cut& cut : cuts) {
    auto file = WriteFile(cut);
    if (!file.ok()) {
      for (const SharedFile& written : files) Remove(written);
      return file.status();
    }
    files.push_back(std::move(*file));
  }
  std::lock_guard lock(mutex_);
  std::vector<SharedFile>& mine = files_[session];
  mine.insert(mine.end(), files.begin(), files.end());
  return files;
}

void SharedAnswers::Remove(const SharedFile& file) {
  ::unlink(file.path.c_str());
  budget_->Release(file.reserved);
}

void SharedAnswers::Drop(const std::string& session) {
  std::lock_guard lock(mutex_);
  const auto found = files_.find(session);
  if (found == files_.end()) return;
  for (const SharedFile& file : found->second) Remove(file);
  files_.erase(found);
}

void SharedAnswers::Sweep() {
  std::lock_guard lock(mutex_);
  for (auto session = files_.begin(); session != files_.end();) {
    std::erase_if(session->second, [this](const SharedFile& file) {
      struct stat info;
      if (::lstat(file.path.c_str(), &info) == 0) return false;
      budget_->Release(file.reserved);
      return true;
    });
    session = session->second.empty() ? files_.erase(session) : std::next(session);
  }
}

int64_t SharedAnswers::bytes() const {
  std::lock_guard lock(mutex_);
  int64_t bytes = 0;
  for (const auto& [session, files] : files_) {
    for (const SharedFile& file : files) bytes += file.bytes;
  }
  return bytes;
}

std::filesystem::path SharedAnswers::folder() const {
  return folder_ == nullptr ? std::filesystem::path() : folder_->path();
}

}  // namespace shadowvm::node
