/* The distance of two cores that do not overlap. */
#ifndef MOBOD_GJK_H
#define MOBOD_GJK_H

#include "convex_pair.h"
#include "simplex.h"

typedef enum { CORES_OVERLAP, CORES_APART, CORES_FAR } Apartness;

/* Move shape 2 by `shift` (3) and find the points of both cores that are nearest to each other.
 *
 * n     (3) in frame 1, a guess of the normal; becomes the vector between the nearest points, from shape 1 to the moved shape 2. If they
 *       are far, a direction along which they are
 * far   m: farther cores are CORES_FAR
 * simplex  the vertices whose weighted means are the nearest points, unless they overlap
 *
 * Source: Gilbert, Johnson & Keerthi, IEEE Journal of Robotics and Automation 4 (1988); Ericson (2005), 9.5. */
Apartness find_cores_apart(ConvexPair *pair, const double *shift, double *n, double far, Simplex *simplex);

/* the nearest points of the simplex: a on core 1, b on core 2 (before its shift), in frame 1 */
void points_of_simplex(const Simplex *simplex, double *a, double *b);

#endif
