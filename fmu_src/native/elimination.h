/* The rows of constraints through the articulated bodies.
 *
 * The equations stand in engine/mobod/matter/multipliers.py. */
#ifndef MOBOD_ELIMINATION_H
#define MOBOD_ELIMINATION_H

#include "kernel.h"
#include "rows.h"

/* E and A, from what articulated inertias leave */
void eliminate_rows(const RowTable *table, double *w);
void eliminate_rows_tangent(const RowTable *table, const double *w, double *dw);

/* the same as kernels; context: a RowTable */
KernelFunction run_elimination, run_elimination_tangent;

#endif
