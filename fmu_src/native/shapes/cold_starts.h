/* The normal of cores that touch or overlap. */
#ifndef MOBOD_COLD_STARTS_H
#define MOBOD_COLD_STARTS_H

#include "convex_pair.h"
#include "simplex.h"

/* Climb from the direction n (3), length 1, to a local maximum of f, the separation of the cores: shape 2 is moved away along n, and the
 * vector between the nearest points is the next n. What stays is a local maximum of f. Sets the simplex of the nearest points. Returns
 * f(n).
 */
double climb_to_normal(ConvexPair *pair, double *n, Simplex *simplex);

enum { MOST_STARTS = 16 };

/* The same from the last normal, if it is known and does not lead deeper than `deep` (m); else from the `most` best of many directions:
 * between the origins, those from the middle of a cube to its faces, edges and corners in both frames, the normals of hulls. Returns the
 * largest f.
 */
double climb_from_starts(ConvexPair *pair, double *n, int is_known, double deep, int most, Simplex *simplex);

#endif
