/* The last digits of the normal of shapes that are curved. */
#ifndef MOBOD_CURVED_NORMAL_H
#define MOBOD_CURVED_NORMAL_H

#include "convex_pair.h"
#include "simplex.h"

/* Improve the normal and the nearest points of two cores, of which at least one is curved. A search by support points gives half of the
 * digits of n, because f is flat at its maximum; Newton's method on the condition that the vector between the nearest points has the
 * direction n gives all of them.
 *
 * simplex  of the nearest points, which says on which curves, edges and vertices they lie
 * n        (3) in frame 1; a, b: (3) the nearest points in frame 1
 *
 * Returns 0, and changes nothing, if the result is not a maximum of f near n. */
int improve_curved_normal(ConvexPair *pair, const Simplex *simplex, double *n, double *a, double *b);

/* The simplex that the nearest points are likely to have where n is near the last normal: the support points, with the other end of an edge
 * or of a side to which n is nearly normal. improve_curved_normal shows whether that is right. */
void guess_simplex(ConvexPair *pair, const double *n, Simplex *simplex);

#endif
