// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/socket_claim.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "engine/base/tests/test_folder.h"

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;

base::ErrorCode CodeOf(const base::Result<std::unique_ptr<SocketClaim>>& claim) {
  EXPECT_FALSE(claim.ok());
  return base::CodeOf(claim.status());
}

class SocketClaimTest : public testing::Test {
 protected:
  // A socket at the path as a node makes it; it stays when it is closed.
  int Bind() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket, 1), 0);
    return socket;
  }

  base::TestFolder folder_;
  const fs::path root_ = folder_.path();
  const fs::path path_ = root_ / "node" / "node.sock";
};

TEST_F(SocketClaimTest, MakesAPrivateFolderAndLeavesItEmpty) {
  auto claim = SocketClaim::Make(path_).ValueOrDie();
  struct stat info;
  ASSERT_EQ(::stat(path_.parent_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  ::close(Bind());
  claim.reset();
  EXPECT_TRUE(fs::is_empty(path_.parent_path()));
}

TEST_F(SocketClaimTest, IsGivenOnceAtATime) {
  auto claim = SocketClaim::Make(path_).ValueOrDie();
  EXPECT_EQ(CodeOf(SocketClaim::Make(path_)), base::ErrorCode::kAddressInUse);
  claim.reset();
  EXPECT_TRUE(SocketClaim::Make(path_).ok());
}

TEST_F(SocketClaimTest, ReplacesTheSocketOfTheDeadOnly) {
  fs::create_directories(path_.parent_path());
  const int listener = Bind();
  EXPECT_EQ(CodeOf(SocketClaim::Make(path_)), base::ErrorCode::kAddressInUse);
  EXPECT_TRUE(fs::exists(path_));
  ::close(listener);
  ASSERT_TRUE(fs::exists(path_));
  const auto claim = SocketClaim::Make(path_).ValueOrDie();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SocketClaimTest, RefusesFoldersThatOthersWriteTo) {
  fs::create_directories(path_.parent_path());
  fs::permissions(path_.parent_path(), fs::perms(0770));
  EXPECT_EQ(CodeOf(SocketClaim::Make(path_)), base::ErrorCode::kBadAddress);
  EXPECT_TRUE(fs::is_empty(path_.parent_path()));
}

TEST_F(SocketClaimTest, RefusesFoldersReachedByALink) {
  fs::create_directories(root_ / "real");
  fs::create_directory_symlink(root_ / "real", root_ / "node");
  EXPECT_EQ(CodeOf(SocketClaim::Make(path_)), base::ErrorCode::kBadAddress);
}

TEST_F(SocketClaimTest, KeepsAFileThatIsNoSocket) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_) << "mine";
  EXPECT_EQ(CodeOf(SocketClaim::Make(path_)), base::ErrorCode::kBadAddress);
  EXPECT_TRUE(fs::exists(path_));
}

}  // namespace
}  // namespace shadowvm::node
