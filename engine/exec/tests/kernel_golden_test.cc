// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/exec/tests/kernel_cases.h"
#include "engine/exec/tests/kernel_tables.h"

// Rendered kernels, compared letter by letter with the files in goldens/. Each is compiled and run
// on the way, so no text here is one that a compiler would refuse.
namespace shadowvm::exec {
namespace {

constexpr char kUpdate[] = "SHADOWVM_UPDATE_GOLDENS";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectGolden(const std::string& name, const std::vector<std::string>& kernels) {
  std::string text;
  for (const std::string& kernel : kernels) text += (text.empty() ? "" : "\n") + kernel;
  const std::string path = std::string(SHADOWVM_GOLDENS) + "/" + name + ".golden";
  if (std::getenv(kUpdate) != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(ReadFile(path), text) << "kernels of " << name << " are not those of " << path
                                  << "; if they should be, run this test with " << kUpdate << "=1";
}

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
