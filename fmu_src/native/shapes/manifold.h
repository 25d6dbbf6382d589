/* The contact points along a known normal. */
#ifndef MOBOD_MANIFOLD_H
#define MOBOD_MANIFOLD_H

#include "contact_points.h"
#include "normal_search.h"

typedef enum { NOT_ON_FACE, BEYOND_REACH, ON_FACE } FaceOutcome;

/* The points over a face of shape `of`, 1 or 2, if one faces along n (3), in frame 1. The normal of the face is the normal of both shapes
 * if the other shape's lowest point over its plane lies over the face itself: then the two points are `d` apart along a normal of one of
 * them, and no direction separates the shapes more. Within round-off, another point over the face may be as low.
 *
 * must: take the normal of the face in any case. Sets points unless NOT_ON_FACE; R1 (9) turns frame 1 to Ground. */
FaceOutcome find_points_on_face(ConvexPair *pair, int of, const double *n, double reach, int must, ContactPoints *found);

/* the points of shapes whose normal is that of no face alone */
void find_points_beside_faces(ConvexPair *pair, const NearestCores *nearest, const double *R1, double reach, ContactPoints *found);

#endif
