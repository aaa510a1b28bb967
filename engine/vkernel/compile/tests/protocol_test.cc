// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker/protocol.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <thread>

#include "engine/vkernel/compile/process.h"

namespace shadowvm::vkernel {
namespace {

class ProtocolTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    left_ = FileDescriptor(ends[0]);
    right_ = FileDescriptor(ends[1]);
  }

  void SendRaw(uint32_t magic, uint32_t num_parts, uint64_t size, const std::string& payload) {
    std::string bytes;
    const uint32_t words[] = {magic, 1, num_parts, 0};
    bytes.append(reinterpret_cast<const char*>(words), sizeof words);
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += payload;
    ASSERT_EQ(::send(left_.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }

  FileDescriptor left_;
  FileDescriptor right_;
};

constexpr uint32_t kMagic = 0x4b4d5653;

TEST_F(ProtocolTest, FramesLargerThanTheSocketArrive) {
  const Frame sent{FrameKind::kCompile, {"", std::string(5 << 20, 'x'), "end"}};
  std::thread writer([&] { EXPECT_EQ(WriteFrame(left_.get(), sent, {}), FrameResult::kOk); });
  Frame got;
  EXPECT_EQ(ReadFrame(right_.get(), &got, {}), FrameResult::kOk);
  writer.join();
  EXPECT_EQ(got.kind, sent.kind);
  EXPECT_EQ(got.parts, sent.parts);
}

TEST_F(ProtocolTest, SilenceIsATimeout) {
  Frame got;
  EXPECT_EQ(ReadFrame(right_.get(), &got,
                      std::chrono::steady_clock::now() + std::chrono::milliseconds(20)),
            FrameResult::kTimeout);
}

TEST_F(ProtocolTest, AClosedEndIsSeenByBoth) {
  left_.Close();
  Frame got;
  EXPECT_EQ(ReadFrame(right_.get(), &got, {}), FrameResult::kClosed);
  EXPECT_EQ(WriteFrame(right_.get(), {FrameKind::kReady, {"x"}}, {}), FrameResult::kClosed);
}

TEST_F(ProtocolTest, WrongMagicIsRefused) {
  SendRaw(1, 0, 0, "");
  Frame got;
  EXPECT_EQ(ReadFrame(right_.get(), &got, {}), FrameResult::kMalformed);
}

TEST_F(ProtocolTest, ASizeBeyondTheLimitIsRefusedUnread) {
  SendRaw(kMagic, 1, kMaxFrameBytes + 1, "");
  Frame got;
  EXPECT_EQ(ReadFrame(right_.get(), &got, {}), FrameResult::kMalformed);
}

TEST_F(ProtocolTest, PartsMustFillThePayload) {
  const uint64_t length = 100;
  std::string payload(8, '\0');
  std::memcpy(payload.data(), &length, 8);
  SendRaw(kMagic, 1, payload.size(), payload);
  Frame got;
  EXPECT_EQ(ReadFrame(right_.get(), &got, {}), FrameResult::kMalformed);
}

}  // namespace
}  // namespace shadowvm::vkernel
