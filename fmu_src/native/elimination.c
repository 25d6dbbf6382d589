#include "elimination.h"

#include "elementary.h"

#include <stddef.h>
#include <string.h>

static void add_cross(double *torque, const double *l, const double *force) {
    torque[0] += l[1] * force[2] - l[2] * force[1];
    torque[1] += l[2] * force[0] - l[0] * force[2];
    torque[2] += l[0] * force[1] - l[1] * force[0];
}

/* z [6] -= G e */
static inline void subtract_product(double *z, const double *G, const double *e, int nu) {
    for (int k = 0; k < nu; k++) {
        double e_k = e[k];
        z[0] -= G[k] * e_k;
        z[1] -= G[nu + k] * e_k;
        z[2] -= G[2 * nu + k] * e_k;
        z[3] -= G[3 * nu + k] * e_k;
        z[4] -= G[4 * nu + k] * e_k;
        z[5] -= G[5 * nu + k] * e_k;
    }
}

/* the largest absolute value of a row at joints whose u_dot is unknown */
static double largest_where_free(const RowTable *table, const RowBlock *block, const double *w, const double *e) {
    double result = 0;
    for (int i = 0; i < block->n_path; i++) {
        const RowJoint *joint = table->joints + block->path[i];
        if (joint->known_level < 0 || w[joint->known_level] == 0)
            result = fmax(result, largest(e + joint->first, joint->nu));
    }
    return result;
}

/* If joints or prescribed motions already satisfy a row, only round-off is left of it, which would be divided by round-off. Such a row
 * is set to 0 where u_dot is unknown. z contains the row in the inward sweep: for each joint, the force that it transmits to its parent. */
static void clear_if_cancelled(const RowTable *table, const RowBlock *block, int row, const double *w, const double *z, double *e) {
    double left = largest_where_free(table, block, w, e), terms = 0;
    for (int i = 0; i < block->n_bodies; i++)
        terms = fmax(terms, largest(w + block->on_bodies[3 * i + 2] + 6 * row, 6));
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        int nu = table->joints[on[0]].nu;
        terms = fmax(terms, largest(w + on[1] + nu * row, nu));
    }
    if (left > 1e3 * CANCELLED * terms)
        return;
    for (int i = 0; i < block->n_path; i++)
        terms = fmax(terms, largest(z + 6 * block->path[i], 6));
    if (left <= CANCELLED * terms)
        for (int i = 0; i < block->n_path; i++) {
            const RowJoint *joint = table->joints + block->path[i];
            if (joint->known_level < 0 || w[joint->known_level] == 0)
                memset(e + joint->first, 0, (size_t)joint->nu * sizeof(double));
        }
}

/* Move a row [z, e] inward past a joint of nu speeds. The compiler makes a separate copy for one speed, the most frequent case. Local
 * variables let it use registers, because pointers may refer to the same memory. */
static inline void pass_joint(const RowJoint *joint, int nu, const double *w, double *z, double *e, double *parent) {
    add_projected(e, w + joint->H, z, nu);
    if (parent) {
        double left[6];
        memcpy(left, z, sizeof left);
        subtract_product(left, w + joint->G, e, nu);
        memcpy(z, left, sizeof left);
        add_shifted(parent, left, w + joint->l);
    }
}

void eliminate_rows(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    int m = table->n_rows, nu = table->nu;
    double *A = w + table->A;

    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
            continue;
        for (int row = 0; row < block->n; row++) {
            double *e = w + table->E + (block->first + row) * nu;
            start_row(table, block, row, w, work.z, e);
            for (int j = 0; j < block->n_path; j++) {
                const RowJoint *joint = table->joints + block->path[j];
                double *z = work.z + 6 * block->path[j], *parent = joint->parent >= 0 ? work.z + 6 * joint->parent : NULL;
                if (joint->nu == 1)
                    pass_joint(joint, 1, w, z, e + joint->first, parent);
                else
                    pass_joint(joint, joint->nu, w, z, e + joint->first, parent);
            }
            clear_if_cancelled(table, block, row, w, work.z, e);
            double *D_e = work.D_E + (block->first + row) * nu;
            multiply_by_D_inverse(table, block, w, e, D_e);

            /* the products with this row and the rows before it */
            for (int k = 0; k <= i; k++) {
                const RowBlock *other = table->blocks + k;
                if (w[other->enabled] == 0)
                    continue;
                int r = block->first + row, end = k < i ? other->first + other->n : r + 1;
                for (int s = other->first; s < end; s++)
                    A[r * m + s] = A[s * m + r] = dot_along(other, D_e, w + table->E + s * nu);
            }
        }
    }
}

void eliminate_rows_tangent(const RowTable *table, const double *w, double *dw) {
    RowWorkspace work = row_workspace(table, dw);
    int m = table->n_rows, nu = table->nu;
    double *dA = dw + table->A;

    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
            continue;
        for (int row = 0; row < block->n; row++) {
            const double *e = w + table->E + (block->first + row) * nu;
            double *de = dw + table->E + (block->first + row) * nu;
            start_row(table, block, row, w, work.z, work.row);
            start_row(table, block, row, dw, work.dz, de);
            for (int j = 0; j < block->n_path; j++) {
                const RowJoint *joint = table->joints + block->path[j];
                double *z = work.z + 6 * block->path[j], *dz = work.dz + 6 * block->path[j];
                add_projected(de + joint->first, w + joint->H, dz, joint->nu);
                add_projected(de + joint->first, dw + joint->H, z, joint->nu);
                if (joint->parent >= 0) {
                    double *parent = work.z + 6 * joint->parent, *d_parent = work.dz + 6 * joint->parent;
                    subtract_product(z, w + joint->G, e + joint->first, joint->nu);
                    subtract_product(dz, w + joint->G, de + joint->first, joint->nu);
                    subtract_product(dz, dw + joint->G, e + joint->first, joint->nu);
                    add_shifted(parent, z, w + joint->l);
                    add_shifted(d_parent, dz, w + joint->l);
                    add_cross(d_parent, dw + joint->l, z + 3);
                }
            }

            /* a row that counts as zero */
            if (largest_where_free(table, block, w, e) == 0)
                for (int k = 0; k < block->n_runs; k++)
                    memset(de + block->runs[2 * k], 0, (size_t)block->runs[2 * k + 1] * sizeof(double));
        }
    }

    /* dA = dE D^-1 E^T + E D^-1 dE^T + E dD^-1 E^T; half of it in D_E: D^-1 dE + dD^-1 E / 2 */
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (w[block->enabled] == 0)
            continue;
        for (int r = block->first; r < block->first + block->n; r++) {
            double *half = work.D_E + r * nu;
            multiply_by_D_inverse(table, block, dw, w + table->E + r * nu, half);
            for (int k = 0; k < block->n_runs; k++)
                for (int s = block->runs[2 * k]; s < block->runs[2 * k] + block->runs[2 * k + 1]; s++)
                    half[s] /= 2;
            for (int j = 0; j < block->n_path; j++) {
                const RowJoint *joint = table->joints + block->path[j];
                add_product(half + joint->first, w + joint->D_inverse, dw + table->E + r * nu + joint->first, joint->nu);
            }
        }
    }
    for (int i = 0; i < table->n_blocks; i++)
        for (int k = 0; k <= i; k++) {
            const RowBlock *block = table->blocks + i, *other = table->blocks + k;
            if (w[block->enabled] == 0 || w[other->enabled] == 0)
                continue;
            for (int r = block->first; r < block->first + block->n; r++)
                for (int s = other->first; s < other->first + other->n; s++) {
                    double change = dot_along(other, work.D_E + r * nu, w + table->E + s * nu) +
                                    dot_along(block, work.D_E + s * nu, w + table->E + r * nu);
                    dA[r * m + s] = dA[s * m + r] = change;
                }
        }
}

int run_elimination(const void *context, Call *call, const int *at) {
    (void)at;
    eliminate_rows(context, call->w);
    return 0;
}

int run_elimination_tangent(const void *context, Call *call, const int *at) {
    (void)at;
    eliminate_rows_tangent(context, call->w, call->dw);
    return 0;
}
