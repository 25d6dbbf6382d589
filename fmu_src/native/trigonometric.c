/* Sine, cosine and tangent.

   An argument is reduced to r = x - n pi/2, |r| <= pi/4, as a sum of two doubles; polynomials give sin(r) and cos(r); n determines
   which of them is the sine, and their signs.
   - |x| < 12800: Cody and Waite, Software Manual for the Elementary Functions (1980), ch. 8: pi/2 in parts whose products with n < 2^13
     are exact. It has 131 bits here, and no double of this range is nearer to a multiple of pi/2 than 2^-60, so r has 60 bits at least.
   - |x| < 2^24, if r is not too near to 0: the product of n and pi/2, in 106 bits, by Dekker's method.
   - others: Payne and Hanek, Radian reduction for trigonometric functions, ACM SIGNUM Newsletter 18 (1983): x times those bits of 2/pi
     that matter, in integers. Of 192 bits, the truncation costs 53; no double is nearer than 2^-62 to a multiple.
   Polynomials: build_scripts/elementary_coefficients.py.

   Largest errors found (units in the last place): sine 0.89, cosine 0.87, tangent 0.67. */
#include "double_double.h"
#include "elementary_coefficients.h"

#define LARGEST_COMMON 12800.0
#define LARGEST_EXACT 0x1p24

/* r of an argument in the common range; n in the lowest bits of *n */
static inline Sum reduced(double x, uint64_t *n) {
    double rounded = x * TWO_OVER_PI + ROUNDING, turns = rounded - ROUNDING;
    *n = bits_of(rounded);
    /* exact: the first difference has no bits below those of x and pi/2's first part; the second none below 2^-77 */
    double rest = x - turns * HALF_PI_1, second = turns * HALF_PI_2;
    double high = rest - second;
    return (Sum){high, ((rest - high) - second) - turns * HALF_PI_3};
}

/* the same for 1 < |x| < 2^24, from a product that is exact; 0 if r is too small to have 60 correct bits */
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

/* sin(r) = r + r^3 times this, with z = r^2; its first term apart */
static inline double sine_polynomial(double first, double z) {
    double zz = z * z;
    double low = (first + z * SINE[1]) + zz * (SINE[2] + z * SINE[3]), high = SINE[4] + z * SINE[5];
    return low + zz * zz * high;
}

/* cos(r) = 1 - r^2 / 2 + these */
static inline double cosine_terms(double z) {
    double zz = z * z;
    double low = (COSINE[0] + z * COSINE[1]) + zz * (COSINE[2] + z * COSINE[3]), high = COSINE[4] + z * COSINE[5];
    return zz * (low + zz * zz * high);
}

static inline void sine_and_cosine(Sum r, uint64_t n, double *sine, double *cosine) {
    double z = r.high * r.high, half = 0.5 * z, most = 1 - half;
    double s = r.high + (r.high * z * sine_polynomial(SINE[0], z) + r.low * most);
    double c = most + (((1 - most) - half) + (cosine_terms(z) - r.high * r.low));

    /* in odd quadrants they are swapped; the sign of a zero is that of the argument */
    s = double_of(bits_of(s) | (bits_of(r.high) & SIGN_BIT));
    uint64_t is_odd = 0 - (n & 1);
    *sine = with_sign(chosen(is_odd, c, s), n << 62 & SIGN_BIT);
    *cosine = with_sign(chosen(is_odd, s, c), (n + 1) << 62 & SIGN_BIT);
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
    if (size < 0x1p-27)
        return x;
    if (size_bits(x) >= INFINITE_BITS)
        return (double)NAN;
    uint64_t n;
    Sum r = size < LARGEST_COMMON ? reduced(x, &n) : reduced_large(x, &n);

    /* sine and cosine as sums of two doubles, and their quotient with its rounding error */
    Sum square = product_of(r.high, r.high);
    double z = square.high, half = 0.5 * z;
    Sum cube = product_of(r.high, z), first = product_of(cube.high, SINE[0]);
    double rounded_off = first.low + r.low * (1 - half) + (cube.low + r.high * square.low) * SINE[0];
    Sum s = sum_of(r.high, first.high);
    s = sum_of(s.high, s.low + (cube.high * sine_polynomial(0, z) + rounded_off));
    Sum c = sum_of(1, -half);
    c = sum_of(c.high, c.low + (cosine_terms(z) - (s.high * r.low + 0.5 * square.low)));
    int is_odd = n & 1;
    Sum above = is_odd ? c : s, below = is_odd ? s : c;
    double quotient = above.high / below.high;
    Sum product = product_of(quotient, below.high);
    double rest = ((above.high - product.high) - product.low) + (above.low - quotient * below.low);
    return with_sign(quotient + rest / below.high, n << 63);
}
