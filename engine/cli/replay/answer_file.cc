// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/replay/answer_file.h"

#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <arrow/table.h>

#include "engine/base/fault.h"
#include "engine/cli/pending_file.h"

namespace shadowvm::cli {
namespace {

base::Status WriteTable(const arrow::Table& table, const std::string& path) {
  SVM_FAULT_POINT("cli.answer.write");
  SVM_ASSIGN_OR_RETURN(auto file, arrow::io::FileOutputStream::Open(path));
  SVM_ASSIGN_OR_RETURN(auto writer, arrow::ipc::MakeFileWriter(file, table.schema()));
  SVM_RETURN_NOT_OK(writer->WriteTable(table));
  SVM_RETURN_NOT_OK(writer->Close());
  return file->Close();
}

}  // namespace

base::Status WriteAnswerFile(const arrow::Table& answer, const std::filesystem::path& path) {
  PendingFile pending(path);
  const base::Status written = WriteTable(answer, pending.temporary_path().string());
  if (!written.ok()) {
    return base::MakeError(base::ErrorCode::kWriteFailed, path.string() + ": " + written.message());
  }
  return pending.Commit();
}

}  // namespace shadowvm::cli
