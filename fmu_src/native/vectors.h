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

#endif
