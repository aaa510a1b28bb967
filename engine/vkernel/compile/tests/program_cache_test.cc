// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/program_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/device/emulated/emulated_device.h"
#include "engine/vkernel/compile/subprocess_compiler.h"
#include "engine/vkernel/compile/tests/test_kernels.h"

namespace shadowvm::vkernel {
namespace {

using base::CodeOf;
using base::ErrorCode;

// Fails with a code as long as it is told to, and can be made to wait.
class ScriptedCompiler : public Compiler {
 public:
  struct Script {
    std::atomic<int> calls{0};
    std::atomic<ErrorCode> failure{ErrorCode::kInternal};
    std::atomic<bool> fails{false};
    std::atomic<bool> full_fails{false};
    std::atomic<bool> waits{false};
  };
  explicit ScriptedCompiler(std::shared_ptr<Script> script) : script_(std::move(script)) {}

  base::Result<CompiledObject> Compile(const CompileRequest& request) override {
    ++script_->calls;
    while (script_->waits) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool fails_full = script_->full_fails && request.level == OptLevel::kFull;
    if (script_->fails || fails_full) {
      return CompileError(script_->failure, request.name, "as told");
    }
    return real_->Compile(request);
  }
  std::string identity() const override { return "scripted"; }

 private:
  std::shared_ptr<Script> script_;
  std::unique_ptr<SubprocessCompiler> real_ =
      SubprocessCompiler::Create({.headers = TestHeaders()}).ValueOrDie();
};

// Programs of the emulated GPU: what the cache does is the same for every accelerator.
class ProgramCacheTest : public testing::Test {
 protected:
  std::unique_ptr<ProgramCache> Make(ProgramCacheOptions options = {}) {
    options.directory = folder_.path();
    options.headers = TestHeaders();
    return std::make_unique<ProgramCache>(options, device_.get(),
                                          std::make_unique<ScriptedCompiler>(script_));
  }
  ProgramCache::Loaded Await(ProgramCache* cache, const std::string& text) {
    for (;;) {
      auto found = cache->Find("add", text).ValueOrDie();
      if (found != nullptr) return found;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  TestFolder folder_;
  std::shared_ptr<ScriptedCompiler::Script> script_ = std::make_shared<ScriptedCompiler::Script>();
  std::unique_ptr<device::Accelerator> device_ = device::MakeEmulatedDevice().ValueOrDie();
};

TEST_F(ProgramCacheTest, ATextIsCompiledOnceInMemoryAndOnDisk) {
  {
    auto cache = Make();
    const auto first = cache->Get("add", AddingKernel(1)).ValueOrDie();
    const auto again = cache->Get("add", AddingKernel(1)).ValueOrDie();
    EXPECT_EQ(first, again);
    EXPECT_EQ(cache->stats().compiles_fast, 1);
    EXPECT_EQ(cache->stats().memory_hits, 1);
    EXPECT_EQ(cache->stats().disk_ms, 0);
    EXPECT_GT(cache->stats().load_ms, 0);
  }
  auto cache = Make();
  ASSERT_TRUE(cache->Get("add", AddingKernel(1)).ok());
  EXPECT_EQ(cache->stats().compiles_fast, 0);
  EXPECT_EQ(cache->stats().disk_hits, 1);
  EXPECT_GT(cache->stats().disk_ms, 0);
}

TEST_F(ProgramCacheTest, FindDoesNotWaitAndAllShareOneCompile) {
  auto cache = Make();
  script_->waits = true;
  EXPECT_EQ(cache->Find("add", AddingKernel(1)).ValueOrDie(), nullptr);
  EXPECT_EQ(cache->Find("add", AddingKernel(1)).ValueOrDie(), nullptr);
  script_->waits = false;
  const auto waited = cache->Get("add", AddingKernel(1)).ValueOrDie();
  EXPECT_EQ(Await(cache.get(), AddingKernel(1)), waited);
  EXPECT_EQ(script_->calls, 1);
}

TEST_F(ProgramCacheTest, WhatIsQueuedWhenItGoesIsNotMade) {
  auto cache = Make({.threads = 1});
  script_->waits = true;
  constexpr int kQueued = 40;  // seconds of work
  for (int i = 0; i < kQueued; ++i) cache->Find("add", AddingKernel(i)).ValueOrDie();
  while (script_->calls == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::thread release([&] { script_->waits = false; });
  cache.reset();
  release.join();
  // One or two, unless this thread was held up.
  EXPECT_LT(script_->calls, kQueued / 2);
}

TEST_F(ProgramCacheTest, AFailureIsTriedAgainAfterAWhile) {
  script_->fails = true;
  script_->failure = ErrorCode::kCompilerCrashed;
  {
    auto cache = Make();
    EXPECT_EQ(CodeOf(cache->Get("k", "text").status()), ErrorCode::kCompilerCrashed);
    EXPECT_EQ(CodeOf(cache->Find("k", "text").status()), ErrorCode::kCompilerCrashed);
    EXPECT_EQ(script_->calls, 1);
  }
  auto cache = Make({.retry_after = std::chrono::milliseconds(0)});
  EXPECT_EQ(CodeOf(cache->Get("k", AddingKernel(1)).status()), ErrorCode::kCompilerCrashed);
  script_->fails = false;
  EXPECT_TRUE(cache->Get("k", AddingKernel(1)).ok());
}

TEST_F(ProgramCacheTest, AWrongTextIsNotTriedAgain) {
  auto cache = Make({.retry_after = std::chrono::milliseconds(0)});
  EXPECT_EQ(CodeOf(cache->Get("bad", "not C++").status()), ErrorCode::kCompileFailed);
  EXPECT_EQ(CodeOf(cache->Get("bad", "not C++").status()), ErrorCode::kCompileFailed);
  EXPECT_EQ(script_->calls, 1);
}

TEST_F(ProgramCacheTest, QuickCodeServesUntilThereIsFullCode) {
  const std::string text = AddingKernel(1);
  {
    auto cache = Make({.quick_first = true});
    cache->Prepare("add", text);
    const auto quick = cache->Get("add", text).ValueOrDie();
    cache->AwaitFull();
    EXPECT_EQ(cache->stats().compiles_fast, 1);
    EXPECT_EQ(cache->stats().compiles_full, 0);
    // It may be the full one already.
    ASSERT_TRUE(cache->Get("add", text).ok());
    cache->AwaitFull();
    EXPECT_EQ(cache->stats().compiles_full, 1);
    const auto full = cache->Get("add", text).ValueOrDie();
    EXPECT_NE(full, quick);
    EXPECT_EQ(cache->Find("add", text).ValueOrDie(), full);
    EXPECT_EQ(cache->Get("add", text).ValueOrDie(), full);
    EXPECT_EQ(script_->calls, 2);
    EXPECT_GE(cache->stats().compile_ms, cache->stats().compile_fast_ms);
    EXPECT_GT(cache->stats().compile_fast_ms, 0);
  }
  // A later process begins with the full one.
  auto cache = Make({.quick_first = true});
  const auto full = cache->Get("add", text).ValueOrDie();
  EXPECT_EQ(cache->Find("add", text).ValueOrDie(), full);
  EXPECT_EQ(cache->Get("add", text).ValueOrDie(), full);
  EXPECT_EQ(script_->calls, 2);
}

// Nobody waits for what Find does not find: it has no use for quick code.
TEST_F(ProgramCacheTest, FindMakesFullCode) {
  auto cache = Make({.quick_first = true});
  const auto full = Await(cache.get(), AddingKernel(1));
  EXPECT_EQ(cache->Get("add", AddingKernel(1)).ValueOrDie(), full);
  EXPECT_EQ(cache->stats().compiles_full, 1);
  EXPECT_EQ(cache->stats().compiles_fast, 0);
}

TEST_F(ProgramCacheTest, QuickCodeGoesOnWhereFullCodeFails) {
  std::vector<std::string> warnings;
  auto cache = Make({.quick_first = true,
                     .warn = [&](const std::string& warning) { warnings.push_back(warning); }});
  script_->full_fails = true;
  script_->failure = ErrorCode::kCompilerCrashed;
  const auto quick = cache->Get("add", AddingKernel(1)).ValueOrDie();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cache->Get("add", AddingKernel(1)).ValueOrDie(), quick);
    cache->AwaitFull();
  }
  EXPECT_EQ(script_->calls, 2);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("quick code"), std::string::npos) << warnings[0];
}

TEST_F(ProgramCacheTest, QuickCodeServesWhileFullCodeIsTriedAgain) {
  auto cache = Make({.quick_first = true, .retry_after = std::chrono::milliseconds(0)});
  script_->full_fails = true;
  script_->failure = ErrorCode::kCompilerCrashed;
  const auto quick = cache->Get("add", AddingKernel(1)).ValueOrDie();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cache->Get("add", AddingKernel(1)).ValueOrDie(), quick);
    cache->AwaitFull();
    EXPECT_FALSE(cache->HasFull(AddingKernel(1)));
  }
  EXPECT_EQ(script_->calls, 3);
  script_->full_fails = false;
  EXPECT_EQ(cache->Get("add", AddingKernel(1)).ValueOrDie(), quick);
  cache->AwaitFull();
  EXPECT_TRUE(cache->HasFull(AddingKernel(1)));
  EXPECT_NE(cache->Get("add", AddingKernel(1)).ValueOrDie(), quick);
}

TEST_F(ProgramCacheTest, TheLongestUnusedGoFirst) {
  auto cache = Make({.max_programs = 2});
  const auto held = cache->Get("add", AddingKernel(0)).ValueOrDie();
  for (int i = 1; i < 4; ++i) ASSERT_TRUE(cache->Get("add", AddingKernel(i)).ok());
  EXPECT_EQ(cache->stats().resident, 2);
  EXPECT_EQ(cache->Get("add", AddingKernel(0)).ValueOrDie(), held);
  EXPECT_EQ(script_->calls, 4);
}

}  // namespace
}  // namespace shadowvm::vkernel
