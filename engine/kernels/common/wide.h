// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Unsigned arithmetic of 256 bits, as far as decimals need it. Division is our own: that of the
// compiler for 128 bits is a call into its run-time library, which generated code does not link.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

struct Wide {
  u64 limb[4];  // least significant first
};

SVM_INLINE Wide wide_of(u128 v) { return Wide{{u64(v), u64(v >> 64), 0, 0}}; }
SVM_INLINE u128 low_half(const Wide& v) { return u128(v.limb[1]) << 64 | v.limb[0]; }
SVM_INLINE u128 high_half(const Wide& v) { return u128(v.limb[3]) << 64 | v.limb[2]; }

// v *= factor; returns what does not fit.
SVM_INLINE u64 wide_scale(Wide& v, u64 factor) {
  u64 carry = 0;
  for (u32 k = 0; k < 4; ++k) {
    const u128 product = u128(v.limb[k]) * factor + carry;
    v.limb[k] = u64(product);
    carry = u64(product >> 64);
  }
  return carry;
}

// a + b, of which the sum fits.
SVM_INLINE Wide wide_add(Wide a, const Wide& b) {
  u64 carry = 0;
  for (u32 k = 0; k < 4; ++k) {
    const u128 sum = u128(a.limb[k]) + b.limb[k] + carry;
    a.limb[k] = u64(sum);
    carry = u64(sum >> 64);
  }
  return a;
}

// a - b, a >= b.
SVM_INLINE Wide wide_subtract(Wide a, const Wide& b) {
  u64 borrow = 0;
  for (u32 k = 0; k < 4; ++k) {
    const u128 difference = u128(a.limb[k]) - b.limb[k] - borrow;
    a.limb[k] = u64(difference);
    borrow = u64(difference >> 64) & 1;
  }
  return a;
}

SVM_INLINE bool wide_less(const Wide& a, const Wide& b) {
  if (high_half(a) != high_half(b)) return high_half(a) < high_half(b);
  return low_half(a) < low_half(b);
}

SVM_INLINE Wide wide_multiply(u128 a, u128 b) {
  Wide low = wide_of(a), high = wide_of(a);
  wide_scale(low, u64(b));
  wide_scale(high, u64(b >> 64));
  return wide_add(low, Wide{{0, high.limb[0], high.limb[1], high.limb[2]}});
}

// high:low / divisor, high < divisor.
SVM_INLINE u64 divide_limb(u64 high, u64 low, u64 divisor, u64* remainder) {
#if defined(__x86_64__)
  u64 quotient;
  __asm__("divq %4" : "=a"(quotient), "=d"(*remainder) : "0"(low), "1"(high), "r"(divisor) : "cc");
  return quotient;
#else
  for (u32 bit = 0; bit < 64; ++bit) {
    const bool carry = high >> 63;
    high = high << 1 | low >> 63;
    low <<= 1;
    if (carry || high >= divisor) {
      high -= divisor;
      low |= 1;
    }
  }
  *remainder = high;
  return low;
#endif
}

// One digit of a long division: rest:next / divisor, where rest < divisor and the divisor's top bit
// is set.
SVM_INLINE u64 divide_digit(u128& rest, u64 next, u128 divisor) {
  const u64 top = u64(divisor >> 64);
  u64 digit = ~u64(0), left = 0;
  u128 over;
  if (u64(rest >> 64) < top) {
    digit = divide_limb(u64(rest >> 64), u64(rest), top, &left);
    over = left;
  } else {
    over = u128(u64(rest)) + top;  // rest's high limb equals top: rest - (2^64 - 1) * top
  }
  while (over >> 64 == 0 && u128(digit) * u64(divisor) > (over << 64 | next)) {
    --digit;
    over += top;
  }
  rest = (rest << 64 | next) - u128(digit) * divisor;
  return digit;
}

// v / divisor, divisor > 0.
SVM_FUNCTION Wide wide_divide(const Wide& v, u128 divisor, u128* remainder) {
  const u64 top = u64(divisor >> 64);
  const u32 shift = u32(top != 0 ? __builtin_clzl(top) : 64 + __builtin_clzl(u64(divisor)));
  u64 shifted[6] = {};
  for (u32 k = 0; k < 4; ++k) {
    const u128 pair = u128(v.limb[k]) << (shift & 63);
    shifted[k + shift / 64] |= u64(pair);
    shifted[k + shift / 64 + 1] |= u64(pair >> 64);
  }
  Wide quotient = {};
  u128 rest = 0;
  u32 k = 6;
  while (k > 0 && shifted[k - 1] == 0) --k;
  while (k-- > 0) {
    const u64 digit = divide_digit(rest, shifted[k], divisor << shift);
    if (k < 4) quotient.limb[k] = digit;
  }
  *remainder = rest >> shift;
  return quotient;
}

}  // namespace shadowvm::kernels
