/* The matrix G of constraints, their errors, and the shortest change of speeds that removes an error, which projections use. Over Numbers:
 * of one run, and of several side by side (lanes.h), whose rows are enabled, and motions prescribed, in all lanes alike. */
#ifndef MOBOD_CONSTRAINT_ARITHMETIC_H
#define MOBOD_CONSTRAINT_ARITHMETIC_H

#include "factor_arithmetic.h"
#include "factor_solve_arithmetic.h"
#include "part_arithmetic.h"
#include "sparse_cholesky_arithmetic.h"

enum { LEAST_SPARSE_OF_G = 25 }; /* see LEAST_SPARSE; a sparse solution takes two refinements of the same cost */

/* how many errors a block has: of positions, or also the others that restrict velocities */
static inline int n_errors(const RowBlock *block, const Number *w, int with_velocities) {
    return FIRST_LANE(w[block->enabled]) == 0 ? 0 : block->n_position + (with_velocities ? block->n_velocity : 0);
}

static inline Number *row_of_G(const RowTable *table, Number *G, const RowBlock *block, int row) {
    return G + (block->first + row) * table->nu;
}

/* Set the rows of an enabled block in G [n_rows][nu]: those of position errors, or also the others that restrict velocities. Columns of
 * mobilities with prescribed speeds are 0, since a projection does not change these; rows that the joints already satisfy are 0. */
static inline void find_matrix_of_block(const RowTable *table, const RowBlock *block, const Number *w, int with_velocities, Number *z_of,
                                        Number *G) {
    const RowPath *path = path_of(table, block, w);
    for (int row = 0; row < n_errors(block, w, with_velocities); row++) {
        Number *g = row_of_G(table, G, block, row);
        if (block->choice >= 0) /* of another path before */
            memset(g, 0, (size_t)table->nu * sizeof(Number));
        begin_row(table, block, path, row, w, z_of, g);
        for (int j = 0; j < path->n_joints; j++) {
            const RowJoint *joint = table->joints + path->joints[j];
            const Number *z = z_of + 6 * path->joints[j];
            add_along_parent(joint, w, z, g);
            add_projected(g + joint->first, w + joint->H, z, joint->nu);
            if (joint->parent >= 0)
                add_shifted(z_of + 6 * joint->parent, z, w + joint->l);
            if (is_prescribed(joint, w))
                memset(g + joint->first, 0, (size_t)joint->nu * sizeof(Number));
        }

        /* an error divided by round-off would move the bodies at random */
        const Number is_cancelled = is_round_off(table, block, row, w, z_of, g, 0, largest_on_path(path, g));
        if (number_any(is_cancelled))
            for (int i = 0; i < path->n_runs; i++)
                for (int k = path->runs[2 * i]; k < path->runs[2 * i] + path->runs[2 * i + 1]; k++)
                    g[k] = number_where(is_cancelled, NUMBER(0.0), g[k]);
    }
}

static inline void find_constraint_matrix(const RowTable *table, const Number *w, int with_velocities, Number *z_of, Number *G) {
    for (int i = 0; i < table->n_blocks; i++)
        find_matrix_of_block(table, table->blocks + i, w, with_velocities, z_of, G);
}

/* Read the errors of enabled constraints. worst: number of the block with the largest one. */
static inline void find_constraint_errors(const RowTable *table, const Number *w, int with_velocities, Number *errors, Number *largest,
                                          Index *worst) {
    *largest = NUMBER(0.0);
    *worst = INDEX(0);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const Number *own = w + (with_velocities ? block->velocity_errors : block->position_errors);
        for (int row = 0; row < n_errors(block, w, with_velocities); row++) {
            errors[block->first + row] = own[row];
            const Number size = number_abs(own[row]), is_smaller = number_less_equal(size, *largest);
            const Number counts = number_where(number_is_finite(size), size, NUMBER(INFINITY));
            *worst = index_where(is_smaller, *worst, INDEX(i));
            *largest = number_where(is_smaller, *largest, counts);
        }
    }
}

/* the largest entry of the rows of blocks [n] of work->G; NULL: of the first n blocks */
static inline Number largest_of_G(const RowTable *table, int n, const int *blocks, const Number *w, int with_velocities, const Number *G) {
    Number largest = NUMBER(0.0);
    for (int i = 0; i < n; i++) {
        const RowBlock *block = table->blocks + (blocks ? blocks[i] : i);
        for (int row = 0; row < n_errors(block, w, with_velocities); row++)
            largest = number_max(largest, largest_on_path(path_of(table, block, w), G + (block->first + row) * table->nu));
    }
    return largest;
}

/* the same for the distance of position errors; see distance_of_errors */
static inline Number distance_by_rows(const RowTable *table, int n, const int *blocks, const Number *w, const Number *G,
                                      const Number *errors) {
    const Number least_size = least_size_for(largest_of_G(table, n, blocks, w, 0, G));
    Number distance = NUMBER(0.0);
    for (int i = 0; i < n; i++) {
        const RowBlock *block = table->blocks + (blocks ? blocks[i] : i);
        for (int row = 0; row < n_errors(block, w, 0); row++) {
            const Number size = largest_on_path(path_of(table, block, w), G + (block->first + row) * table->nu);
            distance = farther(distance, errors[block->first + row], size, least_size);
        }
    }
    return distance;
}

/* how many Numbers the factors of G of a part need: rank, kind, and those of either kind */
static inline size_t reals_of_G(const RowPart *part) {
    const size_t m = (size_t)part->n_rows, n = (size_t)part->n_columns;
    const size_t of_sparse = part->pattern ? (size_t)part->pattern->size + 2 * m : 0, of_dense = m * n + m * m + 6 * m + n;
    return 2 + (of_sparse > of_dense ? of_sparse : of_dense);
}

/* the sparse factors of G G^T of a part, in memory of reals_of_G; m: its rows. Returns whether all rows are in the order of elimination. */
static inline int sparse_factors_of_G(const RowTable *table, const RowPart *part, const Number *w, RowWorkspace *work, int with_velocities,
                                      int m, Number *kept, SparseFactors *factors) {
    const int n_columns = part->pattern->n_columns;
    int *rows = work->in_blocks, *first = rows + n_columns, n = 0;
    for (int k = 0; k < n_columns; k++) {
        first[k] = n;
        n += rows[k] = n_errors(table->blocks + part->order[k], w, with_velocities);
    }
    *factors = sparse_factors_in(part->pattern, work->in_blocks, part->n_rows, kept + 2, work->A);
    return n == m;
}

/* set the matrix to G G^T */
static inline void square_G(const RowTable *table, const RowPart *part, const Number *w, const Number *G, SparseFactors *factors) {
    const CholeskyPattern *pattern = part->pattern;
    memset(factors->L, 0, (size_t)pattern->size * sizeof(Number));
    for (int e = 0; e < pattern->n_entries; e++) {
        const int *entry = pattern->entries + 3 * e, stride = pattern->columns[entry[1]].n;
        const RowBlock *block = table->blocks + part->order[entry[0]], *other = table->blocks + part->order[entry[1]];
        for (int r = 0; r < factors->rows[entry[0]]; r++)
            for (int s = 0; s < factors->rows[entry[1]]; s++)
                factors->L[entry[2] + r * stride + s] =
                    dot_along(path_of(table, other, w), G + (block->first + r) * table->nu, G + (other->first + s) * table->nu);
    }
}

static inline int rows_of_G(const RowTable *table, const RowPart *part, const Number *w, int with_velocities) {
    int m = 0;
    for (int i = 0; i < part->n_blocks; i++)
        m += n_errors(table->blocks + part->blocks[i], w, with_velocities);
    return m;
}

/* Factor the rows of work->G of a part. kept [reals_of_G], order [rows]: memory of the factors; largest: the size that round-off is
 * relative to. See solve_for_du. */
static inline int factor_part_of_G(const RowTable *table, const RowPart *part, const Number *w, RowWorkspace *work, int with_velocities,
                                   Number largest, Number distance, Number *kept, Index *order) {
    const int m = rows_of_G(table, part, w, with_velocities);
    const Number tolerance = tolerance_at_distance(m, distance);
    if (m == 0)
        return FACTORED;
    SparseFactors sparse;
    kept[1] = NUMBER(1.0);
    if (part->pattern && m >= LEAST_SPARSE_OF_G && sparse_factors_of_G(table, part, w, work, with_velocities, m, kept, &sparse)) {
        int rank;
        square_G(table, part, w, work->G, &sparse);
        const int outcome = factor_sparse(&sparse, m, largest, tolerance * tolerance, &rank);
        if (outcome != FACTORS_NEED_PIVOTS)
            return outcome;
    }

    kept[1] = NUMBER(0.0);
    Number *next = work->A;
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int row = 0; row < n_errors(block, w, with_velocities); row++)
            for (int k = 0; k < part->n_runs; next += part->runs[2 * k++ + 1])
                memcpy(next, row_of_G(table, work->G, block, row) + part->runs[2 * k], (size_t)part->runs[2 * k + 1] * sizeof(Number));
    }
    Factors factors = {.reals = kept + 2, .order = order};
    const int outcome = factor_any(&factors, m, part->n_columns, work->A, largest, tolerance);
    kept[0] = NUMBER((double)factors.rank);
    return outcome;
}

/* work->row += the solution for `left` [n_rows] by sparse factors of G G^T */
static inline int add_sparse_solution(const RowTable *table, const RowPart *part, const Number *w, const SparseFactors *sparse,
                                      RowWorkspace *work, int m, const Number *left) {
    for (int k = 0; k < part->pattern->n_columns; k++)
        for (int row = 0; row < sparse->rows[k]; row++)
            work->b[sparse->first[k] + row] = left[table->blocks[part->order[k]].first + row];
    if (solve_sparse(sparse, m, work->b, work->b) != FACTORED)
        return FACTORS_NOT_FINITE;
    for (int k = 0; k < part->pattern->n_columns; k++) {
        const RowBlock *block = table->blocks + part->order[k];
        for (int row = 0; row < sparse->rows[k]; row++)
            add_scaled(path_of(table, block, w), work->row, work->b[sparse->first[k] + row], row_of_G(table, work->G, block, row));
    }
    return FACTORED;
}

/* Set the speeds of a part in work->row by its factors. Of sparse factors, a refinement squares the error, which is that of G G^T. */
static inline int solve_part_of_G(const RowTable *table, const RowPart *part, const Number *w, RowWorkspace *work, int with_velocities,
                                  Number *kept, Index *order) {
    const int m = rows_of_G(table, part, w, with_velocities);
    for (int k = 0; k < part->n_runs; k++)
        memset(work->row + part->runs[2 * k], 0, (size_t)part->runs[2 * k + 1] * sizeof(Number));
    if (m == 0)
        return FACTORED;
    if (FIRST_LANE(kept[1]) != 0) {
        SparseFactors sparse;
        sparse_factors_of_G(table, part, w, work, with_velocities, m, kept, &sparse);
        int outcome = add_sparse_solution(table, part, w, &sparse, work, m, work->errors);
        for (int k = 0; k < part->pattern->n_columns; k++) {
            const RowBlock *block = table->blocks + part->order[k];
            for (int row = 0; row < sparse.rows[k]; row++)
                work->spare[block->first + row] =
                    work->errors[block->first + row] - dot_along(path_of(table, block, w), row_of_G(table, work->G, block, row), work->row);
        }
        return outcome == FACTORED ? add_sparse_solution(table, part, w, &sparse, work, m, work->spare) : outcome;
    }

    Factors factors = {.reals = kept + 2, .order = order};
    lay_out_factors(&factors, m, part->n_columns);
    factors.rank = (int)FIRST_LANE(kept[0]);
    factors.n_dependent = m - factors.rank;
    Number *b = work->b, *x = work->dz;
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int row = 0; row < n_errors(block, w, with_velocities); row++)
            *b++ = work->errors[block->first + row];
    }
    const int outcome = solve_any(&factors, work->b, x);
    for (int k = 0; k < part->n_runs; x += part->runs[2 * k++ + 1])
        memcpy(work->row + part->runs[2 * k], x, (size_t)part->runs[2 * k + 1] * sizeof(Number));
    return outcome;
}

/* factor the rows of work->G, part by part, at a distance from the constraint manifold; see rank_tolerance_at_distance */
static inline int factor_G(const RowTable *table, const Number *w, RowWorkspace *work, int with_velocities, Number distance) {
    const Number largest = largest_of_G(table, table->n_blocks, NULL, w, with_velocities, work->G);
    Number *kept = work->factors.reals;
    Index *order = work->factors.order;
    int outcome = FACTORED;
    for (int i = 0; i < table->n_parts && outcome == FACTORED; i++) {
        const RowPart *part = table->parts + i;
        outcome = factor_part_of_G(table, part, w, work, with_velocities, largest, distance, kept, order);
        kept += reals_of_G(part);
        order += part->n_rows;
    }
    return outcome;
}

/* set work->row to the shortest change of speeds du with G du = work->errors, by the factors */
static inline int solve_for_row(const RowTable *table, const Number *w, RowWorkspace *work, int with_velocities) {
    Number *kept = work->factors.reals;
    Index *order = work->factors.order;
    int outcome = FACTORED;
    memset(work->row, 0, (size_t)table->nu * sizeof(Number));
    for (int i = 0; i < table->n_parts && outcome == FACTORED; i++) {
        const RowPart *part = table->parts + i;
        outcome = solve_part_of_G(table, part, w, work, with_velocities, kept, order);
        kept += reals_of_G(part);
        order += part->n_rows;
    }
    return outcome;
}

#endif
