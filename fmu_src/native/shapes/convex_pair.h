/* Two shapes beside each other: all in the frame of shape 1. */
#ifndef MOBOD_CONVEX_PAIR_H
#define MOBOD_CONVEX_PAIR_H

#include "convex_shape.h"
#include "space_vectors.h"
#include "support.h"

typedef struct {
    const ConvexShape *shape1, *shape2;
    double R[9], p[3];    /* pose of shape 2 in frame 1 */
    double size;          /* of the smaller shape: lengths are compared with it */
    double rounding;      /* of both */
    double deep;          /* m; deeper than this, the last normal may be one of several: all starts are tried */
    int most_starts;      /* then, beside the last normal */
    double gap;           /* a search ends where its bounds of the squared distance differ by less, relative */
    int vertex1, vertex2; /* the last support points, where hulls begin their search */
} ConvexPair;

static const double FINE_GAP = 1e-15;  /* round-off */
static const double COARSE_GAP = 1e-7; /* near enough for improve_curved_normal */

/* the support point of the core of shape 1 along n, in frame 1 */
static inline void support_of_1(ConvexPair *pair, const double *n, double *p) { support_point(pair->shape1, n, &pair->vertex1, p); }

/* -n in frame 2 */
static inline void towards_1(const ConvexPair *pair, const double *n, double *m) {
    rotate_back3(m, pair->R, n);
    scale3(m, -1, m);
}

/* a point of frame 2 in frame 1, and the other way */
static inline void from_frame_2(const ConvexPair *pair, const double *x, double *p) {
    rotate3(p, pair->R, x);
    add3(p, 1, pair->p);
}

static inline void to_frame_2(const ConvexPair *pair, const double *p, double *x) {
    double from_origin[3];
    subtract3(from_origin, p, pair->p);
    rotate_back3(x, pair->R, from_origin);
}

/* the support point of the core of shape 2 along -n, in frame 1 */
static inline void support_of_2(ConvexPair *pair, const double *n, double *p) {
    double m[3], x[3];
    towards_1(pair, n, m);
    support_point(pair->shape2, m, &pair->vertex2, x);
    from_frame_2(pair, x, p);
}

/* f(n) of the cores: how far shape 2 begins beyond the end of shape 1, along n */
static inline double separation_along(ConvexPair *pair, const double *n) {
    double a[3], b[3], ab[3];
    support_of_1(pair, n, a);
    support_of_2(pair, n, b);
    subtract3(ab, b, a);
    return dot3(n, ab);
}

#endif
