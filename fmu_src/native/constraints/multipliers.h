/* The multipliers of constraints.
 *
 * engine/mobod/matter/constraint_rows/multipliers.py contains the equations. */
#ifndef MOBOD_MULTIPLIERS_H
#define MOBOD_MULTIPLIERS_H

#include "kernel.h"
#include "rows.h"

/* Compute the multipliers, eps with their forces, and these forces. They are NaN if the rows are not finite or contradict each other. */
void solve_multipliers(const RowTable *table, double *w);
void solve_multipliers_tangent(const RowTable *table, const double *w, double *dw);

/* the transposed operation of the tangent; returns 0 if a number is not finite */
int solve_multipliers_adjoint(const RowTable *table, const double *w, double *dw);

/* the same as kernels; context: a RowTable */
KernelFunction run_multipliers, run_multipliers_tangent, run_multipliers_adjoint;

#endif
