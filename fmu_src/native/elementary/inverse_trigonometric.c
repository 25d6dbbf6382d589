/* Arc sine, arc cosine and arc tangent of doubles, by the methods of inverse_trigonometric.h.

   Largest errors found (units in the last place): asin 0.70, acos 0.66, atan 0.75, atan2 0.70. */
#include "inverse_trigonometric.h"

/* whether its size is between both */
static inline int is_common(double x) { return size_bits(x) - bits_of(SMALLEST_SIDE) < bits_of(LARGEST_SIDE) - bits_of(SMALLEST_SIDE); }

static RARE double atan2_rare(double y, double x) {
    if (x != x || y != y)
        return (double)NAN;
    uint64_t sign = bits_of(y) & SIGN_BIT, y_bits = size_bits(y), x_bits = size_bits(x);
    int is_behind = bits_of(x) >> 63 != 0;
    /* on an axis, at infinity on a diagonal, or so near to an axis that the angle from it equals the quotient */
    int64_t difference = (int64_t)(y_bits >> 52) - (int64_t)(x_bits >> 52);
    if (y_bits == INFINITE_BITS && x_bits == INFINITE_BITS)
        return with_sign(is_behind ? 3 * QUARTER_PI_HIGH + 3 * QUARTER_PI_LOW : 0.5 * HALF_PI, sign);
    if (y_bits == 0 || (is_behind && difference < -60) || x_bits == INFINITE_BITS)
        return with_sign(is_behind ? 2 * HALF_PI : 0, sign);
    if (x_bits == 0 || y_bits == INFINITE_BITS || difference > 60)
        return with_sign(HALF_PI, sign);
    if (difference < -60)
        return with_sign(mobod_fabs(y) / x, sign);
    double factor = x_bits > bits_of(1) ? 0x1p-600 : 0x1p600;
    return angle_of(y * factor, x * factor);
}

double mobod_atan2(double y, double x) {
    if (!(is_common(y) && is_common(x)))
        return atan2_rare(y, x);
    return angle_of(y, x);
}

double mobod_atan(double x) {
    if (!is_common(x)) {
        if (x != x)
            return (double)NAN;
        return mobod_fabs(x) < 1 ? x : with_sign(HALF_PI, bits_of(x) & SIGN_BIT);
    }
    return angle_of(x, 1);
}

double mobod_asin(double x) {
    if (!(mobod_fabs(x) <= 1))
        return (double)NAN;
    return arc_sine(x);
}

double mobod_acos(double x) {
    if (!(mobod_fabs(x) <= 1))
        return (double)NAN;
    return arc_cosine(x);
}
