/* The exponential function as a sum of two Numbers, for the functions that use it, and the logarithm. */
#ifndef MOBOD_EXPONENTIAL_H
#define MOBOD_EXPONENTIAL_H

#include "double_double.h"
#include "elementary_coefficients.h"

/* below this, the exponential function and its inverse are normal numbers */
#define LARGEST_EXPONENT 708.0

/* exp(x + x_low) = (high + low) 2^k, k in two's complement, high + low between sqrt(1/2) and sqrt(2), low up to 0.08; |x| < 2000, |x_low|
   at most a unit in the last place of x. Cody and Waite, Software Manual for the Elementary Functions (1980), ch. 6: r = x - k log(2), and
   a polynomial instead of their rational function. The error of high + low is below 2^-57. */
static inline Sum exponential(Number x, Number x_low, Bits *k) {
    Number rounded = x * ONE_OVER_LN2 + ROUNDING, n = rounded - ROUNDING;
    *k = (bits_of(rounded) & MANTISSA_BITS) - (UINT64_C(1) << 51);
    /* exact part, and the rest of log(2) */
    Number rest = x - n * LN2_HIGH, more = n * LN2_LOW - x_low;
    Number r = rest - more, r_low = (rest - r) - more;

    const double *c = EXPONENTIAL;
    Number rr = r * r, rrrr = rr * rr;
    Number first = (c[0] + r * c[1]) + rr * (c[2] + r * c[3]), second = (c[4] + r * c[5]) + rr * (c[6] + r * c[7]);
    Number terms = rr * (first + rrrr * (second + rrrr * (c[8] + r * c[9])));
    Sum one_and_r = sum_of(NUMBER(1.0), r);
    return (Sum){one_and_r.high, one_and_r.low + (terms + (r_low + r_low * r))};
}

/* The logarithm of 2^more times the number with these bits, which is positive and normal.
   Its exponent is k, and m the rest, sqrt(1/2) <= m < sqrt(2); f = m - 1, s = f / (2 + f), and with a polynomial R,
   log(m) = log((1 + s) / (1 - s)) = 2 s + s R(s^2) = f - f^2/2 + s (f^2/2 + R(s^2)): the rounded terms are much smaller than f. Source of
   the series in s: Muller, Elementary Functions (2016); Cody and Waite (1980), ch. 5. */
static inline Number logarithm(Bits bits, double more) {
    const uint64_t root_half = UINT64_C(0x3fe6a09e667f3bcd);
    Bits biased = (bits + (ONE_BITS - root_half)) >> 52;
    Number k = number_of_integer(biased) - 1023.0 + more;
    Number f = double_of(bits - ((biased - 1023) << 52)) - 1.0;

    const double *c = LOGARITHM;
    Number s = f / (2.0 + f), z = s * s, zz = z * z, half = 0.5 * f * f;
    Number R = z * ((c[0] + z * c[1]) + zz * ((c[2] + z * c[3]) + zz * ((c[4] + z * c[5]) + zz * c[6])));
    Sum most = sum_of(k * LN2_HIGH, f);
    return most.high - (half - (s * (half + R) + (most.low + k * LN2_LOW)));
}

#ifndef OVER_LANES
/* x 2^k for x between 1/2 and 2; the result may overflow, be subnormal, or be zero */
static inline double scaled_far(double x, int64_t k) {
    if (k > 1030)
        return (double)INFINITY;
    if (k < -1080)
        return 0;
    if (k > 1000)
        return scaled(x, (Bits)(k - 100)) * 0x1p100;
    return k < -1000 ? scaled(x, (Bits)(k + 100)) * 0x1p-100 : scaled(x, (Bits)k);
}
#endif

#endif
