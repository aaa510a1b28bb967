// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The frame around a sentence: shared memory is filled before it, and the block's groups are added
// to the device's after it. Quick code leaves bitmaps and groups where they are.

#include "engine/kernels/cuda/accumulate.h"
#include "engine/kernels/cuda/tile.h"

namespace shadowvm::kernels {

// A thread waits for several parts at once; quick code has few.
SVM_INLINE void copy_to_shared(u32 at, const void* from, u32 bytes) {
  constexpr u32 kTogether = kQuick ? 1 : 4;
  u8* const to = shared_memory() + at;
  const u32 step = 16 * block_threads();
  SVM_ROLLED for (u32 n = 16 * thread_in_block(); n < bytes; n += kTogether * step) {
    Words4 part[kTogether];
    SVM_UNROLL for (u32 k = 0; k < kTogether; ++k) {
      part[k] = stream_words4_if(n + k * step < bytes, static_cast<const u8*>(from) + n + k * step);
    }
    SVM_UNROLL for (u32 k = 0; k < kTogether; ++k) {
      if (n + k * step < bytes) store_words4(to + n + k * step, part[k]);
    }
  }
}

// All arrays that the host writes into the block: exec/gpu/launch_call.cc counts them.
SVM_INLINE void place_arrays(KernelCall& call) {
  call.columns = in_block(call.columns);
  call.ranges = in_block(call.ranges);
  call.passes = in_block(call.passes);
  call.directs = in_block(call.directs);
  call.hashes = in_block(call.hashes);
  call.payloads = in_block(call.payloads);
  call.literals = in_block(call.literals);
  call.lists = in_block(call.lists);
  call.translations = in_block(call.translations);
  call.order = in_block(call.order);
  call.strides = in_block(call.strides);
  call.origins = in_block(call.origins);
}

SVM_INLINE i64* shared_dense(const LaunchBlock* block) {
  return reinterpret_cast<i64*>(shared_memory() + block->dense_at);
}

// The launch's argument, with its arrays.
SVM_INLINE const LaunchBlock* take_argument(const LaunchBlock* argument) {
  copy_to_shared(0, argument, argument->block_bytes);
  block_sync();
  return reinterpret_cast<const LaunchBlock*>(shared_memory());
}

// Tables' bitmaps and, of a kernel with a sink of groups, the block's groups.
template <bool kGroups>
SVM_INLINE void fill_shared(const LaunchBlock* block) {
  const ResidentBits* const residents = in_block(block->residents);
  DirectView* const directs = const_cast<DirectView*>(in_block(block->call.directs));
  SVM_ROLLED for (u32 n = 0; n < block->num_residents; ++n) {
    copy_to_shared(residents[n].at, directs[residents[n].direct].bits, residents[n].bytes);
  }
  if (kGroups && block->dense_at != 0) {
    SVM_ROLLED for (u32 n = thread_in_block(); n < block->num_slots * block->row_words;
                    n += block_threads()) {
      shared_dense(block)[n] = in_block(block->initial)[n % block->row_words];
    }
  }
  block_sync();
  if (thread_in_block() == 0) {
    SVM_ROLLED for (u32 n = 0; n < block->num_residents; ++n) {
      directs[residents[n].direct].bits = shared_memory() + residents[n].at;
    }
  }
  block_sync();
}

template <bool kGroups>
SVM_INLINE void begin_kernel(DeviceCall& call, const LaunchBlock* argument) {
  const LaunchBlock* const block = take_argument(argument);
  if constexpr (!kQuick) fill_shared<kGroups>(block);
  static_cast<KernelCall&>(call) = block->call;
  place_arrays(call);
  call.block = block;
  if (kGroups && !kQuick && block->dense_at != 0) call.dense = shared_dense(block);
}

SVM_INLINE void merge_groups(DeviceCall& call, const LaunchBlock* block) {
  block_sync();
  SVM_ROLLED for (u32 slot = thread_in_block(); slot < block->num_slots; slot += block_threads()) {
    const i64* const from = shared_dense(block) + u64(slot) * block->row_words;
    if (from[0] == 0) continue;
    i64* const into = block->call.dense + u64(slot) * block->row_words;
    SVM_ROLLED for (u32 w = 0; w < block->row_words; ++w) {
      if (!merge_word(in_block(block->merge)[w], into + w, from + w)) raise(&call, kErrorOverflow);
    }
  }
}

template <bool kGroups>
SVM_INLINE void end_kernel(DeviceCall& call) {
  const LaunchBlock* const block = call.block;
  if constexpr (kGroups && !kQuick) {
    if (block->dense_at != 0) merge_groups(call, block);
  }
  if (call.error != 0) atomic_swap_if(block->error, 0u, call.error);
}

// The part that a block works on; there is one.
SVM_INLINE u32 part_of_block(const LaunchParts* parts) {
  u32 part = 0;
  while (block_number() >= parts->end_block[part]) ++part;
  return part;
}

// SVM_KERNEL(call) { … } is the kernel.
#define SVM_KERNEL(call)                                               \
  SVM_INLINE void svm_sentence(::shadowvm::kernels::DeviceCall* call); \
  SVM_KERNEL_ENTRY(::shadowvm::kernels::LaunchBlock) {                 \
    ::shadowvm::kernels::DeviceCall svm_call;                          \
    ::shadowvm::kernels::begin_kernel<true>(svm_call, svm_argument);   \
    SVM_EACH_TURN(svm_call) svm_sentence(&svm_call);                   \
    ::shadowvm::kernels::end_kernel<true>(svm_call);                   \
  }                                                                    \
  SVM_INLINE void svm_sentence(::shadowvm::kernels::DeviceCall* call)

// A kernel of several sentences: SVM_PART(0, call) { … }, SVM_PART(1, call) { … } and so on, then
// SVM_KERNEL_OF_PARTS { SVM_RUN_PART(0); SVM_RUN_PART(1); … }. Their sinks make tables, not groups.
#define SVM_PART(number, call) \
  SVM_INLINE void svm_part_##number(::shadowvm::kernels::DeviceCall* call)
#define SVM_KERNEL_OF_PARTS                                                           \
  SVM_INLINE void svm_parts(u32 svm_part, ::shadowvm::kernels::DeviceCall* call);     \
  SVM_KERNEL_ENTRY(::shadowvm::kernels::LaunchParts) {                                \
    const u32 svm_part = ::shadowvm::kernels::part_of_block(svm_argument);            \
    ::shadowvm::kernels::DeviceCall svm_call;                                         \
    ::shadowvm::kernels::begin_kernel<false>(svm_call, svm_argument->part[svm_part]); \
    SVM_EACH_TURN(svm_call) svm_parts(svm_part, &svm_call);                           \
    ::shadowvm::kernels::end_kernel<false>(svm_call);                                 \
  }                                                                                   \
  SVM_INLINE void svm_parts(u32 svm_part, ::shadowvm::kernels::DeviceCall* call)
#define SVM_RUN_PART(number) \
  if (svm_part == number) svm_part_##number(call)

}  // namespace shadowvm::kernels
