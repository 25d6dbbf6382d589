/* How a surface curves at a contact point. */
#ifndef MOBOD_CURVATURE_H
#define MOBOD_CURVATURE_H

#include "convex_shape.h"

/* m, the radius of curvature of a core at its point x with the outward normal m (length 1), both in its frame, in the direction in which
 * the normal turns on the shape. 0 at corners, on edges and on faces, and where a face is what touches.
 *
 * turning  (3) rad/s, angular velocity of the other shape against this one, in its frame. Without any, the mean curvature counts
 *
 * Of cylinders and cones the center of curvature is on the axis (Meusnier's theorem), and so stays where it is while they roll. */
double radius_of_core(const ConvexShape *shape, const double *x, const double *m, const double *turning);

#endif
