/* The multipliers of constraints.
 *
 * engine/mobod/matter/constraint_rows/multipliers.py contains the equations. */
#ifndef MOBOD_MULTIPLIERS_H
#define MOBOD_MULTIPLIERS_H

#include "kernel.h"
#include "rows.h"

/* Compute the multipliers, eps with their forces, and these forces. They are NaN if the rows are not finite or contradict each other. */
void solve_multipliers(const RowTable *table, double *w);
/* The multipliers alone, from the right sides of the active rows in work->b; work: row_workspace(table, w). It reads E and errors of
 * position rows, and A, of enabled rows. If rows are dependent, may_contradict follows, which also reads their bias, K, and the motions of
 * their bodies: then they may contradict each other. */
typedef enum { ROWS_NOT_FINITE, ROWS_DEPENDENT, ROWS_INDEPENDENT } Dependence;
Dependence find_multipliers(const RowTable *table, double *w, RowWorkspace *work);
int may_contradict(const RowTable *table, const double *w, RowWorkspace *work);
void solve_multipliers_tangent(const RowTable *table, const double *w, double *dw);

/* the transposed operation of the tangent; returns 0 if a number is not finite */
int solve_multipliers_adjoint(const RowTable *table, const double *w, double *dw);

/* the same as kernels; context: a RowTable */
KernelFunction run_multipliers, run_multipliers_tangent, run_multipliers_adjoint;

#endif
