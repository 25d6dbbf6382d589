/* Hyperbolic sine, cosine and tangent of Numbers.

   Small arguments: polynomials. Others: from e = exp(|x|) or exp(2 |x|), a sum of two doubles. sinh = (e - 1/e) / 2, cosh = (e + 1/e) / 2,
   tanh = 1 - 2 / (exp(2 |x|) + 1). Source: Muller, Elementary Functions (2016). */
#ifndef MOBOD_HYPERBOLIC_H
#define MOBOD_HYPERBOLIC_H

#include "exponential.h"

/* above this, exp(-|x|) is negligible relative to exp(|x|), which may overflow although its half does not */
#define LARGE 40.0
/* below these, polynomials */
#define SMALL_FOR_SINE 0.75
#define SMALL_FOR_TANGENT 0.375

static inline Sum exponential_below_large(Number x) {
    Bits k;
    Sum e = exponential(x, NUMBER(0.0), &k);
    e = sum_of(e.high, e.low);
    return (Sum){scaled(e.high, k), e.low * scaled(NUMBER(1.0), k)};
}

static inline Number hyperbolic_sine_of_small(Number x) {
    const double *c = HYPERBOLIC_SINE;
    Number z = x * x, zz = z * z;
    return x + x * z * ((c[0] + z * c[1]) + zz * ((c[2] + z * c[3]) + zz * (c[4] + z * c[5])));
}

/* of positive numbers up to LARGE */
static inline Number hyperbolic_sine(Number x) {
    Sum e = exponential_below_large(x), difference = sum_of(e.high, -1.0 / e.high);
    return 0.5 * (difference.high + (difference.low + e.low));
}

/* of positive numbers up to LARGE */
static inline Number hyperbolic_cosine(Number x) {
    Sum e = exponential_below_large(x), sum = sum_of(e.high, 1.0 / e.high);
    return 0.5 * (sum.high + (sum.low + (e.low - e.low / (e.high * e.high))));
}

static inline Number hyperbolic_tangent_of_small(Number x) {
    const double *c = HYPERBOLIC_TANGENT;
    Number z = x * x, zz = z * z;
    Number first = (c[0] + z * c[1]) + zz * (c[2] + z * c[3]), second = (c[4] + z * c[5]) + zz * (c[6] + z * c[7]);
    /* the second term of -0 is +0 */
    return number_copysign(x + x * z * (first + zz * zz * (second + zz * zz * c[8])), x);
}

/* of positive numbers up to LARGE */
static inline Number hyperbolic_tangent(Number x) {
    Sum e = exponential_below_large(2.0 * x), below = sum_of(e.high, NUMBER(1.0));
    below.low += e.low;
    Number quotient = 2.0 / below.high;
    Sum product = product_of(quotient, below.high);
    Number rest = ((2.0 - product.high) - product.low) - quotient * below.low;
    Sum difference = sum_of(NUMBER(1.0), -quotient);
    return difference.high + (difference.low - rest / below.high);
}

#endif
