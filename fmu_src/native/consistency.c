#include "consistency.h"
#include "constraint_matrix.h"
#include "elementary.h"
#include "row_arithmetic.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

static const double MARGIN = 100; /* safety factor of the residual over that explained by the distance from the manifold */
static const double ROUND_OFF = 2.9103830456733704e-11; /* eps^(2/3), relative to terms of a bias that may cancel */

/* the length of the first step of a projection, in coordinates or in speeds; `from_position_errors`: distance by the position errors */
static double length_of_projection(const RowTable *table, const double *w, RowWorkspace *work, int with_velocities,
                                   double *from_position_errors) {
    int worst, n = constraint_matrix(table, w, with_velocities, work->z, work->G);
    constraint_errors(table, w, with_velocities, work->errors, &worst);
    if (!with_velocities)
        *from_position_errors = distance_of_errors(n, table->nu, work->G, work->errors);
    return solve_for_du(table, work, n, *from_position_errors) ? norm(table->nu, work->row) : INFINITY;
}

/* distance from the manifold: of q in rad and m, plus that of u relative to u */
static double distance(const RowTable *table, const double *w, RowWorkspace *work) {
    double from_position_errors, of_q = length_of_projection(table, w, work, 0, &from_position_errors),
                                 of_u = length_of_projection(table, w, work, 1, &from_position_errors);
    return of_u == 0 ? of_q : of_q + of_u / fmax(norm(table->nu, w + table->u), DBL_MIN);
}

/* the size of the terms of a bias that come from the motion of bodies */
static double terms_of(const RowBlock *block, int row, const double *w) {
    double terms = 0;
    for (int i = 0; i < block->n_bodies; i++) {
        const double *V = w + block->motions[2 * i], *A = w + block->motions[2 * i + 1], *K = w + block->on_bodies[3 * i + 2] + 6 * row;
        double square = 0, largest = 0, sum = 0;
        for (int k = 0; k < 6; k++) {
            square = fmax(square, V[k] * V[k]);
            largest = fmax(largest, fabs(A[k]));
            sum += fabs(K[k]);
        }
        terms += (square + largest) * sum;
    }
    return terms;
}

/* Whether a row depends only on prescribed speeds: then no projection can satisfy it. */
static int depends_only_on_prescribed(const RowTable *table, const double *w, int row) {
    int i_block = 0, any_known = 0;
    while (row >= table->blocks[i_block].first + table->blocks[i_block].n)
        i_block++;
    const RowBlock *block = table->blocks + i_block;
    const double *e = w + table->E + row * table->nu;
    double least = CANCELLED * largest_along(block, e);
    for (int i = 0; i < block->n_path; i++) {
        const RowJoint *joint = table->joints + block->path[i];
        for (int k = joint->first; k < joint->first + joint->nu; k++)
            if (fabs(e[k]) > least) {
                if (!is_known(joint, w))
                    return 0;
                any_known = 1;
            }
    }
    return any_known;
}

/* the distance from the manifold that may explain the residual of a row */
static double explained_distance(const RowTable *table, const double *w, int row, double from_manifold) {
    return from_manifold > 0 && depends_only_on_prescribed(table, w, row) ? 0 : from_manifold;
}

int mark_contradicting(const RowTable *table, const double *w, RowWorkspace *work, int n, double from_manifold) {
    double *bias = work->b, *by_terms = work->errors, *size = work->growth, *nearest = work->spare, *left = work->spare + table->n_rows;
    double largest_size = 0, largest_bias = 0;
    int any = 0, i_active = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; w[block->enabled] != 0 && row < block->n; row++, i_active++) {
            double value = w[block->bias + row];
            double away = explained_distance(table, w, block->first + row, from_manifold);
            by_terms[i_active] = (ROUND_OFF + MARGIN * away) * terms_of(block, row, w);
            bias[i_active] = fabs(value) <= by_terms[i_active] ? 0 : value; /* a bias of round-off would be large relative to a small row */
            size[i_active] = sqrt(fmax(0, work->A[i_active * n + i_active]));
            largest_size = fmax(largest_size, size[i_active]);
        }
    }
    if (solve_semidefinite(&work->factors, bias, nearest) != FACTORED)
        return 0;
    residual_of_rows(n, n, work->A, nearest, bias, left);

    /* residuals are relative to the size of each row, so that units do not matter */
    for (int i = 0; i < n; i++) {
        if (!(size[i] > rank_tolerance(1) * largest_size))
            size[i] = largest_size > 0 ? largest_size : 1;
        largest_bias = fmax(largest_bias, fabs(bias[i] / size[i]));
    }
    for (int i = 0; i < n; i++) {
        double away = explained_distance(table, w, work->active[i], from_manifold);
        double of_bias = MARGIN * (sqrt(rank_tolerance(n)) + away) * largest_bias;
        int contradicts = fabs(left[i]) / size[i] > fmax(of_bias, by_terms[i] / size[i]);
        work->misses[work->active[i]] = contradicts ? fabs(left[i]) : 0;
        any = any || contradicts;
    }
    return any;
}

int find_contradictions(const RowTable *table, const double *w, RowWorkspace *work, int n, double tolerance) {
    if (!mark_contradicting(table, w, work, n, 0))
        return 0;

    /* The distance from the manifold is computed only if round-off does not explain the residual, because it costs more and overwrites
     * the factors. */
    double from_manifold = distance(table, w, work);
    return factor_semidefinite(&work->factors, n, work->A, tolerance) == FACTORED && mark_contradicting(table, w, work, n, from_manifold);
}

static size_t append(char *text, size_t size, size_t length, const char *more) {
    while (*more && length + 1 < size)
        text[length++] = *more++;
    text[length] = 0;
    return length;
}

size_t append_name(char *names, size_t size, size_t length, const char *name) {
    length = append(names, size, length, length ? ", '" : "'");
    length = append(names, size, length, name);
    return append(names, size, length, "'");
}

int contradictions(const RowTable *table, double *w, char *names, size_t size, double *miss) {
    const double *misses = row_workspace(table, w).misses;
    size_t length = 0;
    *miss = names[0] = 0;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        double largest = 0;
        for (int row = block->first; row < block->first + block->n; row++)
            largest = fmax(largest, misses[row]);
        if (largest > 0) {
            length = append_name(names, size, length, block->name);
            *miss = fmax(*miss, largest);
        }
    }
    return *miss > 0;
}
