/* Vectors of three numbers. A matrix R [9] has its rows one after the other. */
#ifndef MOBOD_SPACE_VECTORS_H
#define MOBOD_SPACE_VECTORS_H

#include "elementary.h"

static inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline double length3(const double *a) { return sqrt(dot3(a, a)); }

static inline void set3(double *a, double x, double y, double z) {
    a[0] = x;
    a[1] = y;
    a[2] = z;
}

static inline void copy3(double *a, const double *b) { set3(a, b[0], b[1], b[2]); }

/* a = factor b */
static inline void scale3(double *a, double factor, const double *b) { set3(a, factor * b[0], factor * b[1], factor * b[2]); }

/* a += factor b */
static inline void add3(double *a, double factor, const double *b) {
    a[0] += factor * b[0];
    a[1] += factor * b[1];
    a[2] += factor * b[2];
}

/* c = a - b */
static inline void subtract3(double *c, const double *a, const double *b) { set3(c, a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/* c = a x b, neither of which may be c */
static inline void cross3(double *c, const double *a, const double *b) {
    set3(c, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

/* Give a the length 1, and return the length it had. A vector of length 0 stays. */
static inline double normalize3(double *a) {
    double length = length3(a);
    if (length > 0)
        set3(a, a[0] / length, a[1] / length, a[2] / length);
    return length;
}

/* b = R a; not in place */
static inline void rotate3(double *b, const double *R, const double *a) { set3(b, dot3(R, a), dot3(R + 3, a), dot3(R + 6, a)); }

/* b = R^T a; not in place */
static inline void rotate_back3(double *b, const double *R, const double *a) {
    set3(b, R[0] * a[0] + R[3] * a[1] + R[6] * a[2], R[1] * a[0] + R[4] * a[1] + R[7] * a[2], R[2] * a[0] + R[5] * a[1] + R[8] * a[2]);
}

#endif
