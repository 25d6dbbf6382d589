/* Support points: the point of a core that is farthest in a direction. */
#ifndef MOBOD_SUPPORT_H
#define MOBOD_SUPPORT_H

#include "convex_shape.h"

/* The support point p of a core along m, of any length but 0, in its frame.
 *
 * vertex  the number of the vertex that is p, or of the vertex of the curve on which p lies; of a hull the search begins at the given one.
 *         Box: bit i is set where coordinate i is negative. Segment, cylinder, cone: 0 at the lower end, 1 at the upper one. */
void support_point(const ConvexShape *shape, const double *m, int *vertex, double *p);

/* the corner of a box with this number */
static inline double box_coordinate(const ConvexShape *box, int vertex, int i) {
    return vertex >> i & 1 ? -box->lengths[i] : box->lengths[i];
}

/* Of the faces of a hull that meet at a vertex, the one that faces along m most. */
int face_along(const Hull *hull, const double *m, int vertex);

/* whether the support point of a core changes smoothly with the direction, in some directions */
static inline int is_curved(const ConvexShape *shape) {
    return shape->core == CORE_CYLINDER || shape->core == CORE_CONE || shape->core == CORE_ELLIPSOID;
}

#endif
