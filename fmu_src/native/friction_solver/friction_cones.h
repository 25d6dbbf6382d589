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

enum { MOST_DISKS = MOST_BLOCK_ROWS / 3 }; /* of a contact: of its tangents and of its moments */

/* The normal of the projection of a contact on its cone |z_i| <= factor mu_i z_n, with n disks: of its normal x and the lengths of its
 * tangents and moments. exceeded [n]: which disks the projection is on the edge of; sum: 1 and the squares of their coefficients. */
double projected_normal(int n, const double *mu, double factor, double x, const double *length, int *exceeded, double *sum);

/* Of the blocks of a mask; the others have no multipliers. Coefficients of friction are multiplied by a factor. rows->z becomes the
 * multipliers; x [n] the start, and the solution. Overwrites temporary values of `rows` and the matrix of `blocks`. Returns whether B z = y
 * up to round-off. */
int find_least_in_cones(FrictionRows *rows, FrictionBlocks *blocks, const int *is_taken, double factor, const double *y, double *x);

#endif
