/* The elementary functions of Numbers with several lanes: in each lane the bits of elementary.h.

   All lanes are computed by the text of the functions of doubles, over vectors. Lanes whose arguments are not common, such as huge ones,
   infinities and NaN, are then computed again, one by one, by the functions of doubles. */
#define OVER_LANES
#include "hyperbolic.h"
#include "inverse_trigonometric.h"
#include "power.h"
#include "trigonometric.h"

/* the result, with the lanes that are not common by the function of doubles */
static RARE Number with_others(Mask common, Number result, Number x, double (*function)(double)) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        if (!common[lane])
            result[lane] = function(x[lane]);
    return result;
}

static RARE Number with_others_of_two(Mask common, Number result, Number x, Number y, double (*function)(double, double)) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        if (!common[lane])
            result[lane] = function(x[lane], y[lane]);
    return result;
}

static RARE void sincos_of_others(Mask common, Number x, Number *sine, Number *cosine) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        if (!common[lane]) {
            double s, c;
            mobod_sincos(x[lane], &s, &c);
            (*sine)[lane] = s;
            (*cosine)[lane] = c;
        }
}

void number_sincos(Number x, Number *sine, Number *cosine) {
    Mask common = number_abs(x) < LARGEST_COMMON;
    Bits n;
    Sum r = reduced(x, &n);
    sine_and_cosine(r, n, sine, cosine);
    if (!all_lanes(common))
        sincos_of_others(common, x, sine, cosine);
}

Number number_sin(Number x) {
    Number sine, cosine;
    number_sincos(x, &sine, &cosine);
    return sine;
}

Number number_cos(Number x) {
    Number sine, cosine;
    number_sincos(x, &sine, &cosine);
    return cosine;
}

Number number_tan(Number x) {
    Number size = number_abs(x);
    Mask common = size < LARGEST_COMMON;
    Bits n;
    Sum r = reduced(x, &n);
    Number result = number_chosen(size < LARGEST_TANGENT_OF_ITSELF, x, tangent(r, n));
    return all_lanes(common) ? result : with_others(common, result, x, mobod_tan);
}

Number number_exp(Number x) {
    Mask common = number_abs(x) < LARGEST_EXPONENT;
    Bits k;
    Sum e = exponential(x, NUMBER(0.0), &k);
    Number result = scaled(e.high + e.low, k);
    return all_lanes(common) ? result : with_others(common, result, x, mobod_exp);
}

/* positive, normal and finite */
static inline Mask has_common_logarithm(Number x) { return (x >= DBL_MIN) & (x <= DBL_MAX); }

Number number_log(Number x) {
    Mask common = has_common_logarithm(x);
    Number result = logarithm(bits_of(x), 0);
    return all_lanes(common) ? result : with_others(common, result, x, mobod_log);
}

Number number_pow(Number x, Number y) {
    Sum exponent = exponent_of(logarithm_in_two(bits_of(x), 0), y);
    Mask common = has_common_logarithm(x) & (number_abs(y) < LARGEST_POWER) & (number_abs(exponent.high) < LARGEST_EXPONENT);
    Bits k;
    Sum e = exponential(exponent.high, exponent.low, &k);
    Number result = scaled(e.high + e.low, k);
    return all_lanes(common) ? result : with_others_of_two(common, result, x, y, mobod_pow);
}

Number number_sinh(Number x) {
    Number size = number_abs(x);
    Mask small = size < SMALL_FOR_SINE, common = size <= LARGE;
    Number result = hyperbolic_sine_of_small(x);
    if (!all_lanes(small))
        result = number_chosen(small, result, with_sign(hyperbolic_sine(size), bits_of(x) & SIGN_BIT));
    return all_lanes(common) ? result : with_others(common, result, x, mobod_sinh);
}

Number number_cosh(Number x) {
    Number size = number_abs(x);
    Mask common = size <= LARGE;
    Number result = hyperbolic_cosine(size);
    return all_lanes(common) ? result : with_others(common, result, x, mobod_cosh);
}

Number number_tanh(Number x) {
    Number size = number_abs(x);
    Mask small = size < SMALL_FOR_TANGENT, common = size <= LARGE;
    Number result = hyperbolic_tangent_of_small(x);
    if (!all_lanes(small))
        result = number_chosen(small, result, with_sign(hyperbolic_tangent(size), bits_of(x) & SIGN_BIT));
    return all_lanes(common) ? result : with_others(common, result, x, mobod_tanh);
}

Number number_asin(Number x) {
    Mask common = number_abs(x) <= 1.0;
    Number result = arc_sine(x);
    return all_lanes(common) ? result : with_others(common, result, x, mobod_asin);
}

Number number_acos(Number x) {
    Mask common = number_abs(x) <= 1.0;
    Number result = arc_cosine(x);
    return all_lanes(common) ? result : with_others(common, result, x, mobod_acos);
}

Number number_atan(Number x) {
    Number size = number_abs(x);
    Mask common = size < LARGEST_SIDE;
    Number result = number_chosen(size < SMALLEST_SIDE, x, angle_of(x, NUMBER(1.0)));
    return all_lanes(common) ? result : with_others(common, result, x, mobod_atan);
}

Number number_atan2(Number y, Number x) {
    Number y_size = number_abs(y), x_size = number_abs(x);
    Mask common = (y_size >= SMALLEST_SIDE) & (y_size < LARGEST_SIDE) & (x_size >= SMALLEST_SIDE) & (x_size < LARGEST_SIDE);
    Number result = angle_of(y, x);
    return all_lanes(common) ? result : with_others_of_two(common, result, y, x, mobod_atan2);
}
