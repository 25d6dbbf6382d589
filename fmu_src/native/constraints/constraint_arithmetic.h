/* The constraint matrix and errors of constraint_matrix.h over Numbers: of one run, and of several side by side (lanes.h), whose rows are
 * enabled, and motions prescribed, in all lanes alike. */
#ifndef MOBOD_CONSTRAINT_ARITHMETIC_H
#define MOBOD_CONSTRAINT_ARITHMETIC_H

#include "factor_arithmetic.h"
#include "factor_solve_arithmetic.h"
#include "row_arithmetic.h"

/* see constraint_matrix */
static inline int find_constraint_matrix(const RowTable *table, const Number *w, int with_velocities, Number *z_of, Number *G) {
    int n = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const int rows = block->n_position + (with_velocities ? block->n_velocity : 0);
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && row < rows; row++) {
            Number *g = G + n++ * table->nu;
            memset(g, 0, (size_t)table->nu * sizeof(Number));
            begin_row(table, block, row, w, z_of, g);
            for (int j = 0; j < block->n_path; j++) {
                const RowJoint *joint = table->joints + block->path[j];
                const Number *z = z_of + 6 * block->path[j];
                add_projected(g + joint->first, w + joint->H, z, joint->nu);
                if (joint->parent >= 0)
                    add_shifted(z_of + 6 * joint->parent, z, w + joint->l);
                if (is_prescribed(joint, w))
                    memset(g + joint->first, 0, (size_t)joint->nu * sizeof(Number));
            }

            /* an error divided by round-off would move the bodies at random */
            const Number is_cancelled = is_round_off(table, block, row, w, z_of, largest_on_path(block, g));
            for (int k = 0; number_any(is_cancelled) && k < table->nu; k++)
                g[k] = number_where(is_cancelled, NUMBER(0.0), g[k]);
        }
    }
    return n;
}

/* see constraint_errors; returns the number of rows */
static inline int find_constraint_errors(const RowTable *table, const Number *w, int with_velocities, Number *errors, Number *largest,
                                         Index *worst) {
    int n = 0;
    *largest = NUMBER(0.0);
    *worst = INDEX(0);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const Number *own = w + (with_velocities ? block->velocity_errors : block->position_errors);
        const int rows = block->n_position + (with_velocities ? block->n_velocity : 0);
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && row < rows; row++) {
            errors[n++] = own[row];
            const Number size = number_abs(own[row]), is_smaller = number_less_equal(size, *largest);
            const Number counts = number_where(number_is_finite(size), size, NUMBER(INFINITY));
            *worst = index_where(is_smaller, *worst, INDEX(i));
            *largest = number_where(is_smaller, *largest, counts);
        }
    }
    return n;
}

/* factor the n rows of work->G, at a distance from the constraint manifold; see solve_for_du */
static inline int factor_G(const RowTable *table, RowWorkspace *work, int n, Number distance) {
    return factor_any(&work->factors, n, table->nu, work->G, tolerance_at_distance(n, distance));
}

/* set work->row to the shortest change of speeds du with G du = work->errors, by the factors */
static inline int solve_for_row(RowWorkspace *work) { return solve_any(&work->factors, work->errors, work->row); }

#endif
