/* The distance of two convex shapes on bodies, minus the depth where they overlap: a procedure, whose result depends on the poses alone.
 *
 * Each call searches from the beginning, so that runs need no memory. Derivatives are exact where the nearest points are single ones;
 * elsewhere they are those of one of the nearest pairs of points.
 *
 * Decision: docs/decisions/224-compliant-energy.md */
#ifndef MOBOD_SHAPE_GAP_H
#define MOBOD_SHAPE_GAP_H

#include "contact_points.h"
#include "kernel.h"

typedef struct {
    int kind;              /* ShapeKind, but not SHAPE_TERRAIN */
    int R_GB, p_GB;        /* offsets into w: [9], [3] of its body */
    const double *R_BS;    /* [9] its frame on the body */
    const double *p_BS;    /* [3] */
    const double *numbers; /* [MOST_SHAPE_NUMBERS] of the shape, see ShapeKind; others 0 */
    const Hull *hull;      /* NULL: it is none */
} GapShape;

typedef struct {
    int distance; /* offset into w, m */
    GapShape shape1, shape2;
} ShapeGap;

KernelFunction run_shape_gap, run_shape_gap_tangent, run_shape_gap_adjoint;

#endif
