// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>

#include "engine/base/status.h"

namespace shadowvm::base {

// A folder among the system's temporary files that only we can enter; it goes, with all it holds,
// with its owner.
class TemporaryFolder {
 public:
  // kWriteFailed where none can be made.
  static Result<TemporaryFolder> Make();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path);
  std::string path_;
};

}  // namespace shadowvm::base
