/* mark_contradicting (consistency.h) over Numbers: of one run, and of several side by side (lanes.h), whose rows are enabled, and motions
 * prescribed, in all lanes alike. */
#ifndef MOBOD_CONSISTENCY_ARITHMETIC_H
#define MOBOD_CONSISTENCY_ARITHMETIC_H

#include "factor_solve_arithmetic.h"
#include "row_arithmetic.h"

#define RESIDUAL_MARGIN 100.0                 /* safety factor of the residual over that explained by the distance from the manifold */
#define BIAS_ROUND_OFF 2.9103830456733704e-11 /* eps^(2/3), relative to terms of a bias that may cancel */
#define NEGLIGIBLE 1e-13                      /* a residual relative to the accelerations of all rows, such as those by gravity */
#define UNDECIDED 1e-6                        /* the same of contacts and dry friction, ten times what decides between stick and slip */

/* the size of the terms of a bias that come from the motion of bodies */
static inline Number terms_of_bias(const RowBlock *block, int row, const Number *w) {
    Number terms = NUMBER(0.0);
    for (int i = 0; i < block->n_bodies; i++) {
        const Number *V = w + block->motions[2 * i], *A = w + block->motions[2 * i + 1], *K = w + block->on_bodies[3 * i + 2] + 6 * row;
        Number square = NUMBER(0.0), largest = NUMBER(0.0), sum = NUMBER(0.0);
        for (int k = 0; k < 6; k++) {
            square = number_max(square, V[k] * V[k]);
            largest = number_max(largest, number_abs(A[k]));
            sum += number_abs(K[k]);
        }
        terms += (square + largest) * sum;
    }
    return terms;
}

static inline const RowBlock *block_of_row(const RowTable *table, int row) {
    const RowBlock *block = table->blocks;
    while (row >= block->first + block->n)
        block++;
    return block;
}

/* Whether a row depends only on prescribed speeds: then no projection can satisfy it. */
static inline Number depends_only_on_prescribed(const RowTable *table, const Number *w, int row) {
    const RowBlock *block = block_of_row(table, row);
    const Number *e = w + table->E + row * table->nu, least = CANCELLED * largest_on_path(block, e);
    Number on_known = NUMBER(0.0), on_free = NUMBER(0.0);
    for (int i = 0; i < block->n_path; i++) {
        const RowJoint *joint = table->joints + block->path[i];
        Number *on = is_prescribed(joint, w) ? &on_known : &on_free;
        for (int k = joint->first; k < joint->first + joint->nu; k++)
            *on = number_or(*on, number_less(least, number_abs(e[k])));
    }
    return number_and(on_known, number_not(on_free));
}

/* the distance from the manifold that may explain the residual of a row */
static inline Number explained_distance(const RowTable *table, const Number *w, int row, Number from_manifold) {
    if (!number_any(number_less(NUMBER(0.0), from_manifold)))
        return from_manifold;
    return number_where(depends_only_on_prescribed(table, w, row), NUMBER(0.0), from_manifold);
}

/* see mark_contradicting; in each lane */
static inline Number find_contradicting(const RowTable *table, const Number *w, RowWorkspace *work, int n, Number from_manifold) {
    Number *bias = work->b, *by_terms = work->errors, *size = work->growth, *nearest = work->spare, *left = work->spare + table->n_rows;
    Number largest_size = NUMBER(0.0), largest_bias = NUMBER(0.0), any = NUMBER(0.0);
    for (int i = 0, i_active = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && row < block->n; row++, i_active++) {
            const Number value = w[block->bias + row], away = explained_distance(table, w, block->first + row, from_manifold);
            by_terms[i_active] = (BIAS_ROUND_OFF + RESIDUAL_MARGIN * away) * terms_of_bias(block, row, w);
            /* a bias of round-off would be large relative to a small row */
            bias[i_active] = number_where(number_less_equal(number_abs(value), by_terms[i_active]), NUMBER(0.0), value);
            size[i_active] = number_sqrt(number_max(NUMBER(0.0), work->A[i_active * n + i_active]));
            largest_size = number_max(largest_size, size[i_active]);
        }
    }
    if (solve_symmetric(&work->factors, bias, nearest) != FACTORED)
        return NUMBER(0.0);

    /* residuals are relative to the size of each row, so that units do not matter */
    const Number least = rank_tolerance(1) * largest_size,
                 of_least = number_where(number_less(NUMBER(0.0), largest_size), largest_size, NUMBER(1.0));
    for (int i = 0; i < n; i++) {
        left[i] = dot(n, work->A + i * n, nearest) - bias[i];
        size[i] = number_where(number_less(least, size[i]), size[i], of_least);
        largest_bias = number_max(largest_bias, number_abs(bias[i] / size[i]));
    }
    Number largest_acceleration = NUMBER(0.0);
    for (int i = 0; i < n; i++)
        nearest[i] = w[table->multipliers + work->active[i]];
    for (int i = 0; i < n; i++)
        largest_acceleration = number_max(largest_acceleration, number_abs(dot(n, work->A + i * n, nearest)) / size[i]);
    for (int i = 0; i < n; i++) {
        const Number away = explained_distance(table, w, work->active[i], from_manifold);
        const Number of_bias = RESIDUAL_MARGIN * (sqrt(rank_tolerance(n)) + away) * largest_bias;
        const double negligible = block_of_row(table, work->active[i])->carried ? UNDECIDED : NEGLIGIBLE;
        const Number explained = number_max(number_max(of_bias, by_terms[i] / size[i]), negligible * largest_acceleration);
        const Number contradicts = number_less(explained, number_abs(left[i]) / size[i]);
        work->misses[work->active[i]] = number_where(contradicts, number_abs(left[i]), NUMBER(0.0));
        any = number_or(any, contradicts);
    }
    return any;
}

#endif
