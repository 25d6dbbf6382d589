/* Powers of doubles, by the method of power.h.

   Largest errors found (units in the last place): 0.78 (subnormal results; 0.72 otherwise). */
#include "power.h"

/* of a finite number: 2: even, 1: odd, 0: not an integer */
static int parity(double y) {
    double size = mobod_fabs(y);
    if (size >= 0x1p53)
        return 2;
    if (mobod_floor(size) != size)
        return 0;
    return (uint64_t)size & 1 ? 1 : 2;
}

/* if x or y is zero, infinite or NaN, or x is negative */
static double power_of_special(double x, double y) {
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return (double)NAN;
    double size = mobod_fabs(x);
    if (size_bits(y) == INFINITE_BITS)
        return size == 1 ? 1 : (size > 1) == (y > 0) ? (double)INFINITY : 0;
    int kind = parity(y);
    uint64_t sign = kind == 1 ? bits_of(x) & SIGN_BIT : 0;
    if (size == 0 || size_bits(x) == INFINITE_BITS)
        return with_sign((size == 0) == (y > 0) ? 0 : (double)INFINITY, sign);
    return kind ? with_sign(mobod_pow(size, y), sign) : (double)NAN;
}

static RARE double pow_rare(double x, double y) {
    if (!(x > 0) || size_bits(x) >= INFINITE_BITS || size_bits(y) >= INFINITE_BITS || y == 0)
        return power_of_special(x, y);
    /* the remaining cases: subnormal x, huge y, results beyond the normal numbers. Results of larger y than 2^80 are 0, 1 or infinite */
    y = mobod_fmax(-0x1p80, mobod_fmin(0x1p80, y));
    Sum log_x = x < DBL_MIN ? logarithm_in_two(bits_of(x * 0x1p52), -52) : logarithm_in_two(bits_of(x), 0);
    Sum exponent = exponent_of(log_x, y);
    if (!(exponent.high < 800))
        return (double)INFINITY;
    if (!(exponent.high > -800))
        return 0;
    Bits k;
    Sum e = exponential(exponent.high, exponent.low, &k);
    return scaled_far(e.high + e.low, (int64_t)k);
}

double mobod_pow(double x, double y) {
    uint64_t bits = bits_of(x);
    /* x positive, normal and finite; |y| below 2^80 */
    if (bits - bits_of(DBL_MIN) >= INFINITE_BITS - bits_of(DBL_MIN) || !(mobod_fabs(y) < 0x1p80))
        return pow_rare(x, y);
    Sum exponent = exponent_of(logarithm_in_two(bits, 0), y);
    if (!(mobod_fabs(exponent.high) < LARGEST_EXPONENT))
        return pow_rare(x, y);
    Bits k;
    Sum e = exponential(exponent.high, exponent.low, &k);
    return scaled(e.high + e.low, k);
}
