// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/address.h"

#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <system_error>

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::MakeError;

constexpr size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;

bool IsHostAndPort(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos || address.find('/') != std::string_view::npos) return false;
  return std::all_of(address.begin() + static_cast<int64_t>(colon) + 1, address.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string_view WithoutScheme(std::string_view address) {
  for (const std::string_view scheme : {"grpc+unix://", "unix://", "unix:"}) {
    if (address.starts_with(scheme)) return address.substr(scheme.size());
  }
  return address;
}

}  // namespace

base::Result<fs::path> SocketPath(std::string_view address) {
  const std::string_view path = WithoutScheme(address);
  if (path.empty()) return MakeError(ErrorCode::kBadAddress, "it is empty: give a socket's path");
  if (path.find("://") != std::string_view::npos || IsHostAndPort(path)) {
    return MakeError(ErrorCode::kBadAddress,
                     "'" + std::string(address) +
                         "' is no Unix socket: a node does not listen on the network, give a path");
  }
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (error || absolute.native().size() > kMaxPath) {
    return MakeError(ErrorCode::kBadAddress, "'" + std::string(path) + "' is longer than the " +
                                                 std::to_string(kMaxPath) +
                                                 " bytes a socket's path may have");
  }
  return absolute.lexically_normal();
}

fs::path DefaultSocketPath() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return fs::path(runtime) / "shadowvm" / "node.sock";
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  return (error ? fs::path("/tmp") : temporary) / ("shadowvm-node-" + std::to_string(::geteuid())) /
         "node.sock";
}

}  // namespace shadowvm::node
