#include "rows.h"

#include "elementary.h"
#include "response_arithmetic.h"

#include <stddef.h>
#include <string.h>

RowWorkspace row_workspace(const RowTable *table, double *w) { return workspace_in(table, w); }

int is_known(const RowJoint *joint, const double *w) { return is_prescribed(joint, w); }

double own_product(const RowTable *table, const double *w, int row) {
    /* the last block that does not begin after the row */
    int at = 0, end = table->n_blocks;
    while (end - at > 1) {
        const int middle = at + (end - at) / 2;
        if (table->blocks[middle].first <= row)
            at = middle;
        else
            end = middle;
    }
    const RowBlock *block = table->blocks + at;
    const Overlap own = overlap_of(table, block, block->n_before);
    return w[table->A + own.at + (row - block->first) * (own.down + own.across)];
}

double largest(const double *values, int n) { return largest_number(values, n); }

const RowPath *path_of_block(const RowTable *table, const RowBlock *block, const double *w) { return path_of(table, block, w); }

void start_row(const RowTable *table, const RowBlock *block, const RowPath *path, int row, const double *v, double *z, double *e) {
    begin_row(table, block, path, row, v, z, e);
}

void add_product(double *y, const double *D, const double *x, int nu) { add_D_times(y, D, x, nu); }

void multiply_by_D_inverse(const RowTable *table, const RowPath *path, const double *w, const double *x, double *y) {
    multiply_path_by_D_inverse(table, path, w, x, y);
}

void shift_outward(const RowJoint *joint, const double *w, const double *motions, double *own) {
    shift_motion_outward(joint, w, motions, own);
}

void rates_along(const RowTable *table, const double *w, const double *v, double *V, double *rates) {
    find_rates_along(table, w, v, V, rates);
}
