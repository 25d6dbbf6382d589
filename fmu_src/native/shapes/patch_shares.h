/* How the corners of an elastic patch share its stiffness.
 *
 * A face that lies flat has 1: each of its corners has the half of the outline that ends there, relative to the outline. An edge and a
 * corner have what they have of the face beside them that faces the other shape most, so that nothing changes where a face is tilted: an
 * edge of a box has 1/2, a corner 1/4. The side of a cylinder, a cone and a capsule has 1/2 at each end, in every pose; a cap of the first
 * two has eight corners as long as it is a face, within 11 degrees. A ball and an ellipsoid have 1. Where neither feature is a face, shares
 * are multiplied: the point at which two edges of boxes cross has 1/4, as the corner of the faces there.
 *
 * The shares of corners are constant, so that elastic energy is kept where they press. */
#ifndef MOBOD_PATCH_SHARES_H
#define MOBOD_PATCH_SHARES_H

#include "clipping.h"

/* Set the shares of an edge or a point that faces along m, in the frame of the shape. vertex: of a hull, its support point along m */
void set_own_shares(const ConvexShape *shape, const double *m, int vertex, Feature *feature);

/* Set the shares of a part of a face by its outline; its corners are in order. */
void set_outline_shares(CutCorner *corners, int n);

/* the sum of the shares of a feature; 1 of a face */
double share_of_feature(const Feature *feature);

#endif
