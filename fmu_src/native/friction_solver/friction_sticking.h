/* Multipliers with which rows stick: w = B^T y + a = 0, y = B z, of the rows of a mask, of least norm where rows are redundant.
 *
 * The multipliers of least norm are combinations of the rows of dimensions, z = B^T v. So instead of the matrix of rows, B^T B, that of
 * dimensions is factored, H = B B^T + e 1: its envelope is narrow for bodies in the order in which they touch, and redundant rows do not
 * make it larger. Passes z -= B^T H^-2 B w from zero multiply w by 2 e or less, relative to the squares of the singular values of B, and by
 * what round-off leaves, 1e-7. They leave alone what no combination of dimensions can do: w of rows that contradict each other.
 *
 * Source: iterated regularisation of Hanke & Groetsch, Nonstationary iterated Tikhonov regularization, J. Optim. Theory Appl. 98 (1998),
 * with an epsilon that stays. */
#ifndef MOBOD_FRICTION_STICKING_H
#define MOBOD_FRICTION_STICKING_H

#include "envelope.h"
#include "sparse_rows.h"

/* B: rows of unit length or shorter; a [m]; is_held [m] the mask. z [m]: multipliers, B^T x, 0 for other rows; y [n] and x [n]. Overwrites
 * `matrix` and v [n]. Returns whether all numbers are finite; w is not zero if rows contradict each other. */
int find_sticking(const SparseRows *B, const double *a, const int *is_held, Envelope *matrix, double *z, double *y, double *x, double *v);

#endif
