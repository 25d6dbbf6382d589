/* The begin and the end of the search for contact points of a pair. */
#ifndef MOBOD_PAIR_STEPS_H
#define MOBOD_PAIR_STEPS_H

#include "contact_points.h"
#include "convex_pair.h"

/* both shapes in frame 1, so that the place of the pair in Ground does not matter; without the vertices and the gap */
void begin_pair(ConvexPair *pair, const ConvexShape *shape1, const Placement *X1, const ConvexShape *shape2, const Placement *X2);

/* Turn the normal, which is in frame 1, to Ground, and set the radii of the points. Returns their number. */
int finish_points(const ConvexPair *pair, const Placement *X1, const double *turning, ContactPoints *found);

/* Where hulls begin their search, as a hint says; it may come from a file. Returns whether the hint is set. */
int read_vertices(const double *hint, ConvexPair *pair);

#endif
