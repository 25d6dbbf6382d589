/* Which points of an elastic pair press, and what each has of its stiffness k. The pair stores the energy k Q / 2, where Q is the largest
 * of
 *
 *   the nearest points   s d^2, of the least depth d of the shapes
 *   a side of the patch  the sum of e d^2 over the ends of an edge that lies on the other shape, or of a side of two faces on each other
 *   the patch            of two faces: the sum over its corners of the depths squared, each times half of the outline that ends there,
 *                        relative to the outline. So a face that lies flat has k, whatever the number of its corners
 *
 * s is 1/4, of pairs with a capsule 1/2, and of pairs with a ball or an ellipsoid 1. e is 1/4 for edges of boxes and hulls, and 1/2 for the
 * sides of capsules, cylinders and cones.
 *
 * d is a continuous function of the pose. Where the features change, the second and the third are smaller than the first: they fade out
 * from 6 to 11 degrees between the features, and where the patch or its side is shorter than LARGE depths. So Q is continuous as well, and
 * forces that are its gradient keep the energy.
 *
 * Decision: docs/decisions/224-compliant-energy.md */
#ifndef MOBOD_ELASTIC_POINTS_H
#define MOBOD_ELASTIC_POINTS_H

#include "contact_points.h"

/* Keep the points of `found` that press, which has them with_shares, and set the share of each. shapes: both. Returns Q, m^2. */
double choose_elastic_points(const ConvexShape *shapes, ContactPoints *found);

#endif
