// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "engine/vkernel/compile/worker/backend.h"

LLD_HAS_DRIVER(elf)

namespace shadowvm::vkernel {
namespace {

bool WriteAll(int file, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(file, bytes.data() + done, bytes.size() - done);
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

std::string ReadAll(int file) {
  struct stat found;
  if (::fstat(file, &found) != 0) return "";
  std::string bytes(static_cast<size_t>(found.st_size), '\0');
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got =
        ::pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got <= 0) return "";
    done += static_cast<size_t>(got);
  }
  return bytes;
}

bool RunLinker(const std::vector<std::string>& inputs, std::string* log) {
  // The linker makes its output beside the final name and renames it, which no file in memory
  // allows; "-" is the one name it writes to directly.
  std::vector<const char*> arguments = {
      "ld.lld", "-shared",     "-Bsymbolic", "--threads=1", "--gc-sections",    "--build-id=none",
      "-z",     "noexecstack", "-z",         "now",         "--hash-style=gnu", "-o",
      "-"};
  for (const std::string& input : inputs) arguments.push_back(input.c_str());
  llvm::raw_string_ostream stream(*log);
  const bool linked = lld::elf::link(arguments, stream, stream, false, false);
  lld::CommonLinkerContext::destroy();
  return linked;
}

// A file in memory that holds some bytes; -1 if there is no memory for it.
int MakeFile(const std::string& bytes) {
  const int file = ::memfd_create("object", MFD_CLOEXEC);
  if (file < 0 || WriteAll(file, bytes)) return file;
  ::close(file);
  return -1;
}

}  // namespace

std::string LinkShared(const std::string& object, const std::string& library, std::string* log) {
  std::vector<int> files = {MakeFile(object)};
  if (!library.empty()) files.push_back(MakeFile(library));
  bool ready = ::ftruncate(STDOUT_FILENO, 0) == 0 && ::lseek(STDOUT_FILENO, 0, SEEK_SET) == 0;
  std::vector<std::string> inputs;
  for (const int file : files) {
    ready = ready && file >= 0;
    inputs.push_back("/proc/self/fd/" + std::to_string(file));
  }
  if (!ready) *log = "no memory for the linker's files";
  const bool linked = ready && RunLinker(inputs, log);
  for (const int file : files) {
    if (file >= 0) ::close(file);
  }
  return linked ? ReadAll(STDOUT_FILENO) : "";
}

}  // namespace shadowvm::vkernel
