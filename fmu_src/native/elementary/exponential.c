/* Exponential function and logarithm of doubles, by the methods of exponential.h.

   Largest errors found (units in the last place): exponential 0.80 (subnormal results; 0.70 otherwise), logarithm 0.87. */
#include "exponential.h"

static RARE double exp_rare(double x) {
    if (x != x)
        return (double)NAN;
    if (!(x < 800))
        return (double)INFINITY;
    if (!(x > -800))
        return 0;
    Bits k;
    Sum e = exponential(x, 0, &k);
    return scaled_far(e.high + e.low, (int64_t)k);
}

double mobod_exp(double x) {
    if (!(mobod_fabs(x) < LARGEST_EXPONENT))
        return exp_rare(x);
    Bits k;
    Sum e = exponential(x, 0, &k);
    return scaled(e.high + e.low, k);
}

static RARE double log_rare(double x) {
    if (x == 0)
        return -(double)INFINITY;
    if (x != x || x < 0)
        return (double)NAN;
    return x < DBL_MIN ? logarithm(bits_of(x * 0x1p52), -52) : x;
}

double mobod_log(double x) {
    uint64_t bits = bits_of(x);
    if (bits - bits_of(DBL_MIN) >= INFINITE_BITS - bits_of(DBL_MIN))
        return log_rare(x);
    return logarithm(bits, 0);
}
