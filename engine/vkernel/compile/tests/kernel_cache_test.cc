// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/kernel_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <latch>
#include <thread>

#include "engine/base/fault.h"
#include "engine/kernels/common/abi.h"
#include "engine/vkernel/compile/subprocess_compiler.h"
#include "engine/vkernel/compile/tests/test_kernels.h"

namespace shadowvm::vkernel {
namespace {

namespace fs = std::filesystem;
using base::CodeOf;
using base::ErrorCode;
using base::Result;

KernelCacheOptions OptionsIn(const std::string& directory) {
  KernelCacheOptions options;
  options.directory = directory;
  options.headers = TestHeaders();
  options.background_full = false;
  options.timeout = std::chrono::minutes(5);  // a busy machine is no error
  return options;
}

std::unique_ptr<KernelCache> Make(const KernelCacheOptions& options) {
  auto cache = KernelCache::Create(options);
  EXPECT_TRUE(cache.ok()) << cache.status();
  return std::move(*cache);
}

long RunFrom(KernelCache* cache, int addend) {
  auto slot = cache->Get("adding", AddingKernel(addend));
  EXPECT_TRUE(slot.ok()) << slot.status();
  return slot.ok() ? Call((*slot)->entry(), 100) : -1;
}

// A compiler that does as the test says, with a real one behind it.
class ScriptedCompiler : public Compiler {
 public:
  using Script = std::function<Result<CompiledObject>(const CompileRequest&, Compiler* real)>;

  explicit ScriptedCompiler(Script script, std::string identity = "scripted")
      : script_(std::move(script)),
        identity_(std::move(identity)),
        real_(*SubprocessCompiler::Create({.headers = TestHeaders()})) {}

  Result<CompiledObject> Compile(const CompileRequest& request) override {
    return script_(request, real_.get());
  }
  std::string identity() const override { return identity_; }

 private:
  Script script_;
  std::string identity_;
  std::unique_ptr<SubprocessCompiler> real_;
};

std::unique_ptr<Compiler> Working() {
  return std::make_unique<ScriptedCompiler>(
      [](const CompileRequest& request, Compiler* real) { return real->Compile(request); },
      "working");
}

std::unique_ptr<Compiler> Failing(ErrorCode code, std::atomic<int>* calls) {
  return std::make_unique<ScriptedCompiler>(
      [=](const CompileRequest& request, Compiler*) -> Result<CompiledObject> {
        ++*calls;
        return CompileError(code, request.name, "as the test says");
      },
      "failing");
}

template <typename... C>
std::vector<std::unique_ptr<Compiler>> Chain(C... compilers) {
  std::vector<std::unique_ptr<Compiler>> chain;
  (chain.push_back(std::move(compilers)), ...);
  return chain;
}

TEST(KernelCacheTest, TheSecondTimeComesFromMemory) {
  const TestFolder folder;
  auto cache = Make(OptionsIn(folder.path()));
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);
  EXPECT_EQ(RunFrom(cache.get(), 2), 202);
  const KernelCacheStats stats = cache->stats();
  EXPECT_EQ(stats.compiles_fast, 2);
  EXPECT_EQ(stats.memory_hits, 1);
  EXPECT_EQ(stats.disk_hits, 0);
  EXPECT_GT(stats.compile_ms, 0);
  EXPECT_EQ(stats.disk_warning, "");
}

TEST(KernelCacheTest, AfterARestartNothingIsCompiled) {
  const TestFolder folder;
  EXPECT_EQ(RunFrom(Make(OptionsIn(folder.path())).get(), 1), 201);
  auto cache = Make(OptionsIn(folder.path()));
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);
  EXPECT_EQ(cache->stats().compiles_fast, 0);
  EXPECT_EQ(cache->stats().disk_hits, 1);
}

TEST(KernelCacheTest, AClearedOneCompilesAgain) {
  const TestFolder folder;
  auto cache = Make(OptionsIn(folder.path()));
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);
  EXPECT_EQ(cache->stats().resident, 1);
  cache->Clear();
  EXPECT_EQ(cache->stats().resident, 0);
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);
  EXPECT_EQ(cache->stats().compiles_fast, 2);
  EXPECT_EQ(cache->stats().disk_hits, 0);
}

TEST(KernelCacheTest, TwoCachesShareAFolder) {
  const TestFolder folder;
  auto first = Make(OptionsIn(folder.path()));
  auto second = Make(OptionsIn(folder.path()));
  EXPECT_EQ(RunFrom(first.get(), 1), 201);
  EXPECT_EQ(RunFrom(second.get(), 1), 201);
  EXPECT_EQ(second->stats().compiles_fast, 0);
}

TEST(KernelCacheTest, TwoProcessesShareAFolder) {
  const TestFolder folder;
  auto work = [&] {
    for (int i = 0; i < 4; ++i) {
      if (RunFrom(Make(OptionsIn(folder.path())).get(), i) != 200 + i) return 1;
    }
    return 0;
  };
  const pid_t other = ::fork();
  if (other == 0) ::_exit(work());
  EXPECT_EQ(work(), 0);
  int status = -1;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
  auto cache = Make(OptionsIn(folder.path()));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(RunFrom(cache.get(), i), 200 + i);
  EXPECT_EQ(cache->stats().disk_hits, 4);
  EXPECT_EQ(cache->stats().corrupt_dropped, 0);
}

TEST(KernelCacheTest, OtherHeadersMeanOtherKernels) {
  const TestFolder folder;
  EXPECT_EQ(RunFrom(Make(OptionsIn(folder.path())).get(), 1), 201);
  KernelCacheOptions options = OptionsIn(folder.path());
  options.headers.hash = "others";
  auto cache = Make(options);
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);
  EXPECT_EQ(cache->stats().compiles_fast, 1);
}

TEST(KernelCacheTest, ADamagedEntryIsCompiledAgain) {
  const TestFolder folder;
  EXPECT_EQ(RunFrom(Make(OptionsIn(folder.path())).get(), 1), 201);
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  }
  auto cache = Make(OptionsIn(folder.path()));
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);
  EXPECT_EQ(cache->stats().corrupt_dropped, 1);
  EXPECT_EQ(cache->stats().compiles_fast, 1);
}

TEST(KernelCacheTest, AFolderThatCannotBeUsedIsAWarning) {
  for (const char* directory : {"/proc/no/such", "/dev/null/below"}) {
    auto cache = Make(OptionsIn(directory));
    EXPECT_EQ(RunFrom(cache.get(), 1), 201);
    EXPECT_NE(cache->stats().disk_warning, "");
  }
}

TEST(KernelCacheTest, AFullDiskIsCountedAndWarnsOnce) {
  const TestFolder folder;
  auto cache = Make(OptionsIn(folder.path()));
  ASSERT_TRUE(base::ArmFaults("cache.write=always:enospc").ok());
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);
  EXPECT_EQ(RunFrom(cache.get(), 2), 202);
  base::DisarmFaults();
  EXPECT_EQ(cache->stats().disk_write_failures, 2);
  EXPECT_NE(cache->stats().disk_warning, "");
}

TEST(KernelCacheTest, FaultsOfTheDiskNeverFailAKernel) {
  const TestFolder folder;
  EXPECT_EQ(RunFrom(Make(OptionsIn(folder.path())).get(), 1), 201);
  for (const char* point : {"cache.mkdir", "cache.read", "cache.write"}) {
    ASSERT_TRUE(base::ArmFaults(std::string(point) + "=always:error").ok());
    EXPECT_EQ(RunFrom(Make(OptionsIn(folder.path())).get(), 1), 201) << point;
    base::DisarmFaults();
  }
}

TEST(KernelCacheTest, FaultsOfCompilersAndLoadingAreErrorsAndPass) {
  const TestFolder folder;
  auto cache = Make(OptionsIn(folder.path()));
  for (const char* point : {"compile.spawn", "compile.run", "compile.load"}) {
    ASSERT_TRUE(base::ArmFaults(std::string(point) + "=always:error").ok());
    EXPECT_FALSE(cache->Get("adding", AddingKernel(1)).ok()) << point;
    base::DisarmFaults();
    EXPECT_EQ(RunFrom(cache.get(), 1), 201) << point;
    cache = Make(OptionsIn(folder / point));
  }
}

TEST(KernelCacheTest, OneCompileServesAllThreads) {
  const TestFolder folder;
  auto cache = Make(OptionsIn(folder.path()));
  std::latch start(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      EXPECT_EQ(RunFrom(cache.get(), 7), 207);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache->stats().compiles_fast, 1);
}

TEST(KernelCacheTest, EveryWaiterGetsTheLog) {
  KernelCacheOptions options = OptionsIn("");
  options.use_disk = false;
  std::atomic<int> calls{0};
  std::atomic<int> asked{0};
  KernelCache cache(options, Chain(std::unique_ptr<Compiler>(std::make_unique<ScriptedCompiler>(
                                 [&](const CompileRequest& request, Compiler* real) {
                                   ++calls;
                                   while (asked < 8) std::this_thread::yield();
                                   std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                   return real->Compile(request);
                                 }))));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      ++asked;
      const auto failed = cache.Get("broken", "this_is_no_kernel;");
      EXPECT_EQ(CodeOf(failed.status()), ErrorCode::kCompileFailed);
      EXPECT_NE(failed.status().message().find("this_is_no_kernel"), std::string::npos);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(calls, 8);
}

TEST(KernelCacheTest, GetAllKeepsTheOrderAndNamesTheFailure) {
  const TestFolder folder;
  auto cache = Make(OptionsIn(folder.path()));
  std::vector<KernelText> texts;
  for (int i = 0; i < 5; ++i) texts.push_back({"k" + std::to_string(i), AddingKernel(i)});
  auto slots = cache->GetAll(texts);
  ASSERT_TRUE(slots.ok()) << slots.status();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Call((*slots)[i]->entry(), 0), i);
  texts[3].text = "nonsense;";
  const auto failed = cache->GetAll(texts);
  EXPECT_NE(failed.status().message().find("'k3'"), std::string::npos) << failed.status();
  EXPECT_TRUE(cache->GetAll({})->empty());
}

TEST(KernelCacheTest, FullCodeReplacesFastCode) {
  const TestFolder folder;
  KernelCacheOptions options = OptionsIn(folder.path());
  options.background_full = true;
  {
    auto cache = Make(options);
    auto slot = cache->Get("adding", AddingKernel(1));
    ASSERT_TRUE(slot.ok()) << slot.status();
    const KernelEntry fast = (*slot)->entry();
    cache->AwaitBackground();
    EXPECT_EQ((*slot)->level(), OptLevel::kFast) << "a kernel asked for once is not worth it";
    ASSERT_TRUE(cache->Get("adding", AddingKernel(1)).ok());
    cache->AwaitBackground();
    EXPECT_EQ((*slot)->level(), OptLevel::kFull);
    EXPECT_EQ(Call((*slot)->entry(), 100), 201);
    EXPECT_EQ(Call(fast, 100), 201) << "replaced code must stay callable";
    EXPECT_EQ(cache->stats().compiles_full, 1);
  }
  auto restarted = Make(options);
  auto slot = restarted->Get("adding", AddingKernel(1));
  ASSERT_TRUE(slot.ok()) << slot.status();
  EXPECT_EQ((*slot)->level(), OptLevel::kFull);
  restarted->AwaitBackground();
  EXPECT_EQ(restarted->stats().compiles_fast + restarted->stats().compiles_full, 0);
}

TEST(KernelCacheTest, AFailedFullCompileLeavesTheFastCode) {
  KernelCacheOptions options = OptionsIn("");
  options.use_disk = false;
  options.background_full = true;
  KernelCache cache(
      options, Chain(std::unique_ptr<Compiler>(std::make_unique<ScriptedCompiler>(
                   [](const CompileRequest& request, Compiler* real) -> Result<CompiledObject> {
                     if (request.level == OptLevel::kFast) return real->Compile(request);
                     return CompileError(ErrorCode::kCompilerCrashed, "x", "y");
                   }))));
  auto slot = cache.Get("adding", AddingKernel(1));
  ASSERT_TRUE(slot.ok()) << slot.status();
  ASSERT_TRUE(cache.Get("adding", AddingKernel(1)).ok());
  cache.AwaitBackground();
  EXPECT_EQ((*slot)->level(), OptLevel::kFast);
  EXPECT_EQ(Call((*slot)->entry(), 100), 201);
}

// Keeps rows 3 to 6 of eight and counts them: calls verbs of the library.
constexpr char kCountingKernel[] = R"(
#include "engine/kernels/cpu/verbs.h"
using namespace shadowvm::kernels;
extern "C" void svm_kernel(KernelCall* call) {
  const Column<u16> column(call->columns[0]);
  SVM_FOR_EACH_TILE(t, call) {
    keep_range(t, column, call->ranges[0]);
    SVM_END_STEPS(t, call);
    count_rows(call->dense, t.count);
  }
}
)";

long CountWith(const KernelSlot& kernel) {
  const uint16_t values[kernels::kTileRows] = {0, 1, 2, 3, 4, 5, 6, 7};
  const kernels::ColumnView column{values, nullptr, nullptr, 0, nullptr};
  const kernels::RangeView range{3, 3};
  long count = 0;
  kernels::KernelCall call{};
  call.columns = &column;
  call.ranges = &range;
  call.row_end = 8;
  call.dense = &count;
  kernel.entry()(&call);
  return count;
}

KernelCacheOptions WithRealVerbs(const std::string& directory) {
  KernelCacheOptions options = OptionsIn(directory);
  options.headers = EmbeddedHeaderSet();
  return options;
}

TEST(VerbLibraryTest, KernelsDoTheSameWithAndWithoutIt) {
  const TestFolder folder;
  auto without = Make(WithRealVerbs(folder.path() + "/without"));
  auto own_verbs = without->Get("counting", kCountingKernel);
  ASSERT_TRUE(own_verbs.ok()) << own_verbs.status();
  auto with = Make(WithRealVerbs(folder.path() + "/with"));
  with->Prewarm();
  with->AwaitWarm();
  auto linked = with->Get("counting", kCountingKernel);
  ASSERT_TRUE(linked.ok()) << linked.status();
  EXPECT_EQ(CountWith(**own_verbs), 4);
  EXPECT_EQ(CountWith(**linked), 4);
}

TEST(VerbLibraryTest, IsMadeOnceAndFoundOnDiskLater) {
  const TestFolder folder;
  // Kernels under sanitizers come from a subprocess and hold their own verbs.
  const int64_t once = HostSanitizers().empty() ? 1 : 0;
  for (const int64_t compiles : {once, int64_t{0}}) {
    auto cache = Make(WithRealVerbs(folder.path()));
    cache->Prewarm();
    cache->AwaitWarm();
    EXPECT_EQ(cache->stats().compiles_full, compiles);
  }
}

TEST(VerbLibraryTest, AFailureCostsTimeOnly) {
  const TestFolder folder;
  if (HostSanitizers().empty()) {
    ASSERT_TRUE(base::ArmFaults("compile.run=nth:1:error").ok());
  }
  auto cache = Make(WithRealVerbs(folder.path()));
  cache->Prewarm();
  cache->AwaitWarm();
  auto kernel = cache->Get("counting", kCountingKernel);
  base::DisarmFaults();
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(CountWith(**kernel), 4);
}

TEST(KernelCacheTest, MemoryIsBoundedAndSparesKernelsInUse) {
  KernelCacheOptions options = OptionsIn("");
  options.use_disk = false;
  options.max_kernels = 2;
  auto cache = Make(options);
  auto held = cache->Get("adding", AddingKernel(0));
  ASSERT_TRUE(held.ok()) << held.status();
  for (int i = 1; i < 4; ++i) EXPECT_EQ(RunFrom(cache.get(), i), 200 + i);
  EXPECT_EQ(RunFrom(cache.get(), 0), 200);  // in use all the time
  EXPECT_EQ(RunFrom(cache.get(), 3), 203);  // the last one
  EXPECT_EQ(cache->stats().memory_hits, 2);
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);  // dropped
  EXPECT_EQ(cache->stats().compiles_fast, 5);
}

TEST(KernelCacheTest, MemoryIsBoundedByBytes) {
  KernelCacheOptions options = OptionsIn("");
  options.use_disk = false;
  options.max_memory_bytes = 1;
  auto cache = Make(options);
  auto held = cache->Get("adding", AddingKernel(0));
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_GT((*held)->num_bytes(), 0);
  EXPECT_EQ(RunFrom(cache.get(), 1), 201);
  EXPECT_EQ(RunFrom(cache.get(), 2), 202);  // drops 1, spares what is held
  EXPECT_EQ(RunFrom(cache.get(), 0), 200);
  EXPECT_EQ(cache->stats().memory_hits, 1);
}

class FallbackTest : public testing::TestWithParam<ErrorCode> {};

TEST_P(FallbackTest, TheNextCompilerStandsIn) {
  KernelCacheOptions options = OptionsIn("");
  options.use_disk = false;
  std::atomic<int> calls{0};
  KernelCache cache(options, Chain(Failing(GetParam(), &calls), Working()));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(RunFrom(&cache, i), 200 + i);
  EXPECT_EQ(cache.stats().fallbacks, 5);
  EXPECT_EQ(calls, 3) << "a compiler that keeps failing is not asked for ever";
}

INSTANTIATE_TEST_SUITE_P(Codes, FallbackTest,
                         testing::Values(ErrorCode::kCompilerCrashed, ErrorCode::kCompilerTimeout,
                                         ErrorCode::kNoCompiler));

TEST(KernelCacheTest, AWrongTextIsNotTriedTwice) {
  KernelCacheOptions options = OptionsIn("");
  options.use_disk = false;
  std::atomic<int> calls{0};
  KernelCache cache(options, Chain(Failing(ErrorCode::kCompileFailed, &calls), Working()));
  EXPECT_EQ(CodeOf(cache.Get("k", AddingKernel(1)).status()), ErrorCode::kCompileFailed);
  EXPECT_EQ(cache.stats().fallbacks, 0);
}

TEST(KernelCacheTest, WhenAllFailOneErrorTellsBoth) {
  KernelCacheOptions options = OptionsIn("");
  options.use_disk = false;
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  KernelCache cache(options, Chain(Failing(ErrorCode::kCompilerCrashed, &first),
                                   Failing(ErrorCode::kCompilerTimeout, &second)));
  const auto failed = cache.Get("pipeline_4", AddingKernel(1));
  EXPECT_EQ(CodeOf(failed.status()), ErrorCode::kCompilerTimeout);
  const std::string message = failed.status().message();
  EXPECT_NE(message.find("pipeline_4"), std::string::npos) << message;
  EXPECT_NE(message.find("compiler crashed"), std::string::npos) << message;
  EXPECT_NE(message.find("compiler timed out"), std::string::npos) << message;
}

TEST(KernelCacheTest, NoCompilerAtAllIsOneClearError) {
  KernelCacheOptions options = OptionsIn("");
  options.worker_path = "/nowhere/worker";
  options.subprocess_program = "/nowhere/c++";
  const auto cache = KernelCache::Create(options);
  EXPECT_EQ(CodeOf(cache.status()), ErrorCode::kNoCompiler);
  EXPECT_NE(cache.status().message().find("/nowhere/c++"), std::string::npos) << cache.status();
}

}  // namespace
}  // namespace shadowvm::vkernel
