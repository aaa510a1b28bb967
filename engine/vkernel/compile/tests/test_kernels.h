// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "engine/base/tests/test_folder.h"
#include "engine/vkernel/compile/compiler.h"

namespace shadowvm::vkernel {

// A header set of our own: these tests are about compilers, not about verbs.
inline constexpr kernels::EmbeddedHeader kTestHeaders[] = {
    {"engine/kernels/common/base.h", "#pragma once\nusing i64 = long;\n"},
    {"engine/kernels/cpu/verbs.h",
     "#pragma once\n"
     "#include \"engine/kernels/common/base.h\"\n"
     "struct Pair { i64 in; i64 out; };\n"
     "__attribute__((always_inline)) inline i64 Twice(i64 x) { return 2 * x; }\n"},
};

inline HeaderSet TestHeaders() { return {kTestHeaders, "test headers"}; }

// A kernel that adds `addend` to twice its input.
inline std::string AddingKernel(int addend) {
  return "#include \"engine/kernels/cpu/verbs.h\"\n"
         "extern \"C\" void svm_kernel(void* argument) {\n"
         "  Pair* pair = static_cast<Pair*>(argument);\n"
         "  pair->out = Twice(pair->in) + " +
         std::to_string(addend) + ";\n}\n";
}

inline long Call(void (*entry)(void*), long in) {
  struct {
    long in, out;
  } pair{in, 0};
  entry(&pair);
  return pair.out;
}

using base::TestFolder;

}  // namespace shadowvm::vkernel
