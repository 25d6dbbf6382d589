/* What rows do, over Numbers: forces by multipliers, rates along motions, and the response of speeds to impulses; see row_arithmetic.h. */
#ifndef MOBOD_RESPONSE_ARITHMETIC_H
#define MOBOD_RESPONSE_ARITHMETIC_H

#include "row_arithmetic.h"

/* Forces on bodies and mobilities -= factor * row; the row is read from v. Where it does not act, its factor is 0: a difference of 0 and
 * a zero of any sign is 0. */
static inline void add_forces(const RowTable *table, const RowBlock *block, const RowPath *path, int row, Number factor, const Number *v,
                              Number *result) {
    for (int i = 0; i < path->n_bodies; i++) {
        const int *on = path->on_bodies + 3 * i;
        for (int k = 0; k < 6; k++)
            result[table->body_forces + 6 * on[1] + k] -= factor * v[block->K + on[2] + 6 * row + k];
    }
    for (int i = 0; i < block->n_mobilities; i++) {
        const int *on = block->on_mobilities + 2 * i;
        const RowJoint *joint = table->joints + on[0];
        for (int k = 0; k < joint->nu; k++)
            result[table->mobility_forces + joint->first + k] -= factor * v[on[1] + joint->nu * row + k];
    }
}

static inline void clear_forces(const RowTable *table, Number *result) {
    memset(result + table->body_forces, 0, (size_t)table->n_bodies * 6 * sizeof(Number));
    memset(result + table->mobility_forces, 0, (size_t)table->nu * sizeof(Number));
}

/* set constrained_eps and the forces from the multipliers */
static inline void apply_multipliers(const RowTable *table, Number *w) {
    memcpy(w + table->constrained_eps, w + table->eps, (size_t)table->nu * sizeof(Number));
    clear_forces(table, w);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (!is_acting(block, w))
            continue;
        const Number acting = acts(block, w);
        const RowPath *path = path_of(table, block, w);
        for (int row = 0; row < block->n; row++) {
            const Number multiplier = w[table->multipliers + block->first + row], *e = w + table->E + (block->first + row) * table->nu;
            if (number_all(acting))
                add_scaled(path, w + table->constrained_eps, -multiplier, e);
            else
                add_scaled_where(acting, path, w + table->constrained_eps, -multiplier, e);
            add_forces(table, block, path, row, multiplier, w, w);
        }
    }
}

/* see shift_outward */
static inline void shift_motion_outward(const RowJoint *joint, const Number *w, const Number *motions, Number *own) {
    memset(own, 0, 6 * sizeof(Number));
    if (joint->parent < 0)
        return;
    const Number *of_parent = motions + 6 * joint->parent, *l = w + joint->l;
    memcpy(own, of_parent, 6 * sizeof(Number));
    own[3] += of_parent[1] * l[2] - of_parent[2] * l[1];
    own[4] += of_parent[2] * l[0] - of_parent[0] * l[2];
    own[5] += of_parent[0] * l[1] - of_parent[1] * l[0];
}

/* motion [6] += the part by the speeds v [nu] of the parent's joint that move the body too */
static inline void add_motion_along_parent(const RowJoint *joint, const Number *w, const Number *v, Number *motion) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < joint->n_along; k++)
            motion[i] += w[joint->H_along + i * joint->n_along + k] * v[joint->along + k];
}

/* see rates_along */
static inline void find_rates_along(const RowTable *table, const Number *w, const Number *v, Number *V, Number *rates) {
    for (int j = table->n_joints - 1; j >= 0; j--) {
        const RowJoint *joint = table->joints + j;
        Number *own = V + 6 * j;
        shift_motion_outward(joint, w, V, own);
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < joint->nu; k++)
                own[i] += w[joint->H + i * joint->nu + k] * v[joint->first + k];
        add_motion_along_parent(joint, w, v, own);
    }
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (has_no_bodies(block, w)) {
            memset(rates + block->first, 0, (size_t)block->n * sizeof(Number));
            continue;
        }
        const RowPath *path = path_of(table, block, w);
        for (int row = 0; row < block->n; row++) {
            Number rate = NUMBER(0.0);
            for (int b = 0; b < path->n_bodies; b++)
                for (int k = 0; k < 6; k++)
                    rate += w[block->K + path->on_bodies[3 * b + 2] + 6 * row + k] * V[6 * path->on_bodies[3 * b] + k];
            for (int b = 0; b < block->n_mobilities; b++) {
                const RowJoint *joint = table->joints + block->on_mobilities[2 * b];
                for (int k = 0; k < joint->nu; k++)
                    rate += w[block->on_mobilities[2 * b + 1] + joint->nu * row + k] * v[joint->first + k];
            }
            rates[block->first + row] = rate;
        }
    }
}

/* The change of speeds by impulses of the rows, M^-1 G^T impulses; E contains the rows. eps [nu] and A [n_joints][6] are workspaces; both
 * and `change` are overwritten. block_of_row [n_rows]: the block of each row */
static inline void find_response_to(const RowTable *table, const Number *w, const Number *impulses, const int *block_of_row, Number *eps,
                                    Number *A_of, Number *change_of) {
    const int nu = table->nu;
    memset(eps, 0, (size_t)nu * sizeof(Number));
    for (int row = 0; row < table->n_rows; row++)
        if (number_any(impulses[row]))
            add_scaled(path_of(table, table->blocks + block_of_row[row], w), eps, impulses[row], w + table->E + row * nu);
    for (int j = table->n_joints - 1; j >= 0; j--) {
        const RowJoint *joint = table->joints + j;
        Number *A = A_of + 6 * j, *change = change_of + joint->first;
        shift_motion_outward(joint, w, A_of, A);
        for (int k = 0; k < joint->nu; k++) {
            change[k] = NUMBER(0.0);
            for (int i = 0; joint->parent >= 0 && i < 6; i++)
                change[k] -= w[joint->G + i * joint->nu + k] * A[i];
        }
        add_D_times(change, w + joint->D_inverse, eps + joint->first, joint->nu);
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < joint->nu; k++)
                A[i] += w[joint->H + i * joint->nu + k] * change[k];
        add_motion_along_parent(joint, w, change_of, A);
    }
}

#endif
