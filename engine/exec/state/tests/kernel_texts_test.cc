// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/kernel_texts.h"

#include "engine/exec/state/tests/state_test.h"

namespace shadowvm::exec {
namespace {

class KernelTextsTest : public StateTest {};

TEST_F(KernelTextsTest, ServesInternAndKeep) {
  TextInterner interner(&budget_);
  KernelTexts texts(&budget_, &interner);
  kernels::KernelCall call{};
  texts.Bind(&call);

  std::string value = "some string";
  const kernels::u32 id = call.intern(&call, MakeText(value));
  const kernels::Text kept = call.keep_text(&call, MakeText(value));
  value.assign(value.size(), 'x');
  EXPECT_EQ(View(interner.At(id)), "some string");
  EXPECT_EQ(View(kept), "some string");
  EXPECT_EQ(call.error, 0u);
}

// Two workers, more strings than one of them remembers, and those that it does.
TEST_F(KernelTextsTest, AStringHasOneId) {
  TextInterner interner(&budget_);
  KernelTexts first(&budget_, &interner), second(&budget_, &interner);
  kernels::KernelCall calls[2]{};
  first.Bind(&calls[0]);
  second.Bind(&calls[1]);
  for (int i = 0; i < 60'000; ++i) {
    const std::string value = i % 3 == 0 ? "often" : "string " + std::to_string(i % 10'000);
    const kernels::u32 id = calls[i % 2].intern(&calls[i % 2], MakeText(value));
    ASSERT_EQ(View(interner.At(id)), value);
    ASSERT_EQ(interner.Find(MakeText(value)), id);
  }
  EXPECT_EQ(calls[0].error + calls[1].error, 0u);
}

TEST_F(KernelTextsTest, FailuresReachTheCall) {
  TextInterner interner(&budget_);
  KernelTexts texts(&budget_, &interner);
  ASSERT_TRUE(base::ArmFaults("exec.text.keep=always:oom").ok());
  kernels::KernelCall call{};
  texts.Bind(&call);
  EXPECT_EQ(call.keep_text(&call, MakeText("x")).size, 0u);
  EXPECT_EQ(call.error, kernels::kErrorOutOfMemory);
  call.error = 0;
  EXPECT_EQ(call.intern(&call, MakeText("x")), kernels::kNoRow);
  EXPECT_EQ(call.error, kernels::kErrorOutOfMemory);
  EXPECT_EQ(base::CodeOf(texts.status()), base::ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace shadowvm::exec
