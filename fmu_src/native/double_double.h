/* Numbers with twice the digits of a double, as sums of two, and the bits of doubles.

   Exact with rounding to nearest and without fused operations. Source: Dekker, A floating-point technique for extending the available
   precision, Numerische Mathematik 18 (1971). */
#ifndef MOBOD_DOUBLE_DOUBLE_H
#define MOBOD_DOUBLE_DOUBLE_H

#include "elementary.h"

/* the compiler must not fuse a multiplication with an addition (gcc: -ffp-contract=off) */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

/* for functions that are rarely called, so that they use no registers in frequent paths */
#if defined(__GNUC__)
#define RARE __attribute__((noinline, cold))
#else
#define RARE
#endif

#define SIGN_BIT UINT64_C(0x8000000000000000)
#define INFINITE_BITS UINT64_C(0x7ff0000000000000)
#define MANTISSA_BITS UINT64_C(0x000fffffffffffff)
#define ONE_BITS UINT64_C(0x3ff0000000000000)

/* added to a number below 2^51 and subtracted again, it rounds to an integer, which is in the lowest bits of the sum */
#define ROUNDING 0x1.8p52

/* high + low, low at most half a unit in the last place of high, or nearly so */
typedef struct {
    double high, low;
} Sum;

static inline uint64_t bits_of(double x) { return mobod_bits(x); }
static inline double double_of(uint64_t bits) { return mobod_double(bits); }
static inline uint64_t size_bits(double x) { return bits_of(x) & ~SIGN_BIT; }

/* x times 2^k, if both this and x are normal numbers */
static inline double scaled(double x, int64_t k) { return double_of(bits_of(x) + ((uint64_t)k << 52)); }

/* x with its sign changed where `sign` has SIGN_BIT */
static inline double with_sign(double x, uint64_t sign) { return double_of(bits_of(x) ^ sign); }

/* a where mask is all ones, b where it is 0 */
static inline double chosen(uint64_t mask, double a, double b) { return double_of((bits_of(a) & mask) | (bits_of(b) & ~mask)); }

/* a + b, where a is 0 or not smaller than b */
static inline Sum sum_of(double a, double b) {
    double high = a + b;
    return (Sum){high, (a - high) + b};
}

/* a b; the factors are split into halves of 26 and 27 bits by masks, which does not overflow */
static inline Sum product_of(double a, double b) {
    double a_high = double_of(bits_of(a) & ~UINT64_C(0x7ffffff)), a_low = a - a_high;
    double b_high = double_of(bits_of(b) & ~UINT64_C(0x7ffffff)), b_low = b - b_high;
    double high = a * b;
    return (Sum){high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

#endif
