// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/cuda/cuda_device.h"

#include <gtest/gtest.h>

#include <vector>

namespace shadowvm::device {
namespace {

// With a card these see it work; without one they see why there is none. No test is skipped.
TEST(CudaDevice, SaysWhatIsThereOrWhatIsMissing) {
  const auto facts = FindCudaDevice();
  if (!facts.ok()) {
    EXPECT_EQ(base::CodeOf(facts.status()), base::ErrorCode::kUnsupported);
    EXPECT_NE(facts.status().message().find("NVIDIA"), std::string::npos);
    return;
  }
  EXPECT_FALSE(facts->name.empty());
  EXPECT_TRUE(facts->architecture.starts_with("sm_"));
  EXPECT_GT(facts->num_processors, 0);
  EXPECT_GT(facts->shared_bytes, 48 << 10);
  EXPECT_FALSE(facts->link.empty());
}

TEST(CudaDevice, CopiesThereAndBack) {
  auto device = OpenCudaDevice();
  if (!device.ok()) {
    EXPECT_EQ(base::CodeOf(device.status()), base::ErrorCode::kUnsupported);
    return;
  }
  std::vector<int> in(1000, 7), out(1000, 0);
  auto memory = (*device)->Allocate(4000);
  ASSERT_TRUE(memory.ok()) << memory.status();
  auto stream = (*device)->MakeStream();
  ASSERT_TRUE(stream.ok()) << stream.status();
  ASSERT_TRUE((*stream)->CopyIn(memory->address(), in.data(), 4000).ok());
  ASSERT_TRUE((*stream)->CopyOut(out.data(), memory->address(), 4000).ok());
  ASSERT_TRUE((*stream)->Synchronize().ok());
  EXPECT_EQ(in, out);
  const auto bad = (*device)->Load("no code", "not a cubin");
  EXPECT_EQ(base::CodeOf(bad.status()), base::ErrorCode::kKernelLoad);
  const auto much = (*device)->Allocate(int64_t{1} << 50);
  EXPECT_EQ(base::CodeOf(much.status()), base::ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace shadowvm::device
