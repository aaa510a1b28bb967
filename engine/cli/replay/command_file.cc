// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/replay/command_file.h"

#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <sstream>

#include "engine/base/fault.h"

namespace shadowvm::cli {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::MakeError;

base::Result<std::string> ReadWhole(const fs::path& path) {
  SVM_FAULT_POINT("cli.file.read");
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return MakeError(ErrorCode::kFileMissing, path.string());
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || fs::is_directory(path, ignored)) {
    return MakeError(ErrorCode::kReadFailed, path.string());
  }
  return std::move(text).str();
}

base::Status ParseJson(const std::string& text, const fs::path& path, v1::Command* command) {
  const auto parsed = google::protobuf::util::JsonStringToMessage(text, command);
  if (parsed.ok()) return base::Status::OK();
  std::string complaint(parsed.message());
  return MakeError(ErrorCode::kBadCommand,
                   path.string() + ": " + complaint.substr(0, complaint.find('\n')));
}

}  // namespace

base::Result<v1::Command> ReadCommandFile(const fs::path& path) {
  SVM_ASSIGN_OR_RETURN(const std::string text, ReadWhole(path));
  v1::Command command;
  if (path.extension() == ".json") {
    SVM_RETURN_NOT_OK(ParseJson(text, path, &command));
  } else if (!command.ParseFromString(text)) {
    return MakeError(ErrorCode::kBadCommand,
                     path.string() + ": not a command in protobuf's binary form");
  }
  return command;
}

void ReadFrom(const fs::path& root, v1::Command* command) {
  for (v1::Action& action : *command->mutable_actions()) {
    if (!action.has_scan()) continue;
    v1::Scan& scan = *action.mutable_scan();
    // An absolute path stays as it is.
    if (scan.has_files()) {
      for (std::string& path : *scan.mutable_files()->mutable_paths())
        path = (root / path).string();
    }
    if (scan.has_file_list()) {
      for (v1::ListedFile& file : *scan.mutable_file_list()->mutable_files()) {
        file.set_path((root / file.path()).string());
      }
    }
  }
}

}  // namespace shadowvm::cli
