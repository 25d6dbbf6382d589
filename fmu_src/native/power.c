/* Powers: x^y = exp(y log(x)), with log(x) in 68 bits, because its error is multiplied by up to 745.

   log(x) by a table, after Tang, Table-driven implementation of the logarithm function, ACM TOMS 16 (1990): x = 2^k m, and a factor c of
   few bits from the table makes r = m c - 1 small, exactly as a sum of two doubles; log(x) = k log(2) - log(c) + log(1 + r). Terms up to
   r^2 are sums of two doubles. Near 1 the factor is 1, and nothing cancels.

   Largest errors found (units in the last place): 0.78 (subnormal results; 0.72 otherwise). */
#include "exponential.h"

/* the logarithm of 2^more times the number with these bits, which is positive and normal */
static inline Sum logarithm(uint64_t bits, double more) {
    uint64_t place = bits - POWER_START, biased = (bits + (ONE_BITS - POWER_START)) >> 52;
    double k = (double)(int)biased - 1023 + more;
    const double *entry = POWER_TABLE[place >> POWER_SHIFT & 127];
    uint64_t m = bits - ((biased - 1023) << 52);

    /* the high half of m times the factor is exact, and so is its difference from 1 */
    double m_high = double_of(m & ~UINT64_C(0x7ffffff)), m_low = double_of(m) - m_high;
    double near = m_high * entry[0] - 1, beside = m_low * entry[0];
    Sum r = {near + beside, 0};
    double added = r.high - near;
    r.low = (near - (r.high - added)) + (beside - added);

    const double *c = POWER_LOGARITHM;
    double rr = r.high * r.high;
    double terms = (c[0] + r.high * c[1]) + rr * ((c[2] + r.high * c[3]) + rr * (c[4] + r.high * c[5]));
    Sum square = product_of(r.high, r.high);
    Sum first = sum_of(k * LN2_HIGH + entry[1], r.high), second = sum_of(first.high, -0.5 * square.high);
    double low = (k * LN2_LOW + entry[2]) + (r.low - r.high * r.low) + first.low + (second.low - 0.5 * square.low) + rr * r.high * terms;
    return sum_of(second.high, low);
}

/* y log(x) */
static inline Sum exponent_of(Sum log_x, double y) {
    Sum product = product_of(log_x.high, y);
    product.low += y * log_x.low;
    return product;
}

/* of a finite number: 2: even, 1: odd, 0: not an integer */
static int parity(double y) {
    double size = mobod_fabs(y);
    if (size >= 0x1p53)
        return 2;
    if (mobod_floor(size) != size)
        return 0;
    return (uint64_t)size & 1 ? 1 : 2;
}

/* if x or y is zero, infinite or NaN, or x is negative */
static double power_of_special(double x, double y) {
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return (double)NAN;
    double size = mobod_fabs(x);
    if (size_bits(y) == INFINITE_BITS)
        return size == 1 ? 1 : (size > 1) == (y > 0) ? (double)INFINITY : 0;
    int kind = parity(y);
    uint64_t sign = kind == 1 ? bits_of(x) & SIGN_BIT : 0;
    if (size == 0 || size_bits(x) == INFINITE_BITS)
        return with_sign((size == 0) == (y > 0) ? 0 : (double)INFINITY, sign);
    return kind ? with_sign(mobod_pow(size, y), sign) : (double)NAN;
}

static RARE double pow_rare(double x, double y) {
    if (!(x > 0) || size_bits(x) >= INFINITE_BITS || size_bits(y) >= INFINITE_BITS || y == 0)
        return power_of_special(x, y);
    /* the remaining cases: subnormal x, huge y, results beyond the normal numbers. Results of larger y than 2^80 are 0, 1 or infinite */
    y = mobod_fmax(-0x1p80, mobod_fmin(0x1p80, y));
    Sum log_x = x < DBL_MIN ? logarithm(bits_of(x * 0x1p52), -52) : logarithm(bits_of(x), 0);
    Sum exponent = exponent_of(log_x, y);
    if (!(exponent.high < 800))
        return (double)INFINITY;
    if (!(exponent.high > -800))
        return 0;
    int64_t k;
    Sum e = exponential(exponent.high, exponent.low, &k);
    return scaled_far(e.high + e.low, k);
}

double mobod_pow(double x, double y) {
    uint64_t bits = bits_of(x);
    /* x positive, normal and finite; |y| below 2^80 */
    if (bits - bits_of(DBL_MIN) >= INFINITE_BITS - bits_of(DBL_MIN) || !(mobod_fabs(y) < 0x1p80))
        return pow_rare(x, y);
    Sum exponent = exponent_of(logarithm(bits, 0), y);
    if (!(mobod_fabs(exponent.high) < 708))
        return pow_rare(x, y);
    int64_t k;
    Sum e = exponential(exponent.high, exponent.low, &k);
    return scaled(e.high + e.low, k);
}
