// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The compiler's own functions that common/ calls and NVRTC does not know, or only from some
// version on, by other names: it crashes on functions with the true ones.
#if defined(__CUDACC_RTC__)

namespace shadowvm::kernels {
// *out = value, of 64-bit operands; true when it does not fit.
template <class T>
__device__ inline bool overflows(__int128 value, T* out) {
  *out = T(value);
  return value != *out;
}
template <class T>
__device__ inline bool builtin_add_overflow(long a, long b, T* out) {
  return overflows(static_cast<__int128>(a) + b, out);
}
template <class T>
__device__ inline bool builtin_sub_overflow(long a, long b, T* out) {
  return overflows(static_cast<__int128>(a) - b, out);
}
template <class T>
__device__ inline bool builtin_mul_overflow(long a, long b, T* out) {
  return overflows(static_cast<__int128>(a) * b, out);
}
__device__ inline void builtin_memcpy(void* to, const void* from, unsigned long bytes) {
  memcpy(to, from, bytes);
}
__device__ inline int builtin_clzl(unsigned long v) { return __clzll(static_cast<long long>(v)); }
__device__ inline unsigned builtin_bswap32(unsigned v) { return __byte_perm(v, 0, 0x0123); }
__device__ inline double builtin_nan(const char*) {
  return __longlong_as_double(0x7ff8000000000000ll);
}
__device__ inline double builtin_fmod(double a, double b) { return fmod(a, b); }
__device__ inline float builtin_fmodf(float a, float b) { return fmodf(a, b); }
}  // namespace shadowvm::kernels

#define __builtin_add_overflow ::shadowvm::kernels::builtin_add_overflow
#define __builtin_sub_overflow ::shadowvm::kernels::builtin_sub_overflow
#define __builtin_mul_overflow ::shadowvm::kernels::builtin_mul_overflow
#define __builtin_memcpy ::shadowvm::kernels::builtin_memcpy
#define __builtin_clzl ::shadowvm::kernels::builtin_clzl
#define __builtin_bswap32 ::shadowvm::kernels::builtin_bswap32
#define __builtin_nan ::shadowvm::kernels::builtin_nan
#define __builtin_fmod ::shadowvm::kernels::builtin_fmod
#define __builtin_fmodf ::shadowvm::kernels::builtin_fmodf

#endif
