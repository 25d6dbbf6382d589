/* Sums over dense vectors of Numbers, in the order of their entries. */
#ifndef MOBOD_VECTORS_H
#define MOBOD_VECTORS_H

#include "number.h"

static inline Number dot(int n, const Number *a, const Number *b) {
    Number sum = NUMBER(0.0);
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline Number norm(int n, const Number *v) { return number_sqrt(dot(n, v, v)); }

/* v += factor w */
static inline void add_multiple(int n, Number *v, Number factor, const Number *w) {
    for (int i = 0; i < n; i++)
        v[i] += factor * w[i];
}

/* the same of vectors that do not overlap, with the same bits, in less time: four numbers at once */
static inline void add_multiple_apart(int n, Number *restrict v, Number factor, const Number *restrict w) {
    int i = 0;
    for (; i + 3 < n; i += 4) {
        v[i] += factor * w[i];
        v[i + 1] += factor * w[i + 1];
        v[i + 2] += factor * w[i + 2];
        v[i + 3] += factor * w[i + 3];
    }
    for (; i < n; i++)
        v[i] += factor * w[i];
}

static inline int all_finite(int n, const Number *v) {
    Number finite = NUMBER(1.0);
    for (int i = 0; i < n; i++)
        finite = number_and(finite, number_is_finite(v[i]));
    return number_all(finite);
}

/* the largest absolute value */
static inline Number largest_number(const Number *values, int n) {
    Number result = NUMBER(0.0);
    for (int i = 0; i < n; i++)
        result = number_max(result, number_abs(values[i]));
    return result;
}

/* v [n] reflected by 1 - tau d d^T; the direction d is that of `mirror`, whose first entry counts as 1 */
static inline void reflect(int n, const Number *mirror, Number tau, Number *v) {
    Number along = tau * (v[0] + dot(n - 1, mirror + 1, v + 1));
    v[0] -= along;
    add_multiple(n - 1, v + 1, -along, mirror + 1);
}

#endif
