/* The length of a vector of two numbers, without overflow or underflow of intermediate results.

   The sum of the squares is rounded once, from sums of two doubles: half a unit in its last place becomes at most 0.36 in that of the
   root, which adds half a unit by its own rounding.

   Largest errors found (units in the last place): 0.92 (subnormal results; 0.86 otherwise). */
#include "double_double.h"

/* large: between 2^-400 and 2^500, and at least small */
static inline double length_of(double large, double small) {
    Sum a = product_of(large, large), b = product_of(small, small), sum = sum_of(a.high, b.high);
    return mobod_sqrt(sum.high + (sum.low + (a.low + b.low)));
}

static RARE double hypot_rare(double large, double small) {
    uint64_t large_bits = bits_of(large), small_bits = bits_of(small);
    if (large_bits == INFINITE_BITS || small_bits == INFINITE_BITS)
        return (double)INFINITY;
    if (large != large)
        return (double)NAN;
    if (large == 0)
        return 0;
    if (large < 1)
        return length_of(large * 0x1p600, small * 0x1p600) * 0x1p-600;
    return length_of(large * 0x1p-600, small * 0x1p-600) * 0x1p600;
}

double mobod_hypot(double x, double y) {
    /* compared by their bits, so that NaN is the largest */
    uint64_t x_bits = size_bits(x), y_bits = size_bits(y);
    double large = double_of(x_bits > y_bits ? x_bits : y_bits), small = double_of(x_bits > y_bits ? y_bits : x_bits);
    if (!(large > 0x1p-400 && large < 0x1p500))
        return hypot_rare(large, small);
    return length_of(large, small);
}
