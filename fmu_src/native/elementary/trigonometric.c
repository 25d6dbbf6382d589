/* Sine, cosine and tangent of doubles.

   An argument is reduced to r = x - n pi/2, |r| <= pi/4, as a sum of two doubles; polynomials give sin(r) and cos(r); n determines
   which of them is the sine, and their signs.
   - |x| < 12800: pi/2 in parts (trigonometric.h).
   - |x| < 2^24, if r is not too near to 0: the product of n and pi/2, in 106 bits, by Dekker's method.
   - others: Payne and Hanek, Radian reduction for trigonometric functions, ACM SIGNUM Newsletter 18 (1983): x times those bits of 2/pi
     that matter, in integers. Of 192 bits, the truncation costs 53; no double is nearer than 2^-62 to a multiple.

   Largest errors found (units in the last place): sine 0.89, cosine 0.87, tangent 0.67. */
#include "trigonometric.h"

#define LARGEST_EXACT 0x1p24

/* r of 1 < |x| < 2^24, from a product that is exact; n in the lowest bits of *n; 0 if r is too small to have 60 correct bits */
static inline int reduced_further(double x, Sum *r, uint64_t *n) {
    double rounded = x * TWO_OVER_PI + ROUNDING, turns = rounded - ROUNDING;
    *n = bits_of(rounded);
    Sum product = product_of(turns, HALF_PI), rest = sum_of(x - product.high, -product.low);
    *r = sum_of(rest.high, -(turns * HALF_PI_LOW));
    r->low += rest.low;
    return mobod_fabs(r->high) > 0x1p-20;
}

/* the product of a mantissa and 192 bits of 2/pi, modulo 4, in six words from the lowest */
static void turns_of(uint64_t mantissa, int exponent, uint32_t product[6]) {
    uint64_t low = mantissa & 0xffffffff, high = mantissa >> 32, carry = 0;
    /* the first of these bits has the weight 2 in the product */
    int first = exponent + 62;
    const uint32_t *digits = TWO_OVER_PI_DIGITS + first / 32;
    uint64_t before = 0;
    for (int i = 0; i < 6; i++) {
        uint64_t pair = (uint64_t)digits[5 - i] << 32 | digits[6 - i];
        uint64_t digit = pair >> (32 - first % 32) & 0xffffffff;
        uint64_t t = digit * low + carry;
        carry = t >> 32;
        t = before * high + (t & 0xffffffff);
        carry += t >> 32;
        product[i] = (uint32_t)t;
        before = digit;
    }
}

static RARE Sum reduced_large(double x, uint64_t *n) {
    Sum r;
    if (mobod_fabs(x) < LARGEST_EXACT && reduced_further(x, &r, n))
        return r;
    uint64_t size = size_bits(x);
    uint32_t words[6];
    turns_of((size & MANTISSA_BITS) | (MANTISSA_BITS + 1), (int)(size >> 52) - 1075, words);

    /* round to the nearest integer: for a fraction of one half or more, use its difference from 1 */
    uint64_t turns = (words[5] >> 30) + (words[5] >> 29 & 1);
    int is_below = words[5] >> 29 & 1;
    words[5] &= 0x3fffffff;
    if (is_below) {
        for (int i = 0; i < 6; i++)
            words[i] = ~words[i];
        words[5] &= 0x3fffffff;
    }

    /* the fraction as a sum of two doubles, added from the lowest word */
    double unit = 0x1p-190, sum = 0, errors[6];
    for (int i = 0; i < 6; i++) {
        Sum next = sum_of(words[i] * unit, sum);
        sum = next.high;
        errors[i] = next.low;
        unit *= 0x1p32;
    }
    double rest = 0;
    for (int i = 0; i < 6; i++)
        rest += errors[i];

    r = product_of(sum, HALF_PI);
    r.low += sum * HALF_PI_LOW + rest * HALF_PI;
    r = sum_of(r.high, r.low);
    uint64_t is_negative = bits_of(x) >> 63, sign = (is_negative ^ (uint64_t)is_below) << 63;
    *n = is_negative ? 0 - turns : turns;
    return (Sum){with_sign(r.high, sign), with_sign(r.low, sign)};
}

static RARE void sincos_rare(double x, double *sine, double *cosine) {
    if (size_bits(x) >= INFINITE_BITS) {
        *sine = *cosine = (double)NAN;
        return;
    }
    uint64_t n;
    Sum r = reduced_large(x, &n);
    sine_and_cosine(r, n, sine, cosine);
}

void mobod_sincos(double x, double *sine, double *cosine) {
    if (!(mobod_fabs(x) < LARGEST_COMMON)) {
        sincos_rare(x, sine, cosine);
        return;
    }
    uint64_t n;
    Sum r = reduced(x, &n);
    sine_and_cosine(r, n, sine, cosine);
}

double mobod_sin(double x) {
    double sine, cosine;
    mobod_sincos(x, &sine, &cosine);
    return sine;
}

double mobod_cos(double x) {
    double sine, cosine;
    mobod_sincos(x, &sine, &cosine);
    return cosine;
}

double mobod_tan(double x) {
    double size = mobod_fabs(x);
    if (size < LARGEST_TANGENT_OF_ITSELF)
        return x;
    if (size_bits(x) >= INFINITE_BITS)
        return (double)NAN;
    uint64_t n;
    Sum r = size < LARGEST_COMMON ? reduced(x, &n) : reduced_large(x, &n);

    return tangent(r, n);
}
