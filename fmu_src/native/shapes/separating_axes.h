/* Two boxes by the axes that can separate them. */
#ifndef MOBOD_SEPARATING_AXES_H
#define MOBOD_SEPARATING_AXES_H

#include "convex_pair.h"

/* the best of the 15 axes */
typedef struct {
    double n[3];      /* in frame 1, from box 1 to box 2 */
    double d;         /* m, f(n) of the cores */
    int face_of;      /* the shape, 1 or 2, whose face has the normal n; 0: an edge of each is normal to n */
    int edge1, edge2; /* axes along which the edges lie */
} BoxAxis;

/* The axis along which two boxes are farthest apart, or overlap least. Returns 0 if they are farther apart than `far` along one of them.
 *
 * A face wins against an edge axis that is better by less than 1e-9 sizes, and a face of the larger box against one of the smaller box; so
 * round-off does not change the answer from step to step.
 *
 * Source: Gottschalk, Lin & Manocha, OBBTree, SIGGRAPH 1996, 5. */
int find_box_axis(const ConvexPair *pair, double far, BoxAxis *axis);

/* The points of both boxes on the edges of the axis that are nearest to each other, in frame 1. Their numbers of vertices are one end of
 * each edge, and the other end has the bit of the edge's axis changed. Returns whether they are also the nearest points of the boxes: where
 * the lines of the edges are nearest to each other. */
int points_of_box_edges(ConvexPair *pair, const BoxAxis *axis, double *a, double *b);

#endif
