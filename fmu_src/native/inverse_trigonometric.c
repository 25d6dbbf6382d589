/* Arc sine, arc cosine and arc tangent.

   atan2: of the smaller and the larger of |y| and |x|, t = small / large, or (small - large) / (small + large) above tan(pi/8), an angle
   of pi/4 less; a polynomial; then a multiple of pi/4. The quotient is a sum of two doubles. asin and acos: a polynomial up to 1/2; above,
   acos(x) = 2 asin(s), s = sqrt((1 - x) / 2), a sum of two doubles too. Source: Muller, Elementary Functions (2016); Cody and
   Waite (1980), ch. 10 and 11.

   Largest errors found (units in the last place): asin 0.70, acos 0.66, atan 0.75, atan2 0.70. */
#include "double_double.h"
#include "elementary_coefficients.h"

/* the angle of the point x, y; the sizes of both are between 2^-450 and 2^450 */
static inline double angle_of(double y, double x) {
    double y_size = mobod_fabs(y), x_size = mobod_fabs(x);
    uint64_t swap = 0 - (uint64_t)(y_size > x_size), behind = 0 - (bits_of(x) >> 63);
    double small = chosen(swap, x_size, y_size), large = chosen(swap, y_size, x_size);
    uint64_t beyond = 0 - (uint64_t)(small > TANGENT_OF_EIGHTH * large);

    /* numerator and denominator, and their rounding errors */
    Sum less = sum_of(large, -small), more = sum_of(large, small);
    double above = chosen(beyond, -less.high, small), above_low = chosen(beyond, -less.low, 0);
    double below = chosen(beyond, more.high, large), below_low = chosen(beyond, more.low, 0);
    double t = above / below;
    Sum product = product_of(t, below);
    double rest = ((above - product.high) - product.low) + (above_low - t * below_low);

    const double *c = ARCTANGENT;
    double z = t * t, zz = z * z, zzzz = zz * zz;
    double first = (c[0] + z * c[1]) + zz * (c[2] + z * c[3]), second = (c[4] + z * c[5]) + zz * (c[6] + z * c[7]);
    double third = (c[8] + z * c[9]) + zz * c[10];
    double t_low = rest / below;
    double terms = t * z * (first + zzzz * (second + zzzz * third)) + (t_low - t_low * z);

    /* angle = eighths pi/4 + or - (t + terms): minus if small and large are swapped, or x is negative, but not both */
    uint64_t sign = (swap ^ behind) & SIGN_BIT;
    double quarter = with_sign(chosen(beyond, 1, 0), sign);
    double eighths = chosen(swap, 2, chosen(behind, 4, 0)) + quarter;
    Sum angle = sum_of(eighths * QUARTER_PI_HIGH, with_sign(t, sign));
    double result = angle.high + (angle.low + (eighths * QUARTER_PI_LOW + with_sign(terms, sign)));
    return with_sign(result, bits_of(y) & SIGN_BIT);
}

/* whether its size is between 2^-450 and 2^450 */
static inline int is_common(double x) { return size_bits(x) - bits_of(0x1p-450) < bits_of(0x1p450) - bits_of(0x1p-450); }

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

/* asin(s) = s + the sum that this returns, s = |x| or, above 1/2, sqrt((1 - |x|) / 2); *is_near: all ones up to 1/2 */
static inline double arc(double size, double *s, uint64_t *is_near) {
    *is_near = 0 - (uint64_t)(size <= 0.5);
    double halved = 0.5 * (1 - size), z = chosen(*is_near, size * size, halved), root = mobod_sqrt(halved);
    /* the rounding error of the root; that of the root of zero is zero */
    Sum square = product_of(root, root);
    double rest = ((halved - square.high) - square.low) / (2 * root + DBL_MIN), s_low = chosen(*is_near, 0, rest);
    *s = chosen(*is_near, size, root);

    const double *c = ARCSINE;
    double zz = z * z, zzzz = zz * zz;
    double first = (c[0] + z * c[1]) + zz * (c[2] + z * c[3]), second = (c[4] + z * c[5]) + zz * (c[6] + z * c[7]);
    double third = (c[8] + z * c[9]) + zz * (c[10] + z * c[11]);
    return *s * z * (first + zzzz * (second + zzzz * (third + zzzz * c[12]))) + (s_low + 0.5 * z * s_low);
}

/* halves pi/2 + factor (s + terms) */
static inline double combined(double halves, double factor, double s, double terms) {
    Sum most = sum_of(halves * HALF_PI, factor * s);
    return most.high + (most.low + (halves * HALF_PI_LOW + factor * terms));
}

double mobod_asin(double x) {
    double size = mobod_fabs(x), s;
    if (!(size <= 1))
        return (double)NAN;
    uint64_t is_near;
    double terms = arc(size, &s, &is_near);
    return with_sign(combined(chosen(is_near, 0, 1), chosen(is_near, 1, -2), s, terms), bits_of(x) & SIGN_BIT);
}

double mobod_acos(double x) {
    double size = mobod_fabs(x), s;
    if (!(size <= 1))
        return (double)NAN;
    uint64_t is_near, sign = bits_of(x) & SIGN_BIT;
    double terms = arc(size, &s, &is_near);
    /* above 1/2: twice the arc sine of s; below -1/2: that from pi; between: pi/2 less the arc sine of x */
    double halves = chosen(is_near, 1, sign ? 2 : 0), factor = with_sign(chosen(is_near, -1, 2), sign);
    return combined(halves, factor, s, terms);
}
