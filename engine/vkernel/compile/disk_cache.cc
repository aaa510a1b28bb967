// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "engine/base/fault.h"

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;

constexpr char kMagic[8] = {'S', 'V', 'M', 'K', 'E', 'R', 'N', '1'};
constexpr char kSuffix[] = ".kernel";
constexpr char kTemporary[] = "temporary-";
constexpr int64_t kMaxEntryBytes = 64 << 20;
constexpr int64_t kStaleSeconds = 3600;  // a temporary file this old has lost its writer

struct EntryHeader {
  char magic[8];
  uint64_t num_bytes;
  Digest key;
  Digest content;
};

Status IoError(const std::string& what) {
  return MakeError(ErrorCode::kWriteFailed, what + ": " + std::strerror(errno));
}

std::string FileName(const Digest& key) { return ToHex(key) + kSuffix; }

Status MakeFolders(const std::string& directory) {
  SVM_FAULT_POINT("cache.mkdir");
  std::string made;
  for (const auto& part : std::filesystem::path(directory)) {
    made = (std::filesystem::path(made) / part).string();
    if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST && errno != EROFS && errno != EISDIR) {
      return IoError("kernel cache folder " + made);
    }
  }
  return Status::OK();
}

bool ReadExactly(int file, void* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = ::read(file, static_cast<char*>(bytes) + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

bool WriteExactly(int file, const void* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t put = ::write(file, static_cast<const char*>(bytes) + done, size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<size_t>(put);
  }
  return true;
}

// The bytes of an entry, if everything about it is right.
std::optional<std::string> ReadEntry(int file, const Digest& key) {
  struct stat found;
  EntryHeader header;
  if (::fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != ::geteuid())
    return {};
  if (found.st_size < static_cast<off_t>(sizeof header) || found.st_size > kMaxEntryBytes)
    return {};
  if (!ReadExactly(file, &header, sizeof header)) return {};
  const uint64_t num_bytes = static_cast<uint64_t>(found.st_size) - sizeof header;
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.key != key ||
      header.num_bytes != num_bytes) {
    return {};
  }
  std::string bytes(num_bytes, '\0');
  if (!ReadExactly(file, bytes.data(), bytes.size())) return {};
  if (Sha256::Of(bytes) != header.content) return {};
  return bytes;
}

struct Listed {
  std::string name;
  timespec used;
  int64_t num_bytes;
};

// The entries of a folder. Temporary files that nobody will finish are removed on the way.
std::vector<Listed> List(int folder) {
  std::vector<Listed> entries;
  // A descriptor of its own: reading a directory moves the position of the one it reads.
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* directory = own >= 0 ? ::fdopendir(own) : nullptr;
  if (directory == nullptr) {
    if (own >= 0) ::close(own);
    return entries;
  }
  while (const dirent* entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    struct stat found;
    if (::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (name.starts_with(kTemporary) && found.st_mtime + kStaleSeconds < std::time(nullptr)) {
      ::unlinkat(folder, name.c_str(), 0);
    } else if (name.ends_with(kSuffix)) {
      entries.push_back({name, found.st_mtim, found.st_size});
    }
  }
  ::closedir(directory);
  return entries;
}

}  // namespace

std::string DefaultCacheDirectory() {
  const char* chosen = std::getenv("SHADOWVM_CACHE_DIR");
  if (chosen != nullptr && chosen[0] != '\0') return chosen;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/shadowvm/kernels";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/shadowvm/kernels";
  return "";
}

Result<std::unique_ptr<DiskCache>> DiskCache::Open(const std::string& directory,
                                                   int64_t max_bytes) {
  SVM_RETURN_NOT_OK(MakeFolders(directory));
  FileDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat found;
  if (!folder.valid() || ::fstat(folder.get(), &found) != 0) {
    return IoError("kernel cache folder " + directory);
  }
  if (found.st_uid != ::geteuid() || (found.st_mode & 022) != 0) {
    return MakeError(ErrorCode::kWriteFailed,
                     "kernel cache folder " + directory +
                         " belongs to or can be written by others; make it yours with mode 0700");
  }
  return std::unique_ptr<DiskCache>(new DiskCache(directory, std::move(folder), max_bytes));
}

Result<std::optional<std::string>> DiskCache::Read(const Digest& key) {
  SVM_FAULT_POINT("cache.read");
  const std::string name = FileName(key);
  const FileDescriptor file(
      ::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid() && errno == ENOENT) return std::nullopt;
  std::optional<std::string> bytes;
  if (file.valid()) bytes = ReadEntry(file.get(), key);
  if (!bytes) {
    ++corrupt_dropped_;
    ::unlinkat(folder_.get(), name.c_str(), 0);
    return std::nullopt;
  }
  ::futimens(file.get(), nullptr);  // "used now"; in a read-only folder nothing is trimmed either
  return bytes;
}

Status DiskCache::Write(const Digest& key, const std::string& bytes) {
  SVM_FAULT_POINT("cache.write");
  const std::string temporary = kTemporary + std::to_string(::getpid()) + "-" +
                                std::to_string(next_temporary_++) + "-" + ToHex(key).substr(0, 8);
  // Created, never opened: a name left by a dead process of our number is removed first.
  ::unlinkat(folder_.get(), temporary.c_str(), 0);
  const FileDescriptor file(
      ::openat(folder_.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return IoError("kernel cache entry in " + directory_);
  EntryHeader header{{}, bytes.size(), key, Sha256::Of(bytes)};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  const int folder = folder_.get();
  Status written;
  if (!WriteExactly(file.get(), &header, sizeof header) ||
      !WriteExactly(file.get(), bytes.data(), bytes.size()) ||
      ::renameat(folder, temporary.c_str(), folder, FileName(key).c_str()) != 0) {
    written = IoError("kernel cache entry in " + directory_);
    ::unlinkat(folder, temporary.c_str(), 0);
  }
  Trim();
  return written;
}

void DiskCache::Clear() {
  for (const Listed& entry : List(folder_.get())) {
    ::unlinkat(folder_.get(), entry.name.c_str(), 0);
  }
}

void DiskCache::Trim() {
  std::vector<Listed> entries = List(folder_.get());
  int64_t total = 0;
  for (const Listed& entry : entries) total += entry.num_bytes;
  if (total <= max_bytes_) return;
  std::ranges::sort(entries, {}, [](const Listed& entry) {
    return std::pair(entry.used.tv_sec, entry.used.tv_nsec);
  });
  for (const Listed& entry : entries) {
    if (total <= max_bytes_) return;
    ::unlinkat(folder_.get(), entry.name.c_str(), 0);
    total -= entry.num_bytes;
  }
}

std::unique_ptr<DiskCache> OpenDiskCache(const DiskCacheOptions& options, std::string* warning) {
  if (!options.use_disk) return nullptr;
  const std::string directory =
      options.directory.empty() ? DefaultCacheDirectory() : options.directory;
  if (directory.empty()) {
    *warning = "no folder for kernels: neither XDG_CACHE_HOME nor HOME is set";
    return nullptr;
  }
  auto disk = DiskCache::Open(directory, options.max_bytes);
  if (disk.ok()) return std::move(*disk);
  *warning = disk.status().message();
  return nullptr;
}

}  // namespace shadowvm::vkernel
