/* The criterion of find_contradictions (consistency.h) over Numbers: of one run, and of several side by side (lanes.h), whose rows are
 * enabled, and motions prescribed, in all lanes alike. */
#ifndef MOBOD_CONSISTENCY_ARITHMETIC_H
#define MOBOD_CONSISTENCY_ARITHMETIC_H

#include "multiplier_arithmetic.h"

#define RESIDUAL_MARGIN 100.0                 /* safety factor of the residual over that explained by the distance from the manifold */
#define BIAS_ROUND_OFF 2.9103830456733704e-11 /* eps^(2/3), relative to terms of a bias that may cancel */
#define NEGLIGIBLE 1e-13                      /* a residual relative to the accelerations of all rows, such as those by gravity */
#define NEARLY_NEGLIGIBLE 1e-6                /* the same of contacts and dry friction, ten times what decides between stick and slip */

/* the size of the terms of a bias that come from the motion of bodies */
static inline Number terms_of_bias(const RowTable *table, const RowBlock *block, int row, const Number *w) {
    const RowPath *path = path_of(table, block, w);
    Number terms = NUMBER(0.0);
    for (int i = 0; i < path->n_bodies; i++) {
        const Number *V = w + path->motions[2 * i], *A = w + path->motions[2 * i + 1];
        const Number *K = w + block->K + path->on_bodies[3 * i + 2] + 6 * row;
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

/* Whether a row depends only on prescribed speeds: then no projection can satisfy it. */
static inline Number depends_only_on_prescribed(const RowTable *table, const Number *w, const RowBlock *block, int row) {
    const Number *e = w + table->E + (block->first + row) * table->nu;
    const RowPath *path = path_of(table, block, w);
    Number largest = NUMBER(0.0), on_known = NUMBER(0.0), on_free = NUMBER(0.0);
    for (int i = 0; i < path->n_joints; i++) {
        const RowJoint *joint = table->joints + path->joints[i];
        largest = larger_size(largest, largest_along(table->levers + joint->first, e + joint->first, joint->nu));
    }
    const Number least = CANCELLED * largest;
    for (int i = 0; i < path->n_joints; i++) {
        const RowJoint *joint = table->joints + path->joints[i];
        Number *on = is_prescribed(joint, w) ? &on_known : &on_free;
        for (int k = joint->first; k < joint->first + joint->nu; k++)
            *on = number_or(*on, number_less(least, table->levers[k] * number_abs(e[k])));
    }
    return number_and(on_known, number_not(on_free));
}

/* the distance from the manifold that may explain the residual of a row */
static inline Number explained_distance(const RowTable *table, const Number *w, const RowBlock *block, int row, Number from_manifold) {
    if (!number_any(number_less(NUMBER(0.0), from_manifold)))
        return from_manifold;
    return number_where(depends_only_on_prescribed(table, w, block, row), NUMBER(0.0), from_manifold);
}

/* Whether all rows of round-off ask for an acceleration of round-off, in all lanes: then no rows contradict each other if the others are
 * independent. */
static inline int rows_left_out_agree(const RowTable *table, const RowPart *part, const Number *w, const RowWorkspace *work, int n) {
    if (has_dependent_rows(work, n))
        return 0;
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && row < block->n; row++) {
            const Number is_out = is_left_out(work, n, work->place[block->first + row]);
            if (!number_any(is_out))
                continue;
            const Number agrees = number_less_equal(number_abs(w[block->bias + row]), BIAS_ROUND_OFF * terms_of_bias(table, block, row, w));
            if (number_any(number_and(is_out, number_not(agrees))))
                return 0;
        }
    }
    return 1;
}

/* Set the residuals of the active rows of a part, at a distance from the manifold. Returns whether there are any, in each lane. */
static inline Number find_contradicting(const RowTable *table, const RowPart *part, const Number *w, RowWorkspace *work, int n,
                                        Number largest_size, Number from_manifold) {
    Number *bias = work->b, *by_terms = work->errors, *size = work->growth, *nearest = work->spare, *left = work->spare + table->n_rows;
    Number *acceleration = work->product, largest_bias = NUMBER(0.0), any = NUMBER(0.0);
    if (rows_left_out_agree(table, part, w, work, n))
        return any;
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        const Overlap own = overlap_of(table, block, block->n_before);
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && row < block->n; row++) {
            const int place = work->place[block->first + row];
            const Number value = w[block->bias + row], away = explained_distance(table, w, block, row, from_manifold);
            by_terms[place] = (BIAS_ROUND_OFF + RESIDUAL_MARGIN * away) * terms_of_bias(table, block, row, w);
            /* a bias of round-off would be large relative to a small row */
            bias[place] = number_where(number_less_equal(number_abs(value), by_terms[place]), NUMBER(0.0), value);
            size[place] = number_sqrt(number_max(NUMBER(0.0), w[table->A + own.at + row * (own.down + own.across)]));
        }
    }
    if (solve_A(work, n, bias, nearest) != FACTORED)
        return NUMBER(0.0);

    /* residuals are relative to the size of each row, so that units do not matter */
    const Number least = rank_tolerance(1) * largest_size,
                 of_least = number_where(number_less(NUMBER(0.0), largest_size), largest_size, NUMBER(1.0));
    multiply_by_A(table, part, w, w + table->A, work, nearest, left);
    for (int i = 0; i < n; i++) {
        left[i] -= bias[i];
        size[i] = number_where(number_less(least, size[i]), size[i], of_least);
        largest_bias = number_max(largest_bias, number_abs(bias[i] / size[i]));
    }
    Number largest_acceleration = NUMBER(0.0);
    for (int i = 0; i < n; i++)
        nearest[i] = w[table->multipliers + work->active[i]];
    multiply_by_A(table, part, w, w + table->A, work, nearest, acceleration);
    for (int i = 0; i < n; i++)
        largest_acceleration = number_max(largest_acceleration, number_abs(acceleration[i]) / size[i]);
    for (int i = 0; i < part->n_blocks; i++) {
        const RowBlock *block = table->blocks + part->blocks[i];
        for (int row = 0; FIRST_LANE(w[block->enabled]) != 0 && row < block->n; row++) {
            const int place = work->place[block->first + row];
            const Number away = explained_distance(table, w, block, row, from_manifold);
            const Number of_bias = RESIDUAL_MARGIN * (sqrt(rank_tolerance(n)) + away) * largest_bias;
            const double negligible = block->carried ? NEARLY_NEGLIGIBLE : NEGLIGIBLE;
            const Number explained = number_max(number_max(of_bias, by_terms[place] / size[place]), negligible * largest_acceleration);
            const Number contradicts = number_less(explained, number_abs(left[place]) / size[place]);
            work->misses[block->first + row] = number_where(contradicts, number_abs(left[place]), NUMBER(0.0));
            any = number_or(any, contradicts);
        }
    }
    return any;
}

#endif
