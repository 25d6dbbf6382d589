#include "elimination.h"

#include "elementary.h"
#include "row_arithmetic.h"

#include <stddef.h>
#include <string.h>

static void add_cross(double *torque, const double *l, const double *force) {
    torque[0] += l[1] * force[2] - l[2] * force[1];
    torque[1] += l[2] * force[0] - l[0] * force[2];
    torque[2] += l[0] * force[1] - l[1] * force[0];
}

void eliminate_rows(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    eliminate_enabled(table, w, work.z, work.D_E);
}

void project_rows(const RowTable *table, double *w) {
    RowWorkspace work = row_workspace(table, w);
    for (int i = 0; i < table->n_blocks; i++)
        if (is_acting(table->blocks + i, w))
            project_block(table, table->blocks + i, w, work.z);
}

void eliminate_rows_tangent(const RowTable *table, const double *w, double *dw) {
    RowWorkspace work = row_workspace(table, dw);
    int nu = table->nu;
    double *dA = dw + table->A;

    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const RowPath *path = path_of(table, block, w);
        if (!is_acting(block, w))
            continue;
        for (int row = 0; row < block->n; row++) {
            const double *e = w + table->E + (block->first + row) * nu;
            double *de = dw + table->E + (block->first + row) * nu;
            start_row(table, block, path, row, w, work.z, work.row);
            start_row(table, block, path, row, dw, work.dz, de);
            for (int j = 0; j < path->n_joints; j++) {
                const RowJoint *joint = table->joints + path->joints[j];
                double *z = work.z + 6 * path->joints[j], *dz = work.dz + 6 * path->joints[j];
                add_along_parent(joint, w, dz, de);
                add_along_parent(joint, dw, z, de);
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
            if (largest_where_free(table, path, w, e) == 0)
                for (int k = 0; k < path->n_runs; k++)
                    memset(de + path->runs[2 * k], 0, (size_t)path->runs[2 * k + 1] * sizeof(double));
        }
    }

    /* dA = dE D^-1 E^T + E D^-1 dE^T + E dD^-1 E^T; half of it in D_E: D^-1 dE + dD^-1 E / 2 */
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const RowPath *path = path_of(table, block, w);
        if (!is_acting(block, w))
            continue;
        for (int r = block->first; r < block->first + block->n; r++) {
            double *half = work.D_E + r * nu;
            multiply_by_D_inverse(table, path, dw, w + table->E + r * nu, half);
            for (int k = 0; k < path->n_runs; k++)
                for (int s = path->runs[2 * k]; s < path->runs[2 * k] + path->runs[2 * k + 1]; s++)
                    half[s] /= 2;
            for (int j = 0; j < path->n_joints; j++) {
                const RowJoint *joint = table->joints + path->joints[j];
                add_product(half + joint->first, w + joint->D_inverse, dw + table->E + r * nu + joint->first, joint->nu);
            }
        }
    }
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int o = 0; is_acting(block, w) && o <= block->n_before; o++) {
            const Overlap overlap = overlap_of(table, block, o);
            const RowBlock *other = table->blocks + overlap.block;
            for (int row = 0; is_acting(other, w) && row < block->n; row++)
                for (int s = 0; s < other->n; s++)
                    dA[overlap.at + row * overlap.down + s * overlap.across] =
                        dot_along(path_of(table, other, w), work.D_E + (block->first + row) * nu, w + table->E + (other->first + s) * nu) +
                        dot_along(path_of(table, block, w), work.D_E + (other->first + s) * nu, w + table->E + (block->first + row) * nu);
        }
    }
}

/* From the adjoints of A, add to those of E [row] and of D^-1. row [nu] is a workspace. The adjoint of half of dA / d(E D^-1), see the
 * tangent, is the sum over the rows of E. */
static void add_adjoints_of_products(const RowTable *table, const RowBlock *block, int number, const double *w, double *dw, double *row) {
    const int nu = table->nu, r = block->first + number;
    const double *e = w + table->E + r * nu, *of_A = dw + table->A;
    memset(row, 0, (size_t)nu * sizeof(double));
    for (int o = 0; o < block->n_overlaps; o++) {
        const Overlap overlap = overlap_of(table, block, o);
        const RowBlock *other = table->blocks + overlap.block;
        for (int s = 0; is_acting(other, w) && s < other->n; s++) {
            double of_both = of_A[overlap.at + number * overlap.down + s * overlap.across];
            if (other == block)
                of_both += of_A[overlap.at + s * overlap.down + number * overlap.across];
            add_scaled(path_of(table, other, w), row, of_both, w + table->E + (other->first + s) * nu);
        }
    }
    const RowPath *path = path_of(table, block, w);
    for (int j = 0; j < path->n_joints; j++) {
        const RowJoint *joint = table->joints + path->joints[j];
        const int first = joint->first, n = joint->nu;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                dw[joint->D_inverse + i * n + k] += row[first + i] * e[first + k] / 2;
                dw[table->E + r * nu + first + k] += w[joint->D_inverse + i * n + k] * row[first + i];
            }
    }
}

/* From the adjoints of a row [e], add to those of H, G, l and of the constraint's forces, outward. z [n_joints][6] are the forces in the
 * inward sweep, dz [n_joints][6] a workspace for their adjoints. */
static void add_adjoints_of_row(const RowTable *table, const RowBlock *block, int row, const double *w, double *dw, const double *z,
                                double *dz) {
    const double *e = w + table->E + (block->first + row) * table->nu;
    double *de = dw + table->E + (block->first + row) * table->nu;
    const RowPath *path = path_of(table, block, w);
    for (int j = path->n_joints - 1; j >= 0; j--) {
        const RowJoint *joint = table->joints + path->joints[j];
        const double *own_z = z + 6 * path->joints[j];
        double *of_z = dz + 6 * path->joints[j], *own_de = de + joint->first;
        const int nu = joint->nu;
        memset(of_z, 0, 6 * sizeof(double));
        if (joint->parent >= 0) {
            const double *of_parent = dz + 6 * joint->parent, *l = w + joint->l;
            double left[6];
            memcpy(left, own_z, sizeof left);
            subtract_product(left, w + joint->G, e + joint->first, nu);
            memcpy(of_z, of_parent, sizeof left);
            add_cross(of_z + 3, of_parent, l);
            add_cross(dw + joint->l, left + 3, of_parent);
            for (int i = 0; i < 6; i++)
                for (int k = 0; k < nu; k++) {
                    own_de[k] -= w[joint->G + i * nu + k] * of_z[i];
                    dw[joint->G + i * nu + k] -= of_z[i] * e[joint->first + k];
                }
        }
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < nu; k++) {
                of_z[i] += w[joint->H + i * nu + k] * own_de[k];
                dw[joint->H + i * nu + k] += own_z[i] * own_de[k];
            }
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < joint->n_along; k++) {
                const int at = joint->H_along + i * joint->n_along + k;
                of_z[i] += w[at] * de[joint->along + k];
                dw[at] += own_z[i] * de[joint->along + k];
            }
    }
    for (int i = 0; i < path->n_bodies; i++) {
        const int *on = path->on_bodies + 3 * i;
        for (int k = 0; k < 6; k++)
            dw[block->K + on[2] + 6 * row + k] += dz[6 * on[0] + k];
    }
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        const RowJoint *joint = table->joints + on[0];
        for (int k = 0; k < joint->nu; k++)
            dw[on[1] + joint->nu * row + k] += de[joint->first + k];
    }
}

/* the forces z [n_joints][6] of a row before each joint, in the inward sweep; row_of_e [nu] is a workspace */
static void sweep_inward(const RowTable *table, const RowBlock *block, int row, const double *w, double *z, double *row_of_e) {
    const double *e = w + table->E + (block->first + row) * table->nu;
    const RowPath *path = path_of(table, block, w);
    start_row(table, block, path, row, w, z, row_of_e);
    for (int j = 0; j < path->n_joints; j++) {
        const RowJoint *joint = table->joints + path->joints[j];
        double left[6];
        memcpy(left, z + 6 * path->joints[j], sizeof left);
        subtract_product(left, w + joint->G, e + joint->first, joint->nu);
        if (joint->parent >= 0)
            add_shifted(z + 6 * joint->parent, left, w + joint->l);
    }
}

/* set the adjoints of A to 0, of rows that act */
static void clear_adjoints_of_A(const RowTable *table, const double *w, double *dw) {
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int o = 0; is_acting(block, w) && o <= block->n_before; o++) {
            const Overlap overlap = overlap_of(table, block, o);
            const RowBlock *other = table->blocks + overlap.block;
            for (int r = 0; is_acting(other, w) && r < block->n; r++)
                for (int s = 0; s < other->n; s++)
                    dw[table->A + overlap.at + r * overlap.down + s * overlap.across] = 0;
        }
    }
}

void eliminate_rows_adjoint(const RowTable *table, const double *w, double *dw) {
    RowWorkspace work = row_workspace(table, dw);
    const int nu = table->nu;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; is_acting(block, w) && row < block->n; row++)
            add_adjoints_of_products(table, block, row, w, dw, work.row);
    }
    clear_adjoints_of_A(table, w, dw);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const RowPath *path = path_of(table, block, w);
        for (int row = 0; is_acting(block, w) && row < block->n; row++) {
            const int r = block->first + row;
            /* not of a row that counts as zero */
            if (largest_where_free(table, path, w, w + table->E + r * nu) != 0) {
                sweep_inward(table, block, row, w, work.z, work.row);
                add_adjoints_of_row(table, block, row, w, dw, work.z, work.dz);
            }
            for (int k = 0; k < path->n_runs; k++)
                memset(dw + table->E + r * nu + path->runs[2 * k], 0, (size_t)path->runs[2 * k + 1] * sizeof(double));
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

int run_elimination_adjoint(const void *context, Call *call, const int *at) {
    (void)at;
    eliminate_rows_adjoint(context, call->w, call->dw);
    return 0;
}
