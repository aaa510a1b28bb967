// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/tests/kernel_tables.h"

// How groups are addressed shows in the kernel that was written for them.
namespace shadowvm::exec {
namespace {

using client::Col;
using client::Count;
using client::Frame;
using client::On;
using client::Table;

class KernelGrouping : public testing::Test {
 protected:
  KernelGrouping() : engine_(MakeTestEngine()) { AddSmallTables(engine_.get()); }

  // The kernel that groups: the last one, as nothing is sorted.
  std::string GroupingKernel(const Frame& frame) {
    const auto kernels = KernelsOf(engine_.get(), frame.Aggregate({Count().As("rows")}));
    return kernels.empty() ? "" : kernels.back();
  }
  std::string GroupingKernel(const client::GroupedFrame& frame) {
    const auto kernels = KernelsOf(engine_.get(), frame.Aggregate({Count().As("rows")}));
    return kernels.empty() ? "" : kernels.back();
  }

  void AddRange(const std::string& name, int32_t last) {
    const auto keys = Int32s(3, [&](int64_t i) { return i == 2 ? last : static_cast<int32_t>(i); });
    ASSERT_TRUE(engine_->AddTable(name, *MakeTable({{"k", keys}, {"l", keys}})).ok());
  }

  std::unique_ptr<Engine> engine_;
};

void ExpectWord(const std::string& text, const std::string& word) {
  EXPECT_NE(text.find(word), std::string::npos) << "no " << word << " in\n" << text;
}

TEST_F(KernelGrouping, NoKeysAreOneGroup) {
  ExpectWord(GroupingKernel(Table("sales")), "count_rows(group, t.count)");
}

TEST_F(KernelGrouping, SmallRangesAreDense) {
  ExpectWord(GroupingKernel(Table("sales").GroupBy({"store"})), "add_column_code(");
  ExpectWord(GroupingKernel(Table("sales").GroupBy({"shelf"})), "add_nullable_column_code(");
  ExpectWord(GroupingKernel(Table("sales").GroupBy({"city"})), "add_code(");
  ExpectWord(GroupingKernel(Table("sales").GroupBy({"village"})), "add_nullable_code(");
}

TEST_F(KernelGrouping, TheLimitOfSlots) {
  AddRange("fits", 65535);
  ExpectWord(GroupingKernel(Table("fits").GroupBy({"k"})), "count_slots(");
  AddRange("exceeds", 65536);
  ExpectWord(GroupingKernel(Table("exceeds").GroupBy({"k"})), "find_groups(");
}

TEST_F(KernelGrouping, TheProductOfKeysCounts) {
  AddRange("fits", 255);
  ExpectWord(GroupingKernel(Table("fits").GroupBy({"k", "l"})), "count_slots(");
  AddRange("exceeds", 256);
  ExpectWord(GroupingKernel(Table("exceeds").GroupBy({"k", "l"})), "find_groups(");
}

TEST_F(KernelGrouping, ColumnsOfAUniqueJoinAreItsCodes) {
  const Frame joined = Table("sales").Join(Table("store"), {On("store", "store_id")});
  const std::string text = GroupingKernel(joined.GroupBy({"region", "owner"}));
  ExpectWord(text, "add_join_code(");
  // One code stands for both columns, which are read from the build side afterwards.
  EXPECT_EQ(text.find("add_join_code("), text.rfind("add_join_code("));
  EXPECT_EQ(text.find("Payload"), std::string::npos);
  ExpectWord(
      GroupingKernel(
          Table("sales").Join(Table("store"), {On("serial", "serial_id")}).GroupBy({"region"})),
      "add_hash_join_code(");
}

TEST_F(KernelGrouping, WhatIsNoSmallCodeIsHashed) {
  ExpectWord(GroupingKernel(Table("sales").GroupBy({"note"})), "find_groups(");
  ExpectWord(GroupingKernel(Table("sales").GroupBy({"lot"})), "find_groups(");
  ExpectWord(GroupingKernel(Table("sales").GroupBy({{"next", Col("store") + 1}})), "find_groups(");
  // Several matches a row have no single code.
  ExpectWord(
      GroupingKernel(
          Table("sales").Join(Table("visit"), {On("store", "visit_store")}).GroupBy({"guest"})),
      "find_groups(");
}

}  // namespace
}  // namespace shadowvm::exec
