/* The exponential function as a sum of two doubles, for the functions that use it. */
#ifndef MOBOD_EXPONENTIAL_H
#define MOBOD_EXPONENTIAL_H

#include "double_double.h"
#include "elementary_coefficients.h"

/* exp(x + x_low) = (high + low) 2^k, high + low between sqrt(1/2) and sqrt(2), low up to 0.08; |x| < 2000, |x_low| at most a unit in the
   last place of x. Cody and Waite, Software Manual for the Elementary Functions (1980), ch. 6: r = x - k log(2), and a polynomial instead
   of their rational function. The error of high + low is below 2^-57. */
static inline Sum exponential(double x, double x_low, int64_t *k) {
    double rounded = x * ONE_OVER_LN2 + ROUNDING, n = rounded - ROUNDING;
    *k = (int64_t)(bits_of(rounded) & MANTISSA_BITS) - (INT64_C(1) << 51);
    /* exact part, and the rest of log(2) */
    double rest = x - n * LN2_HIGH, more = n * LN2_LOW - x_low;
    double r = rest - more, r_low = (rest - r) - more;

    const double *c = EXPONENTIAL;
    double rr = r * r, rrrr = rr * rr;
    double first = (c[0] + r * c[1]) + rr * (c[2] + r * c[3]), second = (c[4] + r * c[5]) + rr * (c[6] + r * c[7]);
    double terms = rr * (first + rrrr * (second + rrrr * (c[8] + r * c[9])));
    Sum one_and_r = sum_of(1, r);
    return (Sum){one_and_r.high, one_and_r.low + (terms + (r_low + r_low * r))};
}

/* x 2^k for x between 1/2 and 2; the result may overflow, be subnormal, or be zero */
static inline double scaled_far(double x, int64_t k) {
    if (k > 1030)
        return (double)INFINITY;
    if (k < -1080)
        return 0;
    if (k > 1000)
        return scaled(x, k - 100) * 0x1p100;
    return k < -1000 ? scaled(x, k + 100) * 0x1p-100 : scaled(x, k);
}

#endif
