#include "rows.h"

#include "elementary.h"
#include "row_arithmetic.h"

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
    const Overlap own = overlap_of(block, block->n_before);
    return w[table->A + own.at + (row - block->first) * (own.down + own.across)];
}

double largest(const double *values, int n) { return largest_number(values, n); }

void start_row(const RowTable *table, const RowBlock *block, int row, const double *v, double *z, double *e) {
    begin_row(table, block, row, v, z, e);
}

void add_product(double *y, const double *D, const double *x, int nu) { add_D_times(y, D, x, nu); }

void multiply_by_D_inverse(const RowTable *table, const RowBlock *block, const double *w, const double *x, double *y) {
    multiply_path_by_D_inverse(table, block, w, x, y);
}

void shift_outward(const RowJoint *joint, const double *w, const double *motions, double *own) {
    memset(own, 0, 6 * sizeof(double));
    if (joint->parent < 0)
        return;
    const double *of_parent = motions + 6 * joint->parent, *l = w + joint->l;
    memcpy(own, of_parent, 6 * sizeof(double));
    own[3] += of_parent[1] * l[2] - of_parent[2] * l[1];
    own[4] += of_parent[2] * l[0] - of_parent[0] * l[2];
    own[5] += of_parent[0] * l[1] - of_parent[1] * l[0];
}

void rates_along(const RowTable *table, const double *w, const double *v, double *V, double *rates) {
    for (int j = table->n_joints - 1; j >= 0; j--) {
        const RowJoint *joint = table->joints + j;
        double *own = V + 6 * j;
        shift_outward(joint, w, V, own);
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < joint->nu; k++)
                own[i] += w[joint->H + i * joint->nu + k] * v[joint->first + k];
    }
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; row < block->n; row++) {
            double *rate = rates + block->first + row;
            *rate = 0;
            for (int b = 0; b < block->n_bodies; b++)
                for (int k = 0; k < 6; k++)
                    *rate += w[block->on_bodies[3 * b + 2] + 6 * row + k] * V[6 * block->on_bodies[3 * b] + k];
            for (int b = 0; b < block->n_mobilities; b++) {
                const RowJoint *joint = table->joints + block->on_mobilities[2 * b];
                for (int k = 0; k < joint->nu; k++)
                    *rate += w[block->on_mobilities[2 * b + 1] + joint->nu * row + k] * v[joint->first + k];
            }
        }
    }
}
