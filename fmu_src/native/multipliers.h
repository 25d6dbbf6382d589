/* The multipliers of constraints.
 *
 * The equations stand in engine/mobod/matter/multipliers.py. */
#ifndef MOBOD_MULTIPLIERS_H
#define MOBOD_MULTIPLIERS_H

#include "kernel.h"
#include "rows.h"

/* multipliers, eps with their forces, and these forces; not a number where the rows are, or where they contradict each other */
void solve_multipliers(const RowTable *table, double *w);
void solve_multipliers_tangent(const RowTable *table, const double *w, double *dw);

/* the same as kernels; context: a RowTable */
KernelFunction run_multipliers, run_multipliers_tangent;

#endif
