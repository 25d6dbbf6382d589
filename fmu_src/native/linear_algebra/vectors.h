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

/* the larger one of two sizes, which are not negative; `size` does not count if it is not a number */
static inline Number larger_size(Number largest, Number size) { return number_where(number_less(largest, size), size, largest); }

/* the largest absolute value; three independent ones allow parallel execution */
INLINED Number largest_number(const Number *values, int n) {
    Number first = NUMBER(0.0), second = NUMBER(0.0), third = NUMBER(0.0);
    int i = 0;
    for (; i + 2 < n; i += 3) {
        first = larger_size(first, number_abs(values[i]));
        second = larger_size(second, number_abs(values[i + 1]));
        third = larger_size(third, number_abs(values[i + 2]));
    }
    for (; i < n; i++)
        first = larger_size(first, number_abs(values[i]));
    return larger_size(larger_size(first, second), third);
}

/* v [n] reflected by 1 - tau d d^T; the direction d is that of `mirror`, whose first entry counts as 1 */
static inline void reflect(int n, const Number *mirror, Number tau, Number *v) {
    Number along = tau * (v[0] + dot(n - 1, mirror + 1, v + 1));
    v[0] -= along;
    add_multiple(n - 1, v + 1, -along, mirror + 1);
}

#endif
