/* The projection of rows (projection.h) over Numbers: of one run, and of several side by side (lanes.h), whose rows are enabled, and
 * motions prescribed, in all lanes alike.
 *
 * Each lane iterates as often as it would alone: what has ended stays as it is. The results are FACTORED; or why rows could not be factored
 * or solved, which in lanes may be due to any one of them. */
#ifndef MOBOD_PROJECTION_ARITHMETIC_H
#define MOBOD_PROJECTION_ARITHMETIC_H

#include "constraint_arithmetic.h"
#include "scales.h"

#define PROJECTION_ROUND_OFF 4.440892098500626e-16 /* 2^-51, round-off of errors of rows */

enum { MOST_ITERATIONS = 20 };

/* w, and how its stages are computed: by the functions of tree.h */
typedef struct {
    const Model *model;
    Number *w;
    void *owner; /* of the functions */
    void (*realize)(void *owner, int stage);
    void (*invalidate)(void *owner, int stage);
    int most_iterations; /* of project_level */
} RowsInW;

/* the result of project_level, in each lane; see Projection */
typedef struct {
    Number is_done, error;
    Index constraint, first;
    int is_cut; /* after most_iterations, though another one might have helped */
} ProjectedLevel;

/* Read the errors of enabled rows, each relative to its scale, into work->errors. */
static inline void find_scaled_errors(const RowsInW *rows, int with_velocities, Number *errors, Number *largest, Index *worst) {
    const RowTable *table = rows->model->rows;
    find_constraint_errors(table, rows->w, with_velocities, errors, largest, worst);
    if (!rows->model->scales)
        return;
    *largest = NUMBER(0.0);
    *worst = INDEX(0);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = block->first; row < block->first + n_errors(block, rows->w, with_velocities); row++) {
            errors[row] = errors[row] / (with_velocities ? scale_of_rate(rows->model, row) : scale_of_row(rows->model, row));
            const Number size = number_abs(errors[row]), is_smaller = number_less_equal(size, *largest);
            *worst = index_where(is_smaller, *worst, INDEX(i));
            *largest = number_where(is_smaller, *largest, number_where(number_is_finite(size), size, NUMBER(INFINITY)));
        }
    }
}

/* the change of a speed, times the time scale, that changes coordinates by their scales */
static inline double scale_of_du(const Model *model, int k) {
    return scale_of_y(model, model->rows->u - model->y_at + k) * time_scale(model);
}

/* G of enabled rows between changes du that are relative to their scales and errors that are */
static inline void find_scaled_matrix(const RowsInW *rows, int with_velocities, RowWorkspace *work) {
    const RowTable *table = rows->model->rows;
    find_constraint_matrix(table, rows->w, with_velocities, work->z, work->G);
    for (int i = 0; rows->model->scales && i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const RowPath *path = path_of(table, block, rows->w);
        for (int row = block->first; row < block->first + n_errors(block, rows->w, with_velocities); row++)
            for (int k = 0; k < path->n_runs; k++)
                for (int j = path->runs[2 * k]; j < path->runs[2 * k] + path->runs[2 * k + 1]; j++)
                    work->G[row * table->nu + j] *= scale_of_du(rows->model, j) / scale_of_row(rows->model, row);
    }
}

/* the distance of the position errors in work->errors, by work->G of positions */
static inline Number scaled_distance(const RowsInW *rows, const RowWorkspace *work, const Number *errors) {
    const RowTable *table = rows->model->rows;
    return distance_by_rows(table, table->n_blocks, NULL, rows->w, work->G, errors);
}

/* Set work->row to the change du with G du = work->errors that is shortest relative to the scales: of coordinates, or of speeds, which are
 * smaller by the time scale. G is that of positions, or of all velocities. */
static inline int solve_for_scaled_row(const RowsInW *rows, RowWorkspace *work, int with_velocities, int of_velocity) {
    const Model *model = rows->model;
    const int outcome = solve_for_row(model->rows, rows->w, work, with_velocities);
    for (int k = 0; outcome == FACTORED && model->scales && k < model->rows->nu; k++)
        work->row[k] *= of_velocity ? scale_of_y(model, model->rows->u - model->y_at + k) : scale_of_du(model, k);
    return outcome;
}

/* q_like += factor * q_dot, for the speeds in w, unless it is kept; q_like is the bodies' q or an array of the same layout */
static inline void add_rates(const RowsInW *rows, double factor, Number is_kept, Number *q_like) {
    const Model *model = rows->model;
    const RowTable *table = model->rows;
    const Number *q_dot = rows->w + model->y_dot_at + (table->q - model->y_at);
    rows->invalidate(rows->owner, STAGE_VELOCITY);
    rows->realize(rows->owner, STAGE_VELOCITY);
    for (int i = 0; i < table->nq; i++)
        q_like[i] = number_where(is_kept, q_like[i], q_like[i] + factor * q_dot[i]);
}

/* see subtract_N_du */
static inline void subtract_rates(const RowsInW *rows, RowWorkspace *work, Number is_kept, Number *q_like) {
    const RowTable *table = rows->model->rows;
    Number *u = rows->w + table->u;
    const size_t bytes = (size_t)table->nu * sizeof(Number);
    memcpy(work->kept, u, bytes);
    memcpy(u, work->row, bytes);
    add_rates(rows, -1, is_kept, q_like);

    /* the prescribed speeds contribute whatever u is: subtract their part */
    int any_known = 0;
    for (int i = 0; i < table->n_joints; i++)
        any_known = any_known || is_prescribed(table->joints + i, rows->w);
    if (any_known) {
        memset(u, 0, bytes);
        add_rates(rows, 1, is_kept, q_like);
    }
    memcpy(u, work->kept, bytes);
    rows->invalidate(rows->owner, STAGE_VELOCITY);
}

/* Whether there are rows that restrict velocities alone. The others, rates of position errors, have the same G whatever the speeds are. */
static inline int any_of_velocities_alone(const RowTable *table, const Number *w) {
    int any = 0;
    for (int i = 0; i < table->n_blocks; i++)
        any |= FIRST_LANE(w[table->blocks[i].enabled]) != 0 && table->blocks[i].n_velocity > 0;
    return any;
}

/* Iterate until the errors are minimal. The projection of positions leaves G of these q, and sets `distance`, which determines the
 * tolerance of the rank; that of velocities uses them. */
static inline int project_level(const RowsInW *rows, Number tolerance, int of_velocity, Number *distance, ProjectedLevel *result) {
    const RowTable *table = rows->model->rows;
    RowWorkspace work = workspace_in(table, rows->w);
    Number *q = rows->w + table->q, *u = rows->w + table->u, before = NUMBER(INFINITY), has_ended = NUMBER(0.0);
    const int keeps_G = of_velocity && !any_of_velocities_alone(table, rows->w);
    int is_factored = 0;

    for (int iteration = 0;; iteration++) {
        rows->realize(rows->owner, STAGE_VELOCITY);
        find_scaled_errors(rows, of_velocity, work.errors, &result->error, &result->constraint);
        result->is_done = number_less_equal(result->error, tolerance);
        if (iteration == 0)
            result->first = result->constraint;
        if (!of_velocity) {
            find_scaled_matrix(rows, 0, &work);
            *distance = scaled_distance(rows, &work, work.errors);
        }

        /* near the solution each iteration squares the error: an iteration that does not reduce it has reached round-off, or diverges */
        const Number shrinks = number_less(result->error, number_where(result->is_done, NUMBER(0.5), NUMBER(1.0)) * before);
        const Number is_exact = number_less_equal(result->error, NUMBER(PROJECTION_ROUND_OFF));
        has_ended = number_or(has_ended, number_or(is_exact, number_not(shrinks)));
        result->is_cut = !number_all(has_ended) && iteration == rows->most_iterations;
        if (number_all(has_ended) || result->is_cut)
            return FACTORED;
        before = result->error;
        if (of_velocity && !keeps_G)
            find_scaled_matrix(rows, 1, &work);
        int outcome = is_factored ? FACTORED : factor_G(table, rows->w, &work, of_velocity, *distance);
        is_factored = keeps_G;
        if (outcome == FACTORED)
            outcome = solve_for_scaled_row(rows, &work, of_velocity, of_velocity);
        if (outcome != FACTORED)
            return outcome;
        if (of_velocity)
            for (int i = 0; i < table->nu; i++)
                u[i] = number_where(has_ended, u[i], u[i] - work.row[i]);
        else
            subtract_rates(rows, &work, has_ended, q);
        rows->invalidate(rows->owner, of_velocity ? STAGE_VELOCITY : STAGE_POSITION);
    }
}

/* see singularity; distance: s, and inaccuracy */
static inline int find_singularity(const RowsInW *rows, Number *distance, Number *inaccuracy) {
    const RowTable *table = rows->model->rows;
    const int nu = table->nu;
    Number largest;
    Index ignored;
    *distance = NUMBER(1.0);
    *inaccuracy = NUMBER(0.0);
    rows->realize(rows->owner, STAGE_VELOCITY);
    RowWorkspace work = workspace_in(table, rows->w);
    find_scaled_matrix(rows, 0, &work);
    find_scaled_errors(rows, 0, work.errors, &largest, &ignored);
    Number from_manifold = scaled_distance(rows, &work, work.errors), left = NUMBER(PROJECTION_ROUND_OFF);

    /* the change of coordinates that would change the error of each row by the size of the largest row of its constraint */
    for (int i = 0; i < table->n_blocks; i++) {
        const Number size = largest_of_G(table, 1, &i, rows->w, 0, work.G), counts = number_less(NUMBER(0.0), size);
        const int first = table->blocks[i].first, end = first + n_errors(table->blocks + i, rows->w, 0);
        for (int row = first; row < end; row++) {
            left = number_where(counts, number_max(left, number_abs(work.errors[row]) / size), left);
            work.errors[row] = size;
        }
    }
    int outcome = factor_G(table, rows->w, &work, 0, from_manifold);
    if (outcome == FACTORED)
        outcome = solve_for_row(table, rows->w, &work, 0);
    if (outcome != FACTORED)
        return outcome;
    *distance = 1.0 / number_max(NUMBER(1.0), largest_number(work.row, nu));
    *inaccuracy = left / (*distance * *distance);
    return FACTORED;
}

/* Relative to the accuracy of a step: if a projection moves y further, rows are nearly dependent; see projection.h. The second one is for
 * a report within a step: an interpolant is ten times less accurate than the end of its step, or twenty times for high accuracy. */
#define MOST_MOVED 10.0
#define MOST_MOVED_INSIDE 100.0
static inline Number most_moved(double most, Number tolerance, Number constraint_tolerance) {
    return most * number_max(tolerance, 10.0 * constraint_tolerance);
}

/* see remove_normal_part */
static inline int remove_normal_part_in(const RowsInW *rows, Number *error) {
    const Model *model = rows->model;
    const RowTable *table = model->rows;
    RowWorkspace work = workspace_in(table, rows->w);
    Number *q = rows->w + table->q, *of_q = error + (table->q - model->y_at), *of_u = error + (table->u - model->y_at);
    Number *before = work.growth, largest;
    Index ignored;

    /* the change of the position errors along the error of q, by a difference */
    rows->realize(rows->owner, STAGE_POSITION);
    find_scaled_errors(rows, 0, before, &largest, &ignored);
    for (int i = 0; i < table->nq; i++)
        q[i] += of_q[i];
    rows->invalidate(rows->owner, STAGE_POSITION);
    rows->realize(rows->owner, STAGE_POSITION);
    find_scaled_errors(rows, 0, work.errors, &largest, &ignored);
    for (int i = 0; i < table->nq; i++)
        q[i] -= of_q[i];
    rows->invalidate(rows->owner, STAGE_POSITION);
    rows->realize(rows->owner, STAGE_VELOCITY);
    find_scaled_matrix(rows, 0, &work);
    for (int i = 0; i < table->n_rows; i++)
        work.errors[i] -= before[i];
    const Number distance = scaled_distance(rows, &work, before);
    const int of_positions = factor_G(table, rows->w, &work, 0, distance);
    int outcome = of_positions;
    if (outcome == FACTORED)
        outcome = solve_for_scaled_row(rows, &work, 0, 0);
    if (outcome == FACTORED)
        subtract_rates(rows, &work, NUMBER(0.0), of_q);

    /* velocities: the change of the errors is G times the error of u */
    const int with_velocities = any_of_velocities_alone(table, rows->w);
    int of_velocities = of_positions;
    if (with_velocities) {
        rows->realize(rows->owner, STAGE_VELOCITY);
        find_scaled_matrix(rows, 1, &work);
        of_velocities = factor_G(table, rows->w, &work, 1, distance);
    }
    for (int k = 0; k < table->nu; k++)
        work.row[k] = of_u[k] / scale_of_y(model, table->u - model->y_at + k);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; row < n_errors(block, rows->w, with_velocities); row++)
            work.errors[block->first + row] = dot_along(path_of(table, block, rows->w), row_of_G(table, work.G, block, row), work.row);
    }
    if (of_velocities == FACTORED)
        of_velocities = solve_for_scaled_row(rows, &work, with_velocities, 1);
    for (int k = 0; of_velocities == FACTORED && k < table->nu; k++)
        of_u[k] -= work.row[k];
    rows->invalidate(rows->owner, STAGE_POSITION);
    return outcome == FACTORED ? of_velocities : outcome;
}

#endif
