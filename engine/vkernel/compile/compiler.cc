// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/compiler.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "engine/vkernel/compile/sha256.h"

namespace shadowvm::vkernel {
namespace {

constexpr size_t kMaxLog = 64 << 10;

// The lines of /proc/cpuinfo that say what a processor is; the others change from moment to moment.
bool SaysWhatItIs(std::string_view line) {
  static constexpr std::array<std::string_view, 10> kKeys = {
      "vendor_id",       "cpu family",       "model",    "stepping",     "flags",
      "CPU implementer", "CPU architecture", "CPU part", "CPU revision", "Features"};
  return std::ranges::any_of(kKeys, [&](std::string_view key) { return line.starts_with(key); });
}

}  // namespace

std::string_view NameOf(OptLevel level) {
  switch (level) {
    case OptLevel::kFast:
      return "fast";
    case OptLevel::kFull:
      return "full";
    case OptLevel::kLibrary:
      return "library";
  }
  return "";
}

HeaderSet EmbeddedHeaderSet() { return {kernels::EmbeddedHeaders(), kernels::EmbeddedHash()}; }

std::string HostCpuIdentity() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  Sha256 hash;
  for (std::string line; std::getline(cpuinfo, line) && !line.empty();) {
    if (SaysWhatItIs(line)) hash.Field(line);
  }
  return ToHex(hash.Finish());
}

std::string ProgramIdentity(const std::string& path) {
  struct stat found;
  if (::stat(path.c_str(), &found) != 0) return "";
  return path + ":" + std::to_string(found.st_size) + ":" + std::to_string(found.st_mtim.tv_sec) +
         "." + std::to_string(found.st_mtim.tv_nsec);
}

std::string_view HostSanitizers() { return SHADOWVM_KERNEL_SANITIZE; }

base::Status CompileError(base::ErrorCode code, const std::string& name, std::string_view what) {
  std::string message = "kernel '" + name + "': " + std::string(what.substr(0, kMaxLog));
  if (what.size() > kMaxLog) message += "\n(log cut)";
  return base::MakeError(code, message);
}

}  // namespace shadowvm::vkernel
