/* Sine, cosine and tangent of Numbers below 12800.

   x = n pi/2 + r: Cody and Waite, Software Manual for the Elementary Functions (1980), ch. 8, with pi/2 in parts whose products with
   n < 2^13 are exact. It has 131 bits here, and no double of this range is nearer to a multiple of pi/2 than 2^-60, so r has 60 bits at
   least. Polynomials: build_scripts/elementary_coefficients.py. */
#ifndef MOBOD_TRIGONOMETRIC_H
#define MOBOD_TRIGONOMETRIC_H

#include "double_double.h"
#include "elementary_coefficients.h"

#define LARGEST_COMMON 12800.0
/* below this, the tangent of x is x */
#define LARGEST_TANGENT_OF_ITSELF 0x1p-27

/* r of an argument in the common range; n in the lowest bits of *n */
static inline Sum reduced(Number x, Bits *n) {
    Number rounded = x * TWO_OVER_PI + ROUNDING, turns = rounded - ROUNDING;
    *n = bits_of(rounded);
    /* exact: the first difference has no bits below those of x and pi/2's first part; the second none below 2^-77 */
    Number rest = x - turns * HALF_PI_1, second = turns * HALF_PI_2;
    Number high = rest - second;
    return (Sum){high, ((rest - high) - second) - turns * HALF_PI_3};
}

/* sin(r) = r + r^3 times this, with z = r^2; its first term apart */
static inline Number sine_polynomial(Number first, Number z) {
    Number zz = z * z;
    Number low = (first + z * SINE[1]) + zz * (SINE[2] + z * SINE[3]), high = SINE[4] + z * SINE[5];
    return low + zz * zz * high;
}

/* cos(r) = 1 - r^2 / 2 + these */
static inline Number cosine_terms(Number z) {
    Number zz = z * z;
    Number low = (COSINE[0] + z * COSINE[1]) + zz * (COSINE[2] + z * COSINE[3]), high = COSINE[4] + z * COSINE[5];
    return zz * (low + zz * zz * high);
}

INLINED void sine_and_cosine(Sum r, Bits n, Number *sine, Number *cosine) {
    Number z = r.high * r.high, half = 0.5 * z, most = 1.0 - half;
    Number s = r.high + (r.high * z * sine_polynomial(NUMBER(SINE[0]), z) + r.low * most);
    Number c = most + (((1 - most) - half) + (cosine_terms(z) - r.high * r.low));

    /* in odd quadrants they are swapped; the sign of a zero is that of the argument */
    s = double_of(bits_of(s) | (bits_of(r.high) & SIGN_BIT));
    Bits is_odd = 0 - (n & 1);
    *sine = with_sign(chosen(is_odd, c, s), n << 62 & SIGN_BIT);
    *cosine = with_sign(chosen(is_odd, s, c), (n + 1) << 62 & SIGN_BIT);
}

static inline Number tangent(Sum r, Bits n) {
    /* sine and cosine as sums of two doubles, and their quotient with its rounding error */
    Sum square = product_of(r.high, r.high);
    Number z = square.high, half = 0.5 * z;
    Sum cube = product_of(r.high, z), first = product_of(cube.high, NUMBER(SINE[0]));
    Number rounded_off = first.low + r.low * (1.0 - half) + (cube.low + r.high * square.low) * SINE[0];
    Sum s = sum_of(r.high, first.high);
    s = sum_of(s.high, s.low + (cube.high * sine_polynomial(NUMBER(0.0), z) + rounded_off));
    Sum c = sum_of(NUMBER(1.0), -half);
    c = sum_of(c.high, c.low + (cosine_terms(z) - (s.high * r.low + 0.5 * square.low)));
    Bits is_odd = 0 - (n & 1);
    Sum above = chosen_sum(is_odd, c, s), below = chosen_sum(is_odd, s, c);
    Number quotient = above.high / below.high;
    Sum product = product_of(quotient, below.high);
    Number rest = ((above.high - product.high) - product.low) + (above.low - quotient * below.low);
    return with_sign(quotient + rest / below.high, n << 63);
}

#endif
