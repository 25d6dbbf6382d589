/* Sums over dense vectors, in the order of their entries. */
#ifndef MOBOD_VECTORS_H
#define MOBOD_VECTORS_H

#include "elementary.h"

static inline double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline double norm(int n, const double *v) { return sqrt(dot(n, v, v)); }

/* v += factor w */
static inline void add_multiple(int n, double *v, double factor, const double *w) {
    for (int i = 0; i < n; i++)
        v[i] += factor * w[i];
}

static inline int all_finite(int n, const double *v) {
    int finite = 1;
    for (int i = 0; i < n; i++)
        finite &= isfinite(v[i]) != 0;
    return finite;
}

/* v [n] reflected by 1 - tau d d^T; the direction d is that of `mirror`, whose first entry counts as 1 */
static inline void reflect(int n, const double *mirror, double tau, double *v) {
    double along = tau * (v[0] + dot(n - 1, mirror + 1, v + 1));
    v[0] -= along;
    add_multiple(n - 1, v + 1, -along, mirror + 1);
}

#endif
