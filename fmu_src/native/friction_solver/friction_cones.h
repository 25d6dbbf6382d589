/* Multipliers within the bounds of boxes and the cones of friction whose sum is given: B z = y, of least norm.
 *
 * Where redundant contacts stick, their multipliers of least norm (friction_sticking.h) may leave the cones, although others do not: a
 * wall of bricks has many. The least ones within the cones are z = P(B^T x), where P is the projection on boxes and cones, and the
 * x [n] maximise the concave y . x - |P(B^T x)|^2 / 2. Newton's method has the matrix B P' B^T, with the envelope of B B^T.
 *
 * Source: Qi & Sun, A quadratically convergent Newton method for computing the nearest correlation matrix, SIAM J. Matrix Anal. Appl. 28
 * (2006), for another cone. */
#ifndef MOBOD_FRICTION_CONES_H
#define MOBOD_FRICTION_CONES_H

#include "friction_blocks.h"
#include "friction_rows.h"

/* Of the blocks of a mask; the others have no multipliers. Coefficients of friction are multiplied by a factor. rows->z becomes the
 * multipliers; x [n] the start, and the solution. Overwrites temporary values of `rows` and the matrix of `blocks`. Returns whether B z = y
 * up to round-off. */
int find_least_in_cones(FrictionRows *rows, FrictionBlocks *blocks, const int *is_taken, double factor, const double *y, double *x);

#endif
