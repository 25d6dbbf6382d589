/* The rows of constraints over Numbers: of one run, and of several side by side (lanes.h), whose rows are enabled, and motions prescribed,
 * in all lanes alike. Which rows carry forces may differ. */
#ifndef MOBOD_ROW_ARITHMETIC_H
#define MOBOD_ROW_ARITHMETIC_H

#include "number.h"
#include "rows.h"
#include "vectors.h"

#include <string.h>

/* see row_workspace */
static inline RowWorkspace workspace_in(const RowTable *table, Number *w) {
    const size_t m = (size_t)table->n_rows, nu = (size_t)table->nu, n = (size_t)table->n_joints, of_part = (size_t)table->most_rows;
    RowWorkspace work = {.misses = w + table->workspace};
    work.jam = work.misses + m;
    work.D_E = work.jam + 2;
    work.G = work.D_E + m * nu;
    work.z = work.G + m * nu;
    work.dz = work.z + 6 * n;
    work.errors = work.z + 6 * ROWS_AT_ONCE * n;
    work.row = work.errors + m;
    work.kept = work.row + nu;
    work.D_eps = work.kept + nu;
    work.A = work.D_eps + nu;
    work.b = work.A + table->most_entries;
    work.product = work.b + m;
    work.spare = work.product + m;
    work.growth = work.spare + 2 * m;

    /* whole numbers, each in the memory of a Number */
    work.active = (int *)(void *)(work.growth + m);
    work.place = (int *)(void *)(work.growth + 2 * m);
    work.in_blocks = (int *)(void *)(work.growth + 3 * m);
    work.factors.order = (Index *)(void *)(work.growth + 3 * m + table->n_blocks);
    work.slips = work.growth + 4 * m + table->n_blocks;
    work.factors.reals = work.slips + (table->n_carried ? 2 * of_part * of_part + of_part : 0);
    return work;
}

/* see is_known; in each lane */
static inline Number are_prescribed_speeds(const RowJoint *joint, const Number *w) {
    const double velocity = 2; /* from this level on, speeds are prescribed */
    return joint->known_level < 0 ? NUMBER(0.0) : number_less_equal(NUMBER(velocity), w[joint->known_level]);
}
static inline int is_prescribed(const RowJoint *joint, const Number *w) { return FIRST_LANE(are_prescribed_speeds(joint, w)) != 0; }

/* y [nu] += D x */
static inline void add_D_times(Number *y, const Number *D, const Number *x, int nu) {
    for (int i = 0; i < nu; i++) {
        Number sum = y[i];
        for (int k = 0; k < nu; k++)
            sum += D[i * nu + k] * x[k];
        y[i] = sum;
    }
}

/* the path of the rows of a block */
static inline const RowPath *path_of(const RowTable *table, const RowBlock *block, const Number *w) {
    return block->choice < 0 ? &block->own : table->paths + (int)FIRST_LANE(w[block->choice]);
}

/* Whether the rows of a block have no bodies: a slot that holds no point. They have no effect. */
static inline int has_no_bodies(const RowBlock *block, const Number *w) { return block->choice >= 0 && FIRST_LANE(w[block->choice]) == 0; }

/* see start_row */
static inline void begin_row(const RowTable *table, const RowBlock *block, const RowPath *path, int row, const Number *v, Number *z,
                             Number *e) {
    for (int i = 0; i < path->n_joints; i++)
        memset(z + 6 * path->joints[i], 0, 6 * sizeof(Number));
    for (int i = 0; i < path->n_runs; i++)
        memset(e + path->runs[2 * i], 0, (size_t)path->runs[2 * i + 1] * sizeof(Number));
    for (int i = 0; i < path->n_bodies; i++) {
        const int *on = path->on_bodies + 3 * i;
        for (int k = 0; k < 6; k++)
            z[6 * on[0] + k] += v[block->K + on[2] + 6 * row + k];
    }
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        const RowJoint *joint = table->joints + on[0];
        for (int k = 0; k < joint->nu; k++)
            e[joint->first + k] += v[on[1] + joint->nu * row + k];
    }
}

/* the largest absolute value of a row [nu] along its path */
static inline Number largest_on_path(const RowPath *path, const Number *e) {
    Number result = NUMBER(0.0);
    for (int i = 0; i < path->n_runs; i++)
        result = larger_size(result, largest_number(e + path->runs[2 * i], path->runs[2 * i + 1]));
    return result;
}

/* y = D^-1 x for all joints */
static inline void multiply_all_by_D_inverse(const RowTable *table, const Number *w, const Number *x, Number *y) {
    for (int i = 0; i < table->n_joints; i++) {
        const RowJoint *joint = table->joints + i;
        if (joint->nu == 1) {
            y[joint->first] = w[joint->D_inverse] * x[joint->first];
            continue;
        }
        for (int k = 0; k < joint->nu; k++)
            y[joint->first + k] = NUMBER(0.0);
        add_D_times(y + joint->first, w + joint->D_inverse, x + joint->first, joint->nu);
    }
}

/* see multiply_by_D_inverse */
static inline void multiply_path_by_D_inverse(const RowTable *table, const RowPath *path, const Number *w, const Number *x, Number *y) {
    for (int i = 0; i < path->n_joints; i++) {
        const RowJoint *joint = table->joints + path->joints[i];
        if (joint->nu == 1) {
            y[joint->first] = w[joint->D_inverse] * x[joint->first];
            continue;
        }
        for (int k = 0; k < joint->nu; k++)
            y[joint->first + k] = NUMBER(0.0);
        add_D_times(y + joint->first, w + joint->D_inverse, x + joint->first, joint->nu);
    }
}

/* shift a force from the body's frame M to that of its parent, and add it */
INLINED void add_shifted(Number *parent, const Number *z, const Number *l) {
    Number x = l[1] * z[5] - l[2] * z[4], y = l[2] * z[3] - l[0] * z[5], of_z = l[0] * z[4] - l[1] * z[3];
    parent[0] += z[0] + x;
    parent[1] += z[1] + y;
    parent[2] += z[2] + of_z;
    for (int i = 3; i < 6; i++)
        parent[i] += z[i];
}

/* e [nu] += H^T z; two independent sums allow parallel execution */
INLINED void add_projected(Number *e, const Number *H, const Number *z, int nu) {
    for (int k = 0; k < nu; k++) {
        Number angular = H[k] * z[0] + H[nu + k] * z[1] + H[2 * nu + k] * z[2];
        Number linear = H[3 * nu + k] * z[3] + H[4 * nu + k] * z[4] + H[5 * nu + k] * z[5];
        e[k] += angular + linear;
    }
}

/* a row [z, e of all speeds] along the speeds of the parent's joint that move the body of a joint too */
static inline void add_along_parent(const RowJoint *joint, const Number *v, const Number *z, Number *e) {
    if (joint->n_along)
        add_projected(e + joint->along, v + joint->H_along, z, joint->n_along);
}

/* a . b along a path */
INLINED Number dot_along(const RowPath *path, const Number *a, const Number *b) {
    /* four independent sums allow parallel execution */
    Number sum[4] = {NUMBER(0.0), NUMBER(0.0), NUMBER(0.0), NUMBER(0.0)};
    for (int i = 0; i < path->n_runs; i++) {
        const Number *x = a + path->runs[2 * i], *y = b + path->runs[2 * i];
        int n = path->runs[2 * i + 1], k = 0;
        for (; k + 4 <= n; k += 4)
            for (int j = 0; j < 4; j++)
                sum[j] += x[k + j] * y[k + j];
        for (; k < n; k++)
            sum[0] += x[k] * y[k];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* a += factor b along a path */
static inline void add_scaled(const RowPath *path, Number *a, Number factor, const Number *b) {
    for (int i = 0; i < path->n_runs; i++)
        for (int k = path->runs[2 * i]; k < path->runs[2 * i] + path->runs[2 * i + 1]; k++)
            a[k] += factor * b[k];
}

/* the same in the lanes of a condition */
static inline void add_scaled_where(Number condition, const RowPath *path, Number *a, Number factor, const Number *b) {
    for (int i = 0; i < path->n_runs; i++)
        for (int k = path->runs[2 * i]; k < path->runs[2 * i] + path->runs[2 * i + 1]; k++)
            a[k] = number_where(condition, a[k] + factor * b[k], a[k]);
}

/* z [6] -= G e */
static inline void subtract_product(Number *z, const Number *G, const Number *e, int nu) {
    for (int k = 0; k < nu; k++) {
        Number e_k = e[k];
        z[0] -= G[k] * e_k;
        z[1] -= G[nu + k] * e_k;
        z[2] -= G[2 * nu + k] * e_k;
        z[3] -= G[3 * nu + k] * e_k;
        z[4] -= G[4 * nu + k] * e_k;
        z[5] -= G[5 * nu + k] * e_k;
    }
}

/* whether the u_dot of a joint are unknown, in each lane */
static inline Number is_free(const RowJoint *joint, const Number *w) {
    return joint->known_level < 0 ? NUMBER(1.0) : number_equal(w[joint->known_level], NUMBER(0.0));
}

/* the largest absolute value of a row at joints whose u_dot is unknown */
static inline Number largest_where_free(const RowTable *table, const RowPath *path, const Number *w, const Number *e) {
    Number result = NUMBER(0.0);
    if (!path->may_be_known)
        return largest_on_path(path, e);
    for (int i = 0; i < path->n_joints; i++) {
        const RowJoint *joint = table->joints + path->joints[i];
        result = number_where(is_free(joint, w), larger_size(result, largest_number(e + joint->first, joint->nu)), result);
    }
    return result;
}

/* the largest of a moment and a force [6], as moments */
static inline Number largest_moment(const RowTable *table, const Number *z) {
    return larger_size(largest_number(z, 3), table->length * largest_number(z + 3, 3));
}

/* the largest of n forces along speeds, as moments */
static inline Number largest_along(const double *levers, const Number *e, int n) {
    Number result = NUMBER(0.0);
    for (int k = 0; k < n; k++)
        result = larger_size(result, levers[k] * number_abs(e[k]));
    return result;
}

/* Whether joints or prescribed motions already satisfy a row, so that only round-off is left of its forces along speeds e [nu]; `of_free`:
 * where u_dot is unknown. left: their largest absolute value; z contains the row in the inward sweep: for each joint, the force that it
 * transmits to its parent. Moments and forces have different units: all are compared as moments. */
static inline Number is_round_off(const RowTable *table, const RowBlock *block, int row, const Number *w, const Number *z, const Number *e,
                                  int of_free, Number left) {
    const RowPath *path = path_of(table, block, w);
    Number terms = NUMBER(0.0);
    for (int i = 0; i < path->n_bodies; i++)
        terms = larger_size(terms, largest_moment(table, w + block->K + path->on_bodies[3 * i + 2] + 6 * row));
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        const RowJoint *joint = table->joints + on[0];
        terms = larger_size(terms, largest_along(table->levers + joint->first, w + on[1] + joint->nu * row, joint->nu));
    }
    const double least_lever = table->length < 1 ? table->length : 1;
    const Number is_whole = number_less(1e3 * CANCELLED * terms, least_lever * left);
    if (number_all(is_whole))
        return number_not(is_whole);
    Number size = NUMBER(0.0);
    for (int i = 0; i < path->n_joints; i++) {
        const RowJoint *joint = table->joints + path->joints[i];
        terms = larger_size(terms, largest_moment(table, z + 6 * path->joints[i]));
        const Number along = larger_size(size, largest_along(table->levers + joint->first, e + joint->first, joint->nu));
        size = of_free ? number_where(is_free(joint, w), along, size) : along;
    }
    return number_and(number_not(is_whole), number_less_equal(size, CANCELLED * terms));
}

/* Round-off must not be divided by round-off: a row that is nothing else is set to 0 where u_dot is unknown. */
static inline void clear_if_cancelled(const RowTable *table, const RowBlock *block, int row, const Number *w, const Number *z, Number *e) {
    const RowPath *path = path_of(table, block, w);
    const Number is_cancelled = is_round_off(table, block, row, w, z, e, 1, largest_where_free(table, path, w, e));
    if (!number_any(is_cancelled))
        return;
    for (int i = 0; i < path->n_joints; i++) {
        const RowJoint *joint = table->joints + path->joints[i];
        for (int k = joint->first; k < joint->first + joint->nu; k++)
            e[k] = number_where(number_and(is_cancelled, is_free(joint, w)), NUMBER(0.0), e[k]);
    }
}

/* Move a row [z, e] inward past a joint of nu speeds. The compiler makes separate copies for one speed and for six, the most frequent
 * cases. Local variables let it use registers, because pointers may refer to the same memory. */
static inline void pass_joint(const RowJoint *joint, int nu, const Number *w, Number *z, Number *e, Number *parent) {
    add_projected(e, w + joint->H, z, nu);
    if (parent) {
        Number left[6];
        memcpy(left, z, sizeof left);
        subtract_product(left, w + joint->G, e, nu);
        memcpy(z, left, sizeof left);
        add_shifted(parent, left, w + joint->l);
    }
}

/* whether the rows of a block act in any lane: as equations, or by a force that they carry */
static inline int is_acting(const RowBlock *block, const Number *w) {
    return FIRST_LANE(w[block->enabled]) != 0 || (block->carried && number_any(w[block->carried->flag]));
}

/* the same in each lane */
static inline Number acts(const RowBlock *block, const Number *w) {
    return block->carried ? number_or(w[block->enabled], w[block->carried->flag]) : number_not_equal(w[block->enabled], NUMBER(0.0));
}

/* Compute E of n rows of a block, at most ROWS_AT_ONCE, which pass each joint together: a row waits for its own last joint, and the others
 * fill the time. of_z: RowWorkspace.z */
static inline void project_some_rows(const RowTable *table, const RowBlock *block, int row, int n, Number *w, Number *of_z) {
    const int nu = table->nu, of_row = 6 * table->n_joints;
    const RowPath *path = path_of(table, block, w);
    Number *e = w + table->E + (block->first + row) * nu;
    for (int r = 0; r < n; r++)
        begin_row(table, block, path, row + r, w, of_z + r * of_row, e + r * nu);
    for (int j = 0; j < path->n_joints; j++) {
        const RowJoint *joint = table->joints + path->joints[j];
        for (int r = 0; r < n; r++) {
            Number *z_of = of_z + r * of_row, *own = e + r * nu + joint->first;
            Number *z = z_of + 6 * path->joints[j], *parent = joint->parent >= 0 ? z_of + 6 * joint->parent : NULL;
            add_along_parent(joint, w, z, e + r * nu);
            if (joint->nu == 1)
                pass_joint(joint, 1, w, z, own, parent);
            else if (joint->nu == 6)
                pass_joint(joint, 6, w, z, own, parent);
            else
                pass_joint(joint, joint->nu, w, z, own, parent);
        }
    }
    for (int r = 0; r < n; r++)
        clear_if_cancelled(table, block, row + r, w, of_z + r * of_row, e + r * nu);
}

/* compute E of the rows of a block; of_z [ROWS_AT_ONCE][n_joints][6]: RowWorkspace.z */
static inline void project_block(const RowTable *table, const RowBlock *block, Number *w, Number *of_z) {
    for (int row = 0; row < block->n; row += ROWS_AT_ONCE)
        project_some_rows(table, block, row, block->n - row < ROWS_AT_ONCE ? block->n - row : ROWS_AT_ONCE, w, of_z);
}

/* the overlap number k of a block; without a list those of all blocks lie in A [n_rows][n_rows], below the diagonal */
static inline Overlap overlap_of(const RowTable *table, const RowBlock *block, int k) {
    if (!block->overlaps) {
        const int is_earlier = k <= (int)(block - table->blocks), n = table->n_rows, one = block->first, other = table->blocks[k].first;
        return is_earlier ? (Overlap){k, one * n + other, n, 1} : (Overlap){k, other * n + one, 1, n};
    }
    const int *of = block->overlaps + 4 * k;
    return (Overlap){of[0], of[1], of[2], of[3]};
}

/* whether any row is an equation */
static inline int has_equations(const RowTable *table, const Number *w) {
    for (int i = 0; i < table->n_blocks; i++)
        if (FIRST_LANE(w[table->blocks[i].enabled]) != 0)
            return 1;
    return 0;
}

/* the products of row r of a block with its own earlier rows and those of earlier blocks that act; D_E: of row r */
static inline void find_products_of_row(const RowTable *table, const RowBlock *block, int r, const Number *D_E, Number *w) {
    for (int o = 0; o <= block->n_before; o++) {
        const Overlap overlap = overlap_of(table, block, o);
        const RowBlock *other = table->blocks + overlap.block;
        if (!is_acting(other, w) || (other != block && FIRST_LANE(w[block->enabled]) == 0 && FIRST_LANE(w[other->enabled]) == 0))
            continue;
        Number *products = w + table->A + overlap.at;
        for (int s = 0; s < (other == block ? r + 1 : other->n); s++)
            products[r * overlap.down + s * overlap.across] =
                dot_along(path_of(table, other, w), D_E, w + table->E + (other->first + s) * table->nu);
        for (int s = 0; other == block && s < r; s++)
            products[s * overlap.down + r * overlap.across] = products[r * overlap.down + s * overlap.across];
    }
}

/* See eliminate_rows; of_z and all_D_E: RowWorkspace.z and .D_E. Of rows that only carry forces, products are
 * needed with equations alone. */
static inline void eliminate_enabled(const RowTable *table, Number *w, Number *of_z, Number *all_D_E) {
    const int nu = table->nu, needs_products = has_equations(table, w);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (!is_acting(block, w))
            continue;
        project_block(table, block, w, of_z);
        for (int row = 0; needs_products && row < block->n; row++) {
            Number *D_E = all_D_E + (block->first + row) * nu;
            if (block->choice >= 0) /* of another path before */
                memset(D_E, 0, (size_t)nu * sizeof(Number));
            multiply_path_by_D_inverse(table, path_of(table, block, w), w, w + table->E + (block->first + row) * nu, D_E);
            find_products_of_row(table, block, row, D_E, w);
        }
    }
}

#endif
