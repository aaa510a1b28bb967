// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "engine/device/emulated/emulated_device.h"
#include "engine/kernels/common/launch.h"
#include "engine/memory/mapping_pool.h"
#include "engine/vkernel/compile/clang_compiler.h"

// What the emulated device makes of a kernel's accesses to memory, and of lanes that are together.
namespace shadowvm::exec {
namespace {

using kernels::i64;
using kernels::u32;
using kernels::u64;

constexpr char kInclude[] =
    "#include \"engine/kernels/cuda/verbs.h\"\n"
    "using namespace shadowvm::kernels;\n";

// The argument of a launch, with one view of each kind and what some of them lead to. Arrays are
// found by their distance, as a launch has them.
struct Argument {
  kernels::LaunchBlock block;
  kernels::DirectView direct;
  kernels::HashView hash;
  kernels::PayloadView payload;
  kernels::ListView list;
  kernels::TranslationView translation;
  kernels::LiteralView literal;
  alignas(16) kernels::OutputView output;
  void* columns[1];
  u64 count;
  u32 error;
  alignas(16) u64 zeros[64];
};

// A warp of the emulated device, which runs one text.
class EmulatedKernel : public testing::Test {
 protected:
  static constexpr int64_t kPageBytes = 64 << 10;

  void SetUp() override {
    ASSERT_FALSE(vkernel::FindCompileWorker().empty()) << "shadowvm-compiler is not built";
    device_ = device::MakeEmulatedDevice().ValueOrDie();
    memory_ = device_->Allocate(sizeof(Argument)).ValueOrDie();
    stream_ = device_->MakeStream().ValueOrDie();
    pages_ = memory::Map(kPageBytes);
    argument_ = {};
    kernels::LaunchBlock& block = argument_.block;
    block.block_bytes = (sizeof(Argument) + 15) / 16 * 16;
    Find(&block.call.directs, offsetof(Argument, direct));
    Find(&block.call.hashes, offsetof(Argument, hash));
    Find(&block.call.payloads, offsetof(Argument, payload));
    Find(&block.call.lists, offsetof(Argument, list));
    Find(&block.call.translations, offsetof(Argument, translation));
    Find(&block.call.literals, offsetof(Argument, literal));
    Point(&block.error, offsetof(Argument, error));
  }
  void TearDown() override {
    if (pages_.data != nullptr) memory::Unmap(pages_);
  }

  void Compile(const std::string& sentence) {
    vkernel::ClangCompilerOptions options;
    options.prelude = "engine/kernels/cuda/verbs.h";
    options.timeout = std::chrono::minutes(1);
    const auto compiler = vkernel::ClangCompiler::Create(options).ValueOrDie();
    const auto object =
        compiler->Compile({"words", kInclude + ("SVM_KERNEL(call) {" + sentence + "}")});
    ASSERT_TRUE(object.ok()) << object.status();
    program_ = device_->Load("words", object->bytes).ValueOrDie();
  }

  base::Status Run() {
    EXPECT_TRUE(stream_->CopyIn(memory_.address(), &argument_, sizeof argument_).ok());
    EXPECT_TRUE(stream_->Launch(*program_, {1, 32, 8 << 10}, memory_.address()).ok());
    EXPECT_TRUE(stream_->CopyOut(&left_, memory_.address(), sizeof left_).ok());
    return stream_->Synchronize();
  }

  template <typename V>
  static void Find(V** array, size_t distance) {
    *array = reinterpret_cast<V*>(distance);
  }
  // At a part of the argument, in the device's memory; and at the host's.
  template <typename V>
  void Point(V** pointer, size_t distance) const {
    *pointer = reinterpret_cast<V*>(memory_.address() + distance);
  }
  template <typename V>
  void PointToHost(V** pointer) const {
    *pointer = reinterpret_cast<V*>(pages_.data);
  }

  std::unique_ptr<device::Accelerator> device_;
  device::DeviceMemory memory_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Program> program_;
  memory::Mapping pages_ = {};
  Argument argument_;
  Argument left_;  // by the last launch
};

// A pointer of the host is no address of the device, unless its pages are mapped.
TEST_F(EmulatedKernel, ReadsTheHostsMemoryOnlyWhereItIsMapped) {
  Compile("if (load(call->dense) == 42) call->error = 7;");
  *reinterpret_cast<i64*>(pages_.data) = 42;
  PointToHost(&argument_.block.call.dense);
  const base::Status refused = Run();
  EXPECT_NE(refused.message().find("not mapped"), std::string::npos) << refused;
  {
    const auto mapped = device_->MapHost(pages_.data, pages_.size).ValueOrDie();
    EXPECT_TRUE(Run().ok());
    EXPECT_EQ(left_.error, 7u);
  }
  EXPECT_FALSE(Run().ok());
}

TEST_F(EmulatedKernel, WritesToNoPageOfTheHost) {
  Compile("call->dense[0] = 1;");
  PointToHost(&argument_.block.call.dense);
  const auto mapped = device_->MapHost(pages_.data, pages_.size).ValueOrDie();
  const base::Status refused = Run();
  EXPECT_NE(refused.message().find("writes"), std::string::npos) << refused;
}

// Whatever a kernel is given leads to the device's memory, and is noticed where it does not.
TEST_F(EmulatedKernel, NoticesAPointerOfTheHostInEveryView) {
  Compile(R"(
    Keys<1> keys;
    keys.word[0][0] = 7;
    bool found = false;
    if (lane_number() == 0) switch (call->num_steps) {
      case 0: found = exists(call->directs[0], 3); break;
      case 1: found = row_of_key(call->directs[0], 3) == 5; break;
      case 2: found = find_row(call->hashes[0], keys, 0, 7) == 5; break;
      case 3: found = same_key(keys, 0, call->hashes[0].keys); break;
      case 4: found = Payload<i32>(call->payloads[0])[3] == 5; break;
      case 5: found = CodePayload(call->payloads[0])[3].size == 5; break;
      case 6: found = AnyPayload(call->payloads[0]).valid(3); break;
      case 7: found = list_contains(call->lists[0], i64(7)); break;
      case 8: found = call->translations[0].ids[3] == 5; break;
      case 9: found = text_equal(call->literals[0].text, make_text("0123456789", 10)); break;
      case 10: call->place = 0, *output_column<i64>(call, 0) = 5; break;
      case 11: atomic_add(&call->output->count, u64(1)); break;
      case 12: found = find_group(call->block, keys, 7) == nullptr; break;
      case 13: sum_i64(call->dense, 5); break;
      case 14: min_i64(call->dense, 5); break;
      case 15: max_double(call->dense, 5); break;
      case 16: count_row(call->dense); break;
      case 17: enter_key(call, 3); break;
      case 18: enter_key_of_group(call, 3, 0); break;
    }
    if (found) call->error = 7;
  )");
  Argument& a = argument_;
  kernels::LaunchBlock& block = a.block;
  using Pointer = std::byte*;  // where it is held
  const auto at = [](auto* pointer) { return reinterpret_cast<Pointer>(pointer); };
  const auto set = [](Pointer pointer, const void* to) { std::memcpy(pointer, &to, sizeof to); };
  const std::vector<Pointer> pointers[] = {
      {at(&a.direct.bits)},
      {at(&a.direct.rows)},
      {at(&a.hash.slots)},
      {at(&a.hash.keys)},
      {at(&a.payload.data)},
      {at(&a.payload.data), at(&a.payload.texts)},
      {at(&a.payload.valid)},
      {at(&a.list.integers)},
      {at(&a.translation.ids)},
      {at(&a.literal.text.data)},
      {at(&a.columns[0])},
      {at(&block.call.output)},
      {at(&block.groups.slots), at(&block.groups.count), at(&block.groups.rows)},
      {at(&block.call.dense)},
      {at(&block.call.dense)},
      {at(&block.call.dense)},
      {at(&block.call.dense)},
      {at(&block.table.bits)},
      {at(&block.table.codes), at(&block.table.numbers), at(&block.table.groups),
       at(&block.table.found)},
  };
  for (const auto& of_case : pointers) {
    auto free = memory_.address() + offsetof(Argument, zeros);
    for (const Pointer pointer : of_case) {
      set(pointer, reinterpret_cast<const void*>(free));
      free += 64;
    }
  }
  Point(&block.call.output, offsetof(Argument, output));
  Point(&a.output.columns, offsetof(Argument, columns));
  a.direct.size = 8;
  a.list.count = 2;
  a.literal.text = {a.literal.text.data, 10, 0x33323130};
  block.groups.capacity = 1;
  block.groups.row_words = 2;
  block.table.size = 8;
  for (const auto& of_case : pointers) {
    block.call.num_steps = static_cast<u32>(&of_case - pointers);
    SCOPED_TRACE(block.call.num_steps);
    const base::Status fine = Run();
    EXPECT_TRUE(fine.ok()) << fine;
    for (const Pointer pointer : of_case) {
      const Argument right = argument_;
      set(pointer, std::memset(pages_.data, 0, kPageBytes));
      const base::Status refused = Run();
      EXPECT_NE(refused.message().find("memory of the host"), std::string::npos)
          << &pointer - of_case.data() << ": " << refused;
      argument_ = right;
    }
  }
}

// Lanes that take the same way are together, however late some of them come.
TEST_F(EmulatedKernel, LanesAreTogetherWhereTheyGoTheSameWay) {
  Compile(R"(
    const u32 lane = lane_number();
    if (lane == 9) return;
    u32 lanes = 0, others = 0;
    if (lane % 4 == 0) lanes = lanes_here();
    for (u32 turn = 0; turn < lane % 4; ++turn) others = lanes_here();
    i64* const seen = call->dense + lane;
    *seen = i64(lanes) << 32 | others;
  )");
  Point(&argument_.block.call.dense, offsetof(Argument, zeros));
  const base::Status status = Run();
  ASSERT_TRUE(status.ok()) << status;
  for (u32 lane = 0; lane < 32; ++lane) {
    SCOPED_TRACE(lane);
    const u32 expected[] = {0, 0xeeeeecee, 0xcccccccc, 0x88888888};
    if (lane == 9) {
      EXPECT_EQ(left_.zeros[lane], 0u);
    } else if (lane % 4 == 0) {
      EXPECT_EQ(left_.zeros[lane], u64{0x11111111} << 32);
    } else {
      EXPECT_EQ(left_.zeros[lane], expected[lane % 4]);
    }
  }
}

// The one group of an aggregate without keys: what lanes add up before one of them adds it.
TEST_F(EmulatedKernel, LanesAddUpBeforeTheyAdd) {
  Compile(R"(
    const SingleGroup group(call);
    const i64 lane = lane_number();
    if (lane % 2 == 1) sum_i64(group + 0, lane << 40 | lane);
    if (lane < 8) count_row(group + 1);
    sum_i64_checked(call, group + 2, (lane % 3 - 1) * (lane + (i64(1) << 61)));
    if (call->num_steps == 1 && lane > 20) sum_i64_checked(call, group + 3, i64(1) << 60);
  )");
  Point(&argument_.block.call.dense, offsetof(Argument, zeros));
  ASSERT_TRUE(Run().ok());
  i64 odd = 0, checked = 0;
  for (i64 lane = 0; lane < 32; ++lane) {
    if (lane % 2 == 1) odd += lane << 40 | lane;
    checked += (lane % 3 - 1) * (lane + (i64{1} << 61));
  }
  EXPECT_EQ(left_.zeros[0], static_cast<u64>(odd));
  EXPECT_EQ(left_.zeros[1], 8u);
  EXPECT_EQ(static_cast<i64>(left_.zeros[2]), checked);
  EXPECT_EQ(left_.error, 0u);
  argument_.block.call.num_steps = 1;
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(left_.error, kernels::kErrorOverflow);
}

// Keys that meet in a warp: one lane sets the bits of all, and sees which came twice.
TEST_F(EmulatedKernel, KeysThatMeetInAWarp) {
  Compile(R"(
    const u32 lane = lane_number();
    const i64 key = call->num_steps == 0 ? 3 * lane : lane / 2;
    if (lane < 20) enter_key_of_group(call, key, lane % 3);
  )");
  kernels::LaunchTable& table = argument_.block.table;
  Point(&table.bits, offsetof(Argument, zeros));
  Point(&table.numbers, offsetof(Argument, zeros[8]));
  Point(&table.groups, offsetof(Argument, zeros[16]));
  Point(&table.found, offsetof(Argument, zeros[24]));
  Point(&table.codes, offsetof(Argument, zeros[32]));
  table.size = 96;
  ASSERT_TRUE(Run().ok());
  const auto* codes = reinterpret_cast<const kernels::u16*>(&left_.zeros[32]);
  const auto* found = reinterpret_cast<const kernels::TableFound*>(&left_.zeros[24]);
  EXPECT_EQ(left_.zeros[0], 0x0249249249249249u);
  EXPECT_EQ(found->num_groups, 3u);
  EXPECT_EQ(found->repeated, 0u);
  for (int lane = 0; lane < 20; ++lane) EXPECT_EQ(codes[3 * lane], codes[3 * (lane % 3)]) << lane;
  argument_.block.call.num_steps = 1;
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(left_.zeros[0], 0x3ffu);
  EXPECT_EQ(found->repeated, 1u);
}

}  // namespace
}  // namespace shadowvm::exec
