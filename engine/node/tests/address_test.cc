// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/address.h"

#include <gtest/gtest.h>

namespace shadowvm::node {
namespace {

TEST(SocketPath, TakesPathsWithAndWithoutAScheme) {
  for (const char* address : {"/run/x/node.sock", "unix:/run/x/node.sock",
                              "unix:///run/x/node.sock", "grpc+unix:///run/x/node.sock"}) {
    EXPECT_EQ(SocketPath(address).ValueOrDie(), "/run/x/node.sock") << address;
  }
  EXPECT_EQ(SocketPath("x/node.sock").ValueOrDie(),
            std::filesystem::current_path() / "x" / "node.sock");
  EXPECT_EQ(SocketPath("/run/a:1/node.sock").ValueOrDie(), "/run/a:1/node.sock");
}

TEST(SocketPath, RefusesTheNetwork) {
  for (const char* address : {"grpc://localhost:8815", "grpc+tcp://0.0.0.0:8815", "localhost:8815",
                              "127.0.0.1:0", "[::1]:8815", ":8815", "http://node/"}) {
    const auto path = SocketPath(address);
    ASSERT_FALSE(path.ok()) << address;
    EXPECT_EQ(base::CodeOf(path.status()), base::ErrorCode::kBadAddress);
    EXPECT_NE(path.status().message().find(address), std::string::npos);
  }
}

TEST(SocketPath, RefusesWhatNoSocketCanBe) {
  EXPECT_FALSE(SocketPath("").ok());
  EXPECT_FALSE(SocketPath("unix:").ok());
  EXPECT_FALSE(SocketPath("/" + std::string(107, 'x')).ok());
  EXPECT_TRUE(SocketPath("/" + std::string(106, 'x')).ok());
}

}  // namespace
}  // namespace shadowvm::node
