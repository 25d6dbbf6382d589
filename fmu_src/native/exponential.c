/* Exponential function and logarithm.

   exp: exponential.h. log: x = 2^k m, sqrt(1/2) <= m < sqrt(2), f = m - 1, s = f / (2 + f), and with a polynomial R,
   log(m) = log((1 + s) / (1 - s)) = 2 s + s R(s^2) = f - f^2/2 + s (f^2/2 + R(s^2)): the rounded terms are much smaller than f. Source of
   the series in s: Muller, Elementary Functions (2016); Cody and Waite (1980), ch. 5.

   Largest errors found (units in the last place): exponential 0.80 (subnormal results; 0.70 otherwise), logarithm 0.87. */
#include "exponential.h"

static RARE double exp_rare(double x) {
    if (x != x)
        return (double)NAN;
    if (!(x < 800))
        return (double)INFINITY;
    if (!(x > -800))
        return 0;
    int64_t k;
    Sum e = exponential(x, 0, &k);
    return scaled_far(e.high + e.low, k);
}

double mobod_exp(double x) {
    if (!(mobod_fabs(x) < 708))
        return exp_rare(x);
    int64_t k;
    Sum e = exponential(x, 0, &k);
    return scaled(e.high + e.low, k);
}

/* the logarithm of 2^more times the number with these bits, which is positive and normal */
static inline double logarithm(uint64_t bits, double more) {
    const uint64_t root_half = UINT64_C(0x3fe6a09e667f3bcd);
    uint64_t biased = (bits + (ONE_BITS - root_half)) >> 52;
    double k = (double)(int)biased - 1023 + more;
    double f = double_of(bits - ((biased - 1023) << 52)) - 1;

    const double *c = LOGARITHM;
    double s = f / (2 + f), z = s * s, zz = z * z, half = 0.5 * f * f;
    double R = z * ((c[0] + z * c[1]) + zz * ((c[2] + z * c[3]) + zz * ((c[4] + z * c[5]) + zz * c[6])));
    Sum most = sum_of(k * LN2_HIGH, f);
    return most.high - (half - (s * (half + R) + (most.low + k * LN2_LOW)));
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
