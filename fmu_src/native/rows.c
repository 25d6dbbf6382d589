#include "rows.h"

#include "elementary.h"
#include "row_arithmetic.h"

#include <stddef.h>
#include <string.h>

RowWorkspace row_workspace(const RowTable *table, double *w) {
    size_t m = (size_t)table->n_rows, nu = (size_t)table->nu, n = (size_t)table->n_joints;
    RowWorkspace work = {.misses = w + table->workspace};
    work.D_E = work.misses + m;
    work.G = work.D_E + m * nu;
    work.z = work.G + m * nu;
    work.dz = work.z + 6 * n;
    work.A = work.dz + 6 * n;
    work.b = work.A + m * m;
    work.errors = work.b + m;
    work.row = work.errors + m;
    work.kept = work.row + nu;
    work.spare = work.kept + nu;
    work.growth = work.spare + 2 * m;

    /* integers, each in the memory of a double */
    work.active = (int *)(void *)(work.growth + m);
    work.factors.order = work.active + m;
    work.factors.reals = work.growth + 2 * m;
    return work;
}

int is_known(const RowJoint *joint, const double *w) {
    const double velocity = 2; /* from this level on, speeds are prescribed */
    return joint->known_level >= 0 && w[joint->known_level] >= velocity;
}

double largest(const double *values, int n) { return largest_number(values, n); }

double largest_along(const RowBlock *block, const double *e) {
    double result = 0;
    for (int i = 0; i < block->n_runs; i++)
        result = fmax(result, largest(e + block->runs[2 * i], block->runs[2 * i + 1]));
    return result;
}

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
