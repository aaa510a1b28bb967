// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/exec/gpu/gpu.h"
#include "engine/exec/query_context.h"

namespace shadowvm::exec {

// The program that sorts, as the cache of programs knows it: one for all sorts.
inline constexpr char kSortTitle[] = "sort by digits";
inline constexpr char kSortText[] =
    "#include \"engine/kernels/cuda/sort.h\"\n"
    "\n"
    "using namespace shadowvm::kernels;\n"
    "\n"
    "SVM_KERNEL_ENTRY(SortPass) {\n"
    "  const SortPass pass = *svm_argument;\n"
    "  sort_rows(pass);\n"
    "}\n";

// Where the digits begin that a sort goes through, the last one first: they hold every bit in which
// keys differ, and are as few as can be.
std::vector<int> DigitsOf(uint64_t different);

// Numbers the keys and writes the numbers in the order of the keys; equal keys stay in the order of
// their numbers. 'different' has all bits in which any two keys differ. Fewer than 2^32 - 1 keys.
// kOutOfMemory when the device has no room for them; kCancelled while it waits for its turn. Fault
// point exec.gpu.sort.
base::Result<GpuTimes> SortByDigits(Gpu* gpu, const device::Program& program,
                                    std::span<const uint64_t> keys, uint64_t different,
                                    uint32_t* numbers,
                                    const schedule::CancelToken* cancel = nullptr);

}  // namespace shadowvm::exec
