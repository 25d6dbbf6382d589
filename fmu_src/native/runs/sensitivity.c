#include "sensitivity.h"

#include "delays.h"
#include "elementary.h"
#include "evaluation.h"
#include "projected_changes.h"
#include "projection.h"
#include "scales.h"
#include "step.h"
#include "step_control.h"
#include "tree.h"

#include <string.h>

static size_t bytes_of_y(const Model *model) { return (size_t)y_size(model) * sizeof(double); }

static double *row_of(double *rows, const Model *model, int n_each, int k) {
    return rows + (size_t)k * (size_t)n_each * (size_t)y_size(model);
}

/* the changes of the rates at changes->state, with the changes y of y, into `slopes`; and those of y, of which motions prescribe some */
static int changes_of_rates(Sensitivity *changes, int k, double *y, double *slopes) {
    const Model *model = changes->model;
    double *dw = dw_of(changes, k);
    memcpy(dw + model->y_at, y, bytes_of_y(model));
    int is_done = tangents_of_stages(changes, k, STAGE_TIME, STAGE_ACCELERATION);
    memcpy(y, dw + model->y_at, bytes_of_y(model));
    memcpy(slopes, dw + model->y_dot_at, bytes_of_y(model));
    if (!is_done)
        note_fault(changes, CHANGES_NOT_FINITE, changes->state->w[model->time_at]);
    return is_done;
}

/* ---- what the end of a step does besides: quaternions, constraints ---- */

/* see FindTangents */
typedef struct {
    Sensitivity *changes;
    int k;
} Direction;

static int tangents_of_direction(void *direction, int first_stage, int last_stage) {
    const Direction *of = direction;
    return tangents_of_stages(of->changes, of->k, first_stage, last_stage);
}

/* the changes y of all directions at changes->state, which was finished from `raw` */
static void finish_changes(Sensitivity *changes, const double *raw, double *ys) {
    for (int k = 0; k < changes->n; k++) {
        normalize_changes(changes->model, raw, row_of(ys, changes->model, 1, k));
        project_changes(changes->model, changes->state, dw_of(changes, k), row_of(ys, changes->model, 1, k), tangents_of_direction,
                        &(Direction){changes, k});
    }
}

/* the rates of all directions at changes->state, into row `slope` of the slopes */
static int rates_of_all(Sensitivity *changes, double *ys, int slope) {
    const Model *model = changes->model;
    realize(model, changes->state, STAGE_ACCELERATION);
    int is_done = 1;
    for (int k = 0; k < changes->n && is_done; k++)
        is_done =
            changes_of_rates(changes, k, row_of(ys, model, 1, k), row_of(changes->slopes, model, MOST_SLOPES, k) + slope * y_size(model));
    return is_done;
}

void begin_changes(Sensitivity *changes, const State *state, const InputRamps *ramps) {
    const Model *model = changes->model;
    copy_state(changes, state, ramps);
    realize(model, changes->state, STAGE_ACCELERATION);
    for (int k = 0; k < changes->n; k++)
        tangents_of_stages(changes, k, STAGE_INSTANCE, STAGE_INSTANCE);
    memcpy(changes->raw, state->w + model->y_at, bytes_of_y(model));
    finish_changes(changes, changes->raw, changes->y);
    changes->first_slopes = NO_SLOPES;

    /* prescribed coordinates and speeds */
    copy_state(changes, state, ramps);
    rates_of_all(changes, changes->y, 0);
}

/* ---- steps ---- */

/* y [n_y] = start + step * the sum of weighted slopes */
static void step_along(int n, double *y, const double *start, double step, int n_slopes, const double *weights, const double *slopes) {
    for (int i = 0; i < n; i++) {
        double slope = 0;
        for (int j = 0; j < n_slopes; j++)
            slope += weights[j] * slopes[j * n + i];
        y[i] = start[i] + step * slope;
    }
}

/* y and its changes at a stage of the step, into changes->state and changes->y; and their rates, into row `stage`. Stages that only the
 * interpolant needs (is_inside) are projected onto the constraints. */
static int follow_stage(Sensitivity *changes, const Work *work, double time, double step, int stage, const double *weights, int is_inside) {
    const Model *model = changes->model;
    const int n = y_size(model);
    Integration ignored;
    double *y = changes->state->w + model->y_at;
    step_along(n, y, work->y, step, stage, weights, work->slopes);
    set_time(model, changes->state, time);
    for (int k = 0; k < changes->n; k++)
        step_along(n, row_of(changes->y, model, 1, k), row_of(changes->y_start, model, 1, k), step, stage, weights,
                   row_of(changes->slopes, model, MOST_SLOPES, k));
    if (is_inside && has_constraints(model)) {
        memcpy(changes->raw, y, bytes_of_y(model));
        if (!project_stage(model, changes->state, time, &ignored))
            return 0;
        finish_changes(changes, changes->raw, changes->y);
    }
    return rates_of_all(changes, changes->y, stage);
}

/* Where slips stop at the end of a step, the direction of friction there is that of errors (slips_at_end.h), and its derivative grows as
 * 1 / speed. So the interpolant takes the changes of rates there from the parabola through the changes at the start, their rates and the
 * end. */
static void replace_slopes_at_stops(Sensitivity *changes, const Work *work, double step) {
    const Tableau *pair = work->method->pair;
    const int n = y_size(changes->model), last = work->method->last;
    for (int k = 0; k < changes->n; k++) {
        double *slopes = row_of(changes->slopes, changes->model, MOST_SLOPES, k), *at_end = slopes + last * n;
        const double *start = row_of(changes->y_start, changes->model, 1, k), *end = row_of(changes->y, changes->model, 1, k);
        for (int i = 0; i < n; i++)
            at_end[i] = 2 * (end[i] - start[i]) / step - slopes[i];
        if (pair->c[last - 1] == 1)
            memcpy(at_end - n, at_end, bytes_of_y(changes->model));
    }
}

/* the interpolants of the changes; those of y at the end are kept */
static int make_dense(Sensitivity *changes, const Work *work, double t_new, double step) {
    const Model *model = changes->model;
    const Tableau *pair = work->method->pair;
    const int n = y_size(model), n_all = pair->n_stages + pair->n_inner;
    int is_done = 1;
    if (work->ends_at_stops)
        replace_slopes_at_stops(changes, work, step);
    if (pair->n_inner) {
        memcpy(changes->y_end, changes->y, (size_t)changes->n * bytes_of_y(model));
        for (int i = 0; i < pair->n_inner && is_done; i++)
            is_done =
                follow_stage(changes, work, t_new - (1 - pair->inner_c[i]) * step, step, pair->n_stages + i, pair->inner_a + i * n_all, 1);
        memcpy(changes->y, changes->y_end, (size_t)changes->n * bytes_of_y(model));
    }
    for (int k = 0; k < changes->n && is_done; k++) {
        Work of = {.y = row_of(changes->y_start, model, 1, k),
                   .slopes = row_of(changes->slopes, model, MOST_SLOPES, k),
                   .dense = row_of(changes->dense, model, MOST_DEGREES, k)};
        make_explicit_interpolant(n, &of, work->method, step, row_of(changes->y, model, 1, k));
    }
    return is_done;
}

/* the largest error estimate of direction k by these weights [n_stages] */
static double estimate(const Sensitivity *changes, int k, const Tableau *pair, const double *weights, double step) {
    const int n = y_size(changes->model);
    const double *slopes = row_of(changes->slopes, changes->model, MOST_SLOPES, k);
    double error = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < pair->n_stages; j++)
            sum += weights[j] * slopes[j * n + i];
        error = fmax(error, fabs(step * sum) / scale_of_y(changes->model, i));
    }
    return error;
}

/* Estimate the error of the changes in a step. Error control does not know it: where y is at rest, steps are long whatever the changes do.
 */
static void note_error(Sensitivity *changes, const Method *method, double step, double tolerance) {
    const Tableau *pair = method->pair;
    for (int k = 0; pair->error && k < changes->n; k++) {
        double error = estimate(changes, k, pair, pair->error, step) / tolerance;
        if (pair->error_below)
            error = paired_error(error, estimate(changes, k, pair, pair->error_below, step) / tolerance);
        changes->sizes[k] =
            fmax(changes->sizes[k], largest_in_scales(changes->model, row_of(changes->y, changes->model, 1, k), 0, y_size(changes->model)));
        if (error > changes->errors[k]) {
            changes->errors[k] = error;
            changes->error_steps[k] = step;
            changes->error_orders[k] = method->estimate_order + 1;
        }
    }
}

void follow_step(Sensitivity *changes, const State *state, const Work *work, const InputRamps *ramps, double t, int needs_inside) {
    const Model *model = changes->model;
    const Tableau *pair = work->method->pair;
    const int n = y_size(model);
    double t_new = state->w[model->time_at], step = t_new - t;
    if (changes->fault != CHANGES_FOLLOWED)
        return;
    if (!pair) {
        note_fault(changes, CHANGES_OF_METHOD, t);
        return;
    }
    const int last = pair->n_stages - 1;
    memcpy(changes->y_start, changes->y, (size_t)changes->n * bytes_of_y(model));
    copy_state(changes, state, ramps);

    /* the last step may have been one of another method, with another number of stages */
    const int has_first = changes->first_slopes != NO_SLOPES;
    for (int k = 0; has_first && k < changes->n; k++) {
        double *slopes = row_of(changes->slopes, model, MOST_SLOPES, k);
        memcpy(slopes, slopes + changes->first_slopes * n, bytes_of_y(model));
    }
    int is_done = 1;
    for (int stage = has_first ? 1 : 0; stage < last && is_done; stage++)
        is_done = follow_stage(changes, work, pair->c[stage] == 1 ? t_new : t + pair->c[stage] * step, step, stage,
                               pair->a + stage * pair->n_stages, 0);

    /* the end: quaternions, constraints, prescribed motions, and the rates */
    step_along(n, changes->raw, work->y, step, last, pair->a + last * pair->n_stages, work->slopes);
    for (int k = 0; k < changes->n; k++)
        step_along(n, row_of(changes->y, model, 1, k), row_of(changes->y_start, model, 1, k), step, last, pair->a + last * pair->n_stages,
                   row_of(changes->slopes, model, MOST_SLOPES, k));
    copy_state(changes, state, ramps);
    if (model->n_quaternions || model->rows) {
        finish_changes(changes, changes->raw, changes->y);
        copy_state(changes, state, ramps);
    }
    is_done = is_done && rates_of_all(changes, changes->y, last);
    if (is_done)
        note_error(changes, work->method, step, state->tolerance);
    is_done = is_done && (!needs_inside || make_dense(changes, work, t_new, step));
    if (!is_done)
        note_fault(changes, CHANGES_NOT_FINITE, t);
    changes->first_slopes = is_done && !work->ends_at_stops ? last : NO_SLOPES;
}

void changes_inside(Sensitivity *changes, const State *state, const Work *work, double fraction, int projects, double *rows) {
    const Model *model = changes->model;
    for (int k = 0; k < changes->n; k++) {
        Work of = {
            .y = row_of(changes->y_start, model, 1, k), .dense = row_of(changes->dense, model, MOST_DEGREES, k), .method = work->method};
        interpolate(y_size(model), &of, fraction, row_of(rows, model, 1, k));
    }
    if (!projects)
        return;
    interpolate(y_size(model), work, fraction, changes->raw);
    memcpy(changes->state->w, state->w, (size_t)model->n_w * sizeof(double));
    changes->state->realized = state->realized;
    finish_changes(changes, changes->raw, rows);
}
