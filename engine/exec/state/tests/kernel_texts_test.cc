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
