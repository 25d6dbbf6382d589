/* Arc sine, arc cosine and arc tangent of Numbers.

   atan2: of the smaller and the larger of |y| and |x|, t = small / large, or (small - large) / (small + large) above tan(pi/8), an angle
   of pi/4 less; a polynomial; then a multiple of pi/4. The quotient is a sum of two doubles. asin and acos: a polynomial up to 1/2; above,
   acos(x) = 2 asin(s), s = sqrt((1 - x) / 2), a sum of two doubles too. Source: Muller, Elementary Functions (2016); Cody and
   Waite (1980), ch. 10 and 11. */
#ifndef MOBOD_INVERSE_TRIGONOMETRIC_H
#define MOBOD_INVERSE_TRIGONOMETRIC_H

#include "double_double.h"
#include "elementary_coefficients.h"

#define SMALLEST_SIDE 0x1p-450
#define LARGEST_SIDE 0x1p450

/* the angle of the point x, y; the sizes of both are between SMALLEST_SIDE and LARGEST_SIDE */
static inline Number angle_of(Number y, Number x) {
    Number y_size = number_abs(y), x_size = number_abs(x);
    Bits swap = where_greater(y_size, x_size), behind = 0 - (bits_of(x) >> 63);
    Number small = chosen(swap, x_size, y_size), large = chosen(swap, y_size, x_size);
    Bits beyond = where_greater(small, TANGENT_OF_EIGHTH * large);

    /* numerator and denominator, and their rounding errors */
    Sum less = sum_of(large, -small), more = sum_of(large, small);
    Number above = chosen(beyond, -less.high, small), above_low = chosen(beyond, -less.low, NUMBER(0.0));
    Number below = chosen(beyond, more.high, large), below_low = chosen(beyond, more.low, NUMBER(0.0));
    Number t = above / below;
    Sum product = product_of(t, below);
    Number rest = ((above - product.high) - product.low) + (above_low - t * below_low);

    const double *c = ARCTANGENT;
    Number z = t * t, zz = z * z, zzzz = zz * zz;
    Number first = (c[0] + z * c[1]) + zz * (c[2] + z * c[3]), second = (c[4] + z * c[5]) + zz * (c[6] + z * c[7]);
    Number third = (c[8] + z * c[9]) + zz * c[10];
    Number t_low = rest / below;
    Number terms = t * z * (first + zzzz * (second + zzzz * third)) + (t_low - t_low * z);

    /* angle = eighths pi/4 + or - (t + terms): minus if small and large are swapped, or x is negative, but not both */
    Bits sign = (swap ^ behind) & SIGN_BIT;
    Number quarter = with_sign(chosen(beyond, NUMBER(1.0), NUMBER(0.0)), sign);
    Number eighths = chosen(swap, NUMBER(2.0), chosen(behind, NUMBER(4.0), NUMBER(0.0))) + quarter;
    Sum angle = sum_of(eighths * QUARTER_PI_HIGH, with_sign(t, sign));
    Number result = angle.high + (angle.low + (eighths * QUARTER_PI_LOW + with_sign(terms, sign)));
    return with_sign(result, bits_of(y) & SIGN_BIT);
}

/* asin(s) = s + the sum that this returns, s = |x| or, above 1/2, sqrt((1 - |x|) / 2); *is_near: all ones up to 1/2 */
static inline Number arc(Number size, Number *s, Bits *is_near) {
    *is_near = ~where_greater(size, NUMBER(0.5));
    Number halved = 0.5 * (1.0 - size), z = chosen(*is_near, size * size, halved), root = number_sqrt(halved);
    /* the rounding error of the root; that of the root of zero is zero */
    Sum square = product_of(root, root);
    Number rest = ((halved - square.high) - square.low) / (2.0 * root + DBL_MIN), s_low = chosen(*is_near, NUMBER(0.0), rest);
    *s = chosen(*is_near, size, root);

    const double *c = ARCSINE;
    Number zz = z * z, zzzz = zz * zz;
    Number first = (c[0] + z * c[1]) + zz * (c[2] + z * c[3]), second = (c[4] + z * c[5]) + zz * (c[6] + z * c[7]);
    Number third = (c[8] + z * c[9]) + zz * (c[10] + z * c[11]);
    return *s * z * (first + zzzz * (second + zzzz * (third + zzzz * c[12]))) + (s_low + 0.5 * z * s_low);
}

/* halves pi/2 + factor (s + terms) */
static inline Number combined(Number halves, Number factor, Number s, Number terms) {
    Sum most = sum_of(halves * HALF_PI, factor * s);
    return most.high + (most.low + (halves * HALF_PI_LOW + factor * terms));
}

static inline Number arc_sine(Number x) {
    Number s;
    Bits is_near;
    Number terms = arc(number_abs(x), &s, &is_near);
    Number halves = chosen(is_near, NUMBER(0.0), NUMBER(1.0)), factor = chosen(is_near, NUMBER(1.0), NUMBER(-2.0));
    return with_sign(combined(halves, factor, s, terms), bits_of(x) & SIGN_BIT);
}

static inline Number arc_cosine(Number x) {
    Number s;
    Bits is_near, behind = 0 - (bits_of(x) >> 63);
    Number terms = arc(number_abs(x), &s, &is_near);
    /* above 1/2: twice the arc sine of s; below -1/2: that from pi; between: pi/2 less the arc sine of x */
    Number halves = chosen(is_near, NUMBER(1.0), chosen(behind, NUMBER(2.0), NUMBER(0.0)));
    Number factor = with_sign(chosen(is_near, NUMBER(-1.0), NUMBER(2.0)), bits_of(x) & SIGN_BIT);
    return combined(halves, factor, s, terms);
}

#endif
