// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/exec/gpu/gpu.h"
#include "engine/exec/query_context.h"
#include "engine/exec/state/hash_filler.h"

namespace shadowvm::exec {

// The program that fills tables by hash, as the cache of programs knows it: one for all of them.
inline constexpr char kHashBuildTitle[] = "table by hash";
inline constexpr char kHashBuildText[] =
    "#include \"engine/kernels/cuda/hash_build.h\"\n"
    "\n"
    "using namespace shadowvm::kernels;\n"
    "\n"
    "SVM_KERNEL_ENTRY(HashBuild) {\n"
    "  const HashBuild build = *svm_argument;\n"
    "  build_hash_table(build);\n"
    "}\n";

// Bytes that cross the link at most, but for those that tell which rows stay out.
int64_t HashBuildLinkBytes(int64_t rows, int key_words);

struct HashBuilt {
  HashFilled filled;
  GpuTimes times;
};

// Enters build rows on the device, of which there are some; 'takes_part' tells by row whether it
// does, null: all do. What the device has then stays there as copies of the host's buffers.
// kUnsupported when keys repeat too often, kOutOfMemory when the device has no room, kCancelled
// while it waits for its turn; slots are zeros then. Fault point exec.gpu.build.
base::Result<HashBuilt> BuildHashTable(Gpu* gpu, const device::Program& program,
                                       const HashFill& fill, const memory::Buffer* takes_part,
                                       const schedule::CancelToken* cancel = nullptr);

}  // namespace shadowvm::exec
