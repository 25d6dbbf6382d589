/* Multipliers with which rows stick: w = B^T y + a = 0, y = B z, of the rows of a mask, of least norm where rows are redundant.
 *
 * Proximal passes z += (B^T B + e)^-1 (-w) from zero: each multiplies w by e or less, relative to the rows. Instead of the matrix of rows
 * that of dimensions is factored, since (B^T B + e)^-1 r = (r - B^T (e + B B^T)^-1 B r) / e. Its envelope is narrow for bodies in the order
 * in which they touch, and it is no larger where rows are redundant. The subtraction loses digits; further passes restore them.
 *
 * Source: Golub & Van Loan, Matrix Computations (2013), 2.1.4 (Sherman, Morrison, Woodbury); Rockafellar, Monotone operators and the
 * proximal point algorithm, SIAM J. Control Optim. 14 (1976). */
#ifndef MOBOD_FRICTION_STICKING_H
#define MOBOD_FRICTION_STICKING_H

#include "envelope.h"
#include "sparse_rows.h"

/* B: rows of unit length or shorter; a [m]; is_held [m] the mask. z [m]: multipliers, 0 for other rows. Overwrites `matrix`, y [n] and
 * w [m]. Returns whether all numbers are finite; w is not zero if rows contradict each other. */
int find_sticking(const SparseRows *B, const double *a, const int *is_held, Envelope *matrix, double *z, double *y, double *w);

#endif
