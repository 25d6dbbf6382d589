#include "row_factors.h"

int factor_active_rows(const RowTable *table, const RowPart *part, const double *w, RowWorkspace *work, int n, WholeSystem whole) {
    return factor_A(table, part, w, work, n, whole);
}

int solve_active_rows(RowWorkspace *work, int n, const double *b, double *x) { return solve_A(work, n, b, x); }
