/* Powers of Numbers: x^y = exp(y log(x)), with log(x) in 68 bits, because its error is multiplied by up to 745.

   log(x) by a table, after Tang, Table-driven implementation of the logarithm function, ACM TOMS 16 (1990): x = 2^k m, and a factor c of
   few bits from the table makes r = m c - 1 small, exactly as a sum of two doubles; log(x) = k log(2) - log(c) + log(1 + r). Terms up to
   r^2 are sums of two doubles. Near 1 the factor is 1, and nothing cancels. */
#ifndef MOBOD_POWER_H
#define MOBOD_POWER_H

#include "exponential.h"

/* the logarithm, as a sum of two Numbers, of 2^more times the number with these bits, which is positive and normal */
static inline Sum logarithm_in_two(Bits bits, double more) {
    Bits place = bits - POWER_START, biased = (bits + (ONE_BITS - POWER_START)) >> 52;
    Number k = number_of_integer(biased) - 1023.0 + more;
    Bits row = place >> POWER_SHIFT & 127;
    Number factor = entry_of(POWER_TABLE, row, 0);
    Bits m = bits - ((biased - 1023) << 52);

    /* the high half of m times the factor is exact, and so is its difference from 1 */
    Number m_high = double_of(m & ~UINT64_C(0x7ffffff)), m_low = double_of(m) - m_high;
    Number near = m_high * factor - 1.0, beside = m_low * factor;
    Sum r = {near + beside, NUMBER(0.0)};
    Number added = r.high - near;
    r.low = (near - (r.high - added)) + (beside - added);

    const double *c = POWER_LOGARITHM;
    Number rr = r.high * r.high;
    Number terms = (c[0] + r.high * c[1]) + rr * ((c[2] + r.high * c[3]) + rr * (c[4] + r.high * c[5]));
    Sum square = product_of(r.high, r.high);
    Sum first = sum_of(k * LN2_HIGH + entry_of(POWER_TABLE, row, 1), r.high), second = sum_of(first.high, -0.5 * square.high);
    Number low = (k * LN2_LOW + entry_of(POWER_TABLE, row, 2)) + (r.low - r.high * r.low) + first.low + (second.low - 0.5 * square.low) +
                 rr * r.high * terms;
    return sum_of(second.high, low);
}

/* y log(x) */
static inline Sum exponent_of(Sum log_x, Number y) {
    Sum product = product_of(log_x.high, y);
    product.low += y * log_x.low;
    return product;
}

#endif
