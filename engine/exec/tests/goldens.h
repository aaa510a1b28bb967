// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// Rendered kernels, kept in the files of goldens/: those for the CPU there, those for a GPU in
// cuda/. A file holds a query's kernels in the order of its pipelines, with an empty line between
// them.
namespace shadowvm::exec {

inline std::string GoldenPath(const std::string& name) {
  return std::string(SHADOWVM_GOLDENS) + "/" + name + ".golden";
}

inline std::string ReadGolden(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Compares kernels with their file letter by letter; a query without any has no file.
inline void ExpectGolden(const std::string& name, const std::vector<std::string>& kernels) {
  constexpr char kUpdate[] = "SHADOWVM_UPDATE_GOLDENS";
  const std::string path = GoldenPath(name);
  std::string text;
  for (const std::string& kernel : kernels) text += (text.empty() ? "" : "\n") + kernel;
  if (std::getenv(kUpdate) != nullptr) {
    std::filesystem::remove(path);
    if (!text.empty()) std::ofstream(path) << text;
  }
  EXPECT_EQ(std::filesystem::exists(path), !text.empty()) << path;
  EXPECT_EQ(ReadGolden(path), text)
      << "kernels of " << name << " are not those of " << path
      << "; if they should be, run this test with " << kUpdate << "=1";
}

}  // namespace shadowvm::exec
