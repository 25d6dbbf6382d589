#include "elementary.h"

/* The root of the fraction bit by bit, in integers; then rounded to nearest, ties cannot be. Knuth, The Art of Computer Programming
 * 2, 4.3.1. */
double mobod_integer_sqrt(double x) {
    union {
        double number;
        uint64_t bits;
    } of = {x};
    if (!(x > 0) || x > DBL_MAX) /* a zero keeps its sign; NaN of a number below zero */
        return x < 0 ? (double)NAN : x;
    int exponent = (int)(of.bits >> 52);
    uint64_t fraction = of.bits & UINT64_C(0xfffffffffffff);
    if (exponent == 0) {
        exponent = 1;
        while (!(fraction >> 52)) {
            fraction <<= 1;
            exponent--;
        }
    }
    fraction |= UINT64_C(1) << 52;
    exponent -= 1023;
    if (exponent & 1) { /* the exponent of a root is half of an even one */
        fraction <<= 1;
        exponent--;
    }

    /* 54 bits of the root, the last of which rounds */
    uint64_t root = 0, rest = 0;
    for (int i = 0; i < 54; i++) {
        /* the next two bits of the fraction, which has 54 before its point's zeros */
        rest = rest << 2 | (i < 27 ? fraction >> (52 - 2 * i) & 3 : 0);
        root <<= 1;
        if (rest > root << 1) {
            rest -= (root << 1) + 1;
            root++;
        }
    }
    /* a root is never halfway between two doubles: it would have 54 bits, and its square 107 */
    root = (root >> 1) + (root & 1);
    of.bits = ((uint64_t)(exponent / 2 + 1023 - 1) << 52) + root;
    return of.number;
}
