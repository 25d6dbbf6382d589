/* The elementary functions of Numbers with several lanes: in each lane the bits of elementary.h.

   All lanes are computed by the text of the functions of doubles, over vectors. Lanes whose arguments are not common, such as huge ones,
   infinities and NaN, are then computed again, one by one, by the functions of doubles. */
#ifndef MOBOD_LANES /* which a library of kernels defines for all files */
#define MOBOD_LANES MOBOD_WIDTH
#endif
#define OVER_LANES
#include "hyperbolic.h"
#include "inverse_trigonometric.h"
#include "power.h"
#include "trigonometric.h"

/* the result, with the lanes that are not common (bits) by the function of doubles */
static RARE Number with_others(int common, Number result, Number x, double (*function)(double)) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        if (!(common >> lane & 1))
            result[lane] = function(x[lane]);
    return result;
}

static RARE Number with_others_of_two(int common, Number result, Number x, Number y, double (*function)(double, double)) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        if (!(common >> lane & 1))
            result[lane] = function(x[lane], y[lane]);
    return result;
}

static RARE void sincos_of_others(int common, Number x, Number *sine, Number *cosine) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        if (!(common >> lane & 1)) {
            double s, c;
            mobod_sincos(x[lane], &s, &c);
            (*sine)[lane] = s;
            (*cosine)[lane] = c;
        }
}

void number_sincos(Number x, Number *sine, Number *cosine) {
    int common = bits_of_lanes(number_abs(x) < LARGEST_COMMON);
    Bits n;
    Sum r = reduced(x, &n);
    sine_and_cosine(r, n, sine, cosine);
    if (common != ALL_LANES)
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
    int common = bits_of_lanes(size < LARGEST_COMMON);
    Bits n;
    Sum r = reduced(x, &n);
    Number result = number_chosen(size < LARGEST_TANGENT_OF_ITSELF, x, tangent(r, n));
    return common == ALL_LANES ? result : with_others(common, result, x, mobod_tan);
}

Number number_exp(Number x) {
    int common = bits_of_lanes(number_abs(x) < LARGEST_EXPONENT);
    Bits k;
    Sum e = exponential(x, NUMBER(0.0), &k);
    Number result = scaled(e.high + e.low, k);
    return common == ALL_LANES ? result : with_others(common, result, x, mobod_exp);
}

/* positive, normal and finite */
static inline int has_common_logarithm(Number x) { return bits_of_lanes(x >= DBL_MIN) & bits_of_lanes(x <= DBL_MAX); }

Number number_log(Number x) {
    int common = has_common_logarithm(x);
    Number result = logarithm(bits_of(x), 0);
    return common == ALL_LANES ? result : with_others(common, result, x, mobod_log);
}

Number number_pow(Number x, Number y) {
    Sum exponent = exponent_of(logarithm_in_two(bits_of(x), 0), y);
    int common = has_common_logarithm(x) & bits_of_lanes(number_abs(exponent.high) < LARGEST_EXPONENT);
    Bits k;
    Sum e = exponential(exponent.high, exponent.low, &k);
    /* powers of 0 are frequent: of the depth of an open contact, for example */
    Number result = double_of(bits_of(scaled(e.high + e.low, k)) & (Bits)(x != 0.0));
    common |= bits_of_lanes(x == 0.0) & bits_of_lanes(number_copysign(NUMBER(1.0), x) > 0.0) & bits_of_lanes(y > 0.0);
    return common == ALL_LANES ? result : with_others_of_two(common, result, x, y, mobod_pow);
}

Number number_sinh(Number x) {
    Number size = number_abs(x);
    Mask small = size < SMALL_FOR_SINE;
    int common = bits_of_lanes(size <= LARGE);
    Number result = hyperbolic_sine_of_small(x);
    if (!all_lanes(small))
        result = number_chosen(small, result, with_sign(hyperbolic_sine(size), bits_of(x) & SIGN_BIT));
    return common == ALL_LANES ? result : with_others(common, result, x, mobod_sinh);
}

Number number_cosh(Number x) {
    Number size = number_abs(x);
    int common = bits_of_lanes(size <= LARGE);
    Number result = hyperbolic_cosine(size);
    return common == ALL_LANES ? result : with_others(common, result, x, mobod_cosh);
}

Number number_tanh(Number x) {
    Number size = number_abs(x);
    Mask small = size < SMALL_FOR_TANGENT;
    int common = bits_of_lanes(x == x);
    Number result = hyperbolic_tangent_of_small(x);
    if (!all_lanes(small)) {
        Number others = number_chosen(size > LARGE, NUMBER(1.0), hyperbolic_tangent(size));
        result = number_chosen(small, result, with_sign(others, bits_of(x) & SIGN_BIT));
    }
    return common == ALL_LANES ? result : with_others(common, result, x, mobod_tanh);
}

Number number_asin(Number x) {
    int common = bits_of_lanes(number_abs(x) <= 1.0);
    Number result = arc_sine(x);
    return common == ALL_LANES ? result : with_others(common, result, x, mobod_asin);
}

Number number_acos(Number x) {
    int common = bits_of_lanes(number_abs(x) <= 1.0);
    Number result = arc_cosine(x);
    return common == ALL_LANES ? result : with_others(common, result, x, mobod_acos);
}

Number number_atan(Number x) {
    int common = bits_of_lanes(number_abs(x) < LARGEST_SIDE);
    Number result = angle_of(x, NUMBER(1.0));
    return common == ALL_LANES ? result : with_others(common, result, x, mobod_atan);
}

/* whether angle_of can have a side of this size, if the other one is not 0 */
static inline int is_side(Number size) {
    return (bits_of_lanes(size >= SMALLEST_SIDE) & bits_of_lanes(size < LARGEST_SIDE)) | bits_of_lanes(size == 0.0);
}

Number number_atan2(Number y, Number x) {
    Number y_size = number_abs(y), x_size = number_abs(x);
    int common = is_side(y_size) & is_side(x_size) & bits_of_lanes(y_size + x_size > 0.0);
    Number result = angle_of(y, x);
    return common == ALL_LANES ? result : with_others_of_two(common, result, y, x, mobod_atan2);
}
