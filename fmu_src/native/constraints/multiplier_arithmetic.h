/* The solution for multipliers over Numbers: of one run, and of several side by side (lanes.h), whose rows are enabled, and motions
 * prescribed, in all lanes alike. */
#ifndef MOBOD_MULTIPLIER_ARITHMETIC_H
#define MOBOD_MULTIPLIER_ARITHMETIC_H

#include "factor_arithmetic.h"
#include "factor_solve_arithmetic.h"
#include "part_arithmetic.h"
#include "response_arithmetic.h"
#include "sparse_cholesky_arithmetic.h"

/* The least change of coordinates that can remove the position errors of the rigid rows; see distance_of_errors. sizes [n_rows] is a
 * workspace. */
static inline Number distance_of_positions(const RowTable *table, const Number *w, Number *sizes) {
    Number largest_size = NUMBER(0.0), distance = NUMBER(0.0);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && !block->compliant && row < block->n_position; row++) {
            const Number size = largest_on_path(path_of(table, block, w), w + table->E + (block->first + row) * table->nu);
            sizes[block->first + row] = size;
            largest_size = larger_size(largest_size, size);
        }
    }
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && !block->compliant && row < block->n_position; row++) {
            const Number size = sizes[block->first + row];
            const Number further = number_max(distance, number_abs(w[block->position_errors + row]) / size);
            distance = number_where(number_less(CANCELLED * largest_size, size), further, distance);
        }
    }
    return distance;
}

/* the largest size of an active row of all parts, relative to which other rows are round-off */
static inline Number largest_size_of_rows(const RowTable *table, const Number *w) {
    Number largest = NUMBER(0.0);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        if (FIRST_LANE(w[block->enabled]) == 0)
            continue;
        const Overlap own = overlap_of(table, block, block->n_before);
        for (int row = 0; row < block->n; row++)
            largest = number_max(largest, number_abs(w[table->A + own.at + row * (own.down + own.across)]));
    }
    return number_sqrt(largest);
}

/* What all parts have in common: the distance from the constraints, which the tolerance of the rank depends on, and the size that round-off
 * is relative to. The stages of a step do not satisfy constraints exactly, and redundant rows must not count as independent there.
 * Otherwise accelerations would be wrong by their whole size. */
typedef struct {
    Number distance, largest_size;
} WholeSystem;

static inline WholeSystem whole_system(const RowTable *table, const Number *w, RowWorkspace *work) {
    return (WholeSystem){distance_of_positions(table, w, work->spare), largest_size_of_rows(table, w)};
}

/* Factor A of the n active rows of a part. */
static inline int factor_A(const RowTable *table, const RowPart *part, const Number *w, RowWorkspace *work, int n, WholeSystem whole) {
    const Number tolerance = tolerance_of_squares(n, whole.distance);
    if (takes_sparse_factors(table, part, w, work, n)) {
        gather_sparse(part, w + table->A, &work->sparse);
        const int outcome = factor_sparse(&work->sparse, n, whole.largest_size, tolerance, &work->factors.rank);
        work->is_sparse = outcome == FACTORED;
        if (outcome != FACTORS_NEED_PIVOTS)
            return outcome;
    }
    work->is_sparse = 0;
    gather_A(table, part, w, w + table->A, work, n);
    return factor_symmetric(&work->factors, n, work->A, whole.largest_size, tolerance);
}

/* whether an active row is round-off, and has no multiplier: where the other rows are independent */
static inline Number is_left_out(const RowWorkspace *work, int n, int i) {
    return number_equal(work->is_sparse ? work->sparse.weight[i] : work->factors.rows[i * n + i], NUMBER(0.0));
}

/* whether rows that depend on others have been found, which are not round-off alone */
static inline int has_dependent_rows(const RowWorkspace *work, int n) {
    return work->factors.rank < n && !work->is_sparse && !work->factors.is_positive;
}

/* solve A x = b by the factors; x may be b */
static inline int solve_A(RowWorkspace *work, int n, const Number *b, Number *x) {
    return work->is_sparse ? solve_sparse(&work->sparse, n, b, x) : solve_symmetric(&work->factors, b, x);
}

/* set the multipliers of the n active rows of a part */
static inline void place_multipliers(const RowWorkspace *work, int n, const Number *solution, Number *multipliers) {
    for (int i = 0; i < n; i++)
        multipliers[work->active[i]] = solution[i];
}

/* the right sides of the active rows of a part, one after the other; D_eps [nu]: D^-1 eps */
static inline void find_right_sides(const RowTable *table, const RowPart *part, const Number *w, const Number *D_eps, Number *b) {
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && row < block->n; row++)
            *b++ = dot_along(path_of(table, block, w), w + table->E + (block->first + row) * table->nu, D_eps) + w[block->bias + row];
    }
}

#endif
