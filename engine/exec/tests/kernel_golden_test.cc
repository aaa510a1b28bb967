// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/tests/goldens.h"
#include "engine/exec/tests/kernel_cases.h"
#include "engine/exec/tests/kernel_tables.h"

// The CPU's kernels. Each is compiled and run on the way, so no golden is one that a compiler would
// refuse. Those of a GPU are compared where they are run, in gpu_test.cc.
namespace shadowvm::exec {
namespace {

TEST(KernelGolden, StarSchemaBenchmark) {
  const auto engine = MakeTestEngine();
  AddSsbTables(engine.get());
  for (const std::string name : {"q1.1", "q2.1", "q3.2", "q4.3"}) {
    ExpectGolden("ssb_" + name, KernelsOf(engine.get(), SsbQuery(name)));
  }
}

TEST(KernelGolden, FormsOfBlueprints) {
  const auto engine = MakeTestEngine();
  AddSmallTables(engine.get());
  for (const KernelCase& one : SmallCases(1)) {
    SCOPED_TRACE(one.name);
    ExpectGolden(one.name, KernelsOf(engine.get(), one.frame, one.settings));
  }
}

}  // namespace
}  // namespace shadowvm::exec
