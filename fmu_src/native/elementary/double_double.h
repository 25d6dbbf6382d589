/* Numbers with twice the digits of a double, as sums of two, and the bits of doubles.

   Exact with rounding to nearest and without fused operations. Source: Dekker, A floating-point technique for extending the available
   precision, Numerische Mathematik 18 (1971).

   This header, and those that include it, are written over Number and Bits: doubles and their bits. In a file that defines OVER_LANES
   first, they are vectors, with one number in each lane (lanes_elementary.c). */
#ifndef MOBOD_DOUBLE_DOUBLE_H
#define MOBOD_DOUBLE_DOUBLE_H

#ifndef OVER_LANES
/* in a library with lanes, these functions are of doubles too */
#undef MOBOD_LANES
#endif
#include "number.h"

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

#ifdef OVER_LANES

typedef uint64_t Bits __attribute__((vector_size(8 * MOBOD_LANES)));

static inline Bits bits_of(Number x) { return (Bits)x; }
static inline Number double_of(Bits bits) { return (Number)bits; }
/* all ones where a > b, 0 elsewhere */
static inline Bits where_greater(Number a, Number b) { return (Bits)(a > b); }
/* of an integer below 2^52 */
static inline Number number_of_integer(Bits integer) { return (Number)(integer | (Bits)NUMBER(0x1p52)) - 0x1p52; }
/* the number in this row and column of a table */
static inline Number entry_of(const double (*table)[3], Bits row, int column) {
    Number entry;
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        entry[lane] = table[row[lane]][column];
    return entry;
}

#else

typedef uint64_t Bits;

static inline Bits bits_of(Number x) { return mobod_bits(x); }
static inline Number double_of(Bits bits) { return mobod_double(bits); }
static inline Bits where_greater(Number a, Number b) { return 0 - (Bits)(a > b); }
static inline Number number_of_integer(Bits integer) { return (Number)(int)integer; }
static inline Number entry_of(const double (*table)[3], Bits row, int column) { return table[row][column]; }

#endif

/* high + low, low at most half a unit in the last place of high, or nearly so */
typedef struct {
    Number high, low;
} Sum;

static inline Bits size_bits(Number x) { return bits_of(x) & ~SIGN_BIT; }

/* x times 2^k, if both this and x are normal numbers; k in two's complement */
static inline Number scaled(Number x, Bits k) { return double_of(bits_of(x) + (k << 52)); }

/* x with its sign changed where `sign` has SIGN_BIT */
static inline Number with_sign(Number x, Bits sign) { return double_of(bits_of(x) ^ sign); }

/* a where mask is all ones, b where it is 0 */
static inline Number chosen(Bits mask, Number a, Number b) { return double_of((bits_of(a) & mask) | (bits_of(b) & ~mask)); }

static inline Sum chosen_sum(Bits mask, Sum a, Sum b) {
#ifdef OVER_LANES
    return (Sum){chosen(mask, a.high, b.high), chosen(mask, a.low, b.low)};
#else
    return mask ? a : b;
#endif
}

/* a + b, where a is 0 or not smaller than b */
static inline Sum sum_of(Number a, Number b) {
    Number high = a + b;
    return (Sum){high, (a - high) + b};
}

/* a b; the factors are split into halves of 26 and 27 bits by masks, which does not overflow */
static inline Sum product_of(Number a, Number b) {
    Number a_high = double_of(bits_of(a) & ~UINT64_C(0x7ffffff)), a_low = a - a_high;
    Number b_high = double_of(bits_of(b) & ~UINT64_C(0x7ffffff)), b_low = b - b_high;
    Number high = a * b;
    return (Sum){high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

#endif
