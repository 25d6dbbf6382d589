/* The arithmetic of y over Numbers: of one run, and of several side by side (lanes.h). */
#ifndef MOBOD_STATE_ARITHMETIC_H
#define MOBOD_STATE_ARITHMETIC_H

#include "number.h"

/* y within a step, at `fraction` of it */
static inline void interpolate_dense(int n, int degree, const Number *dense, const Number *y_start, Number fraction, Number *y) {
    const int last = degree - 1;
    for (int i = 0; i < n; i++) {
        Number sum = dense[last * n + i];
        for (int k = last - 1; k >= 0; k--)
            sum = dense[k * n + i] + (k % 2 == 0 ? 1.0 - fraction : fraction) * sum;
        y[i] = y_start[i] + fraction * sum;
    }
}

/* Normalize a quaternion e [4]; it is scaled first, so that no square overflows or vanishes. Returns its largest entry, which is 0 or not
 * finite if e has no direction. */
static inline Number normalize_quaternion(Number *e) {
    Number largest = number_max(number_max(number_abs(e[0]), number_abs(e[1])), number_max(number_abs(e[2]), number_abs(e[3])));
    Number scaled[4] = {e[0] / largest, e[1] / largest, e[2] / largest, e[3] / largest};
    Number length = number_sqrt(scaled[0] * scaled[0] + scaled[1] * scaled[1] + scaled[2] * scaled[2] + scaled[3] * scaled[3]);
    for (int j = 0; j < 4; j++)
        e[j] = scaled[j] / length;
    return largest;
}

#endif
