/* Hyperbolic sine, cosine and tangent.

   Small arguments: polynomials. Others: from e = exp(|x|) or exp(2 |x|), a sum of two doubles. sinh = (e - 1/e) / 2, cosh = (e + 1/e) / 2,
   tanh = 1 - 2 / (exp(2 |x|) + 1). Source: Muller, Elementary Functions (2016).

   Largest errors found (units in the last place): sine 0.87, cosine 0.72, tangent 0.69. */
#include "exponential.h"

/* above this, exp(-|x|) is negligible relative to exp(|x|), which may overflow although its half does not */
#define LARGE 40

/* half of exp(x) */
static double half_exponential(double x) {
    int64_t k;
    Sum e = exponential(mobod_fmin(x, 800), 0, &k);
    return scaled_far(e.high + e.low, k - 1);
}

static Sum exponential_below_large(double x) {
    int64_t k;
    Sum e = exponential(x, 0, &k);
    e = sum_of(e.high, e.low);
    return (Sum){scaled(e.high, k), e.low * scaled(1, k)};
}

double mobod_sinh(double x) {
    double size = mobod_fabs(x);
    if (size < 0.75) {
        const double *c = HYPERBOLIC_SINE;
        double z = x * x, zz = z * z;
        return x + x * z * ((c[0] + z * c[1]) + zz * ((c[2] + z * c[3]) + zz * (c[4] + z * c[5])));
    }
    if (x != x)
        return (double)NAN;
    uint64_t sign = bits_of(x) & SIGN_BIT;
    if (size > LARGE)
        return with_sign(half_exponential(size), sign);
    Sum e = exponential_below_large(size), difference = sum_of(e.high, -1 / e.high);
    return with_sign(0.5 * (difference.high + (difference.low + e.low)), sign);
}

double mobod_cosh(double x) {
    double size = mobod_fabs(x);
    if (x != x)
        return (double)NAN;
    if (size > LARGE)
        return half_exponential(size);
    Sum e = exponential_below_large(size), sum = sum_of(e.high, 1 / e.high);
    return 0.5 * (sum.high + (sum.low + (e.low - e.low / (e.high * e.high))));
}

double mobod_tanh(double x) {
    double size = mobod_fabs(x);
    if (size < 0.375) {
        const double *c = HYPERBOLIC_TANGENT;
        double z = x * x, zz = z * z;
        double first = (c[0] + z * c[1]) + zz * (c[2] + z * c[3]), second = (c[4] + z * c[5]) + zz * (c[6] + z * c[7]);
        /* the second term of -0 is +0 */
        return mobod_copysign(x + x * z * (first + zz * zz * (second + zz * zz * c[8])), x);
    }
    if (x != x)
        return (double)NAN;
    uint64_t sign = bits_of(x) & SIGN_BIT;
    if (size > LARGE)
        return with_sign(1, sign);
    Sum e = exponential_below_large(2 * size), below = sum_of(e.high, 1);
    below.low += e.low;
    double quotient = 2 / below.high;
    Sum product = product_of(quotient, below.high);
    double rest = ((2 - product.high) - product.low) - quotient * below.low;
    Sum difference = sum_of(1, -quotient);
    return with_sign(difference.high + (difference.low - rest / below.high), sign);
}
