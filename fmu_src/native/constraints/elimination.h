/* Projection of constraint rows through the articulated bodies.
 *
 * engine/mobod/matter/constraint_rows/multipliers.py contains the equations. */
#ifndef MOBOD_ELIMINATION_H
#define MOBOD_ELIMINATION_H

#include "kernel.h"
#include "rows.h"

/* compute E and A from the results of the sweep for articulated inertias */
void eliminate_rows(const RowTable *table, double *w);
void project_rows(const RowTable *table, double *w); /* E alone */
void eliminate_rows_tangent(const RowTable *table, const double *w, double *dw);
void eliminate_rows_adjoint(const RowTable *table, const double *w, double *dw);

/* the same as kernels; context: a RowTable */
KernelFunction run_elimination, run_elimination_tangent, run_elimination_adjoint;

#endif
