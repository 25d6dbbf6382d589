/* Hyperbolic sine, cosine and tangent of doubles, by the methods of hyperbolic.h.

   Largest errors found (units in the last place): sine 0.87, cosine 0.72, tangent 0.69. */
#include "hyperbolic.h"

/* half of exp(x) */
static double half_exponential(double x) {
    Bits k;
    Sum e = exponential(mobod_fmin(x, 800), 0, &k);
    return scaled_far(e.high + e.low, (int64_t)k - 1);
}

double mobod_sinh(double x) {
    double size = mobod_fabs(x);
    if (size < SMALL_FOR_SINE)
        return hyperbolic_sine_of_small(x);
    if (x != x)
        return (double)NAN;
    uint64_t sign = bits_of(x) & SIGN_BIT;
    if (size > LARGE)
        return with_sign(half_exponential(size), sign);
    return with_sign(hyperbolic_sine(size), sign);
}

double mobod_cosh(double x) {
    double size = mobod_fabs(x);
    if (x != x)
        return (double)NAN;
    if (size > LARGE)
        return half_exponential(size);
    return hyperbolic_cosine(size);
}

double mobod_tanh(double x) {
    double size = mobod_fabs(x);
    if (size < SMALL_FOR_TANGENT)
        return hyperbolic_tangent_of_small(x);
    if (x != x)
        return (double)NAN;
    uint64_t sign = bits_of(x) & SIGN_BIT;
    if (size > LARGE)
        return with_sign(1, sign);
    return with_sign(hyperbolic_tangent(size), sign);
}
