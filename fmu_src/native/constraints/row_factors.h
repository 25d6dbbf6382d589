/* A of the active rows of a part, factored, for a run alone: factor_A and solve_A of multiplier_arithmetic.h, compiled once for all units
 * that need them. */
#ifndef MOBOD_ROW_FACTORS_H
#define MOBOD_ROW_FACTORS_H

#include "multiplier_arithmetic.h"

/* factor A of the n active rows of a part; returns FACTORED, or why not */
int factor_active_rows(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work, int n, WholeSystem whole);

/* solve A x = b by these factors; x may be b; returns FACTORED, or why not */
int solve_active_rows(RowWorkspace *work, int n, const double *b, double *x);

#endif
