#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_trial.h"

#include "events.h"
#include "projection.h"
#include "scales.h"
#include "state_arithmetic.h"
#include "step.h"
#include "step_control.h"
#include "witnesses.h"

#include <string.h>

/* Mark the lanes in which a number has not been finite. */
static void mark_faults(Lanes *lanes) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        lanes->lanes[lane].is_unusual |= !(lanes->faults[lane] == 0);
    lanes->faults = NUMBER(0.0);
}

/* compute y_dot at the time and y in w */
static void evaluate_in_lanes(Lanes *lanes, Number *y_dot) {
    const Model *model = lanes->table->model;
    const Number *found = lanes->w + model->y_dot_at;
    Number faults = lanes->faults;
    realize_in_lanes(lanes, STAGE_ACCELERATION);
    for (int i = 0; i < y_size(model); i++) {
        y_dot[i] = found[i];
        faults += found[i] - found[i]; /* 0, or not a number */
    }
    lanes->faults = faults;
}

void normalize_in_lanes(Lanes *lanes) {
    const Model *model = lanes->table->model;
    for (int i = 0; i < model->n_quaternions; i++) {
        Number largest = normalize_quaternion(lanes->w + model->quaternions[i]);
        for (int lane = 0; lane < MOBOD_LANES; lane++)
            lanes->lanes[lane].is_unusual |= !(largest[lane] > 0) || !isfinite(largest[lane]);
    }
}

/* the scaled error of each lane, not a number if one of its ratios is not finite; and the entry that has it */
static Number scaled_errors(const Lanes *lanes, const Number *error, Number *worst) {
    Number largest = NUMBER(0.0), not_finite = NUMBER(0.0);
    *worst = NUMBER(0.0);
    for (int i = 0; i < y_size(lanes->table->model); i++) {
        Number ratio = error_ratio(error[i], lanes->y[i], lanes->y_new[i], lanes->tolerance, scale_of_y(lanes->table->model, i));
        Mask is_larger = ratio > largest;
        *worst = number_chosen(is_larger, NUMBER((double)i), *worst);
        largest = number_chosen(is_larger, ratio, largest);
        not_finite += ratio - ratio;
    }
    return largest + not_finite;
}

static void estimate_error(Lanes *lanes) {
    const int n = y_size(lanes->table->model);
    const Tableau *pair = lanes->method->pair;
    Number worst = NUMBER(0.0), ignored, error = NUMBER(0.0), below = NUMBER(0.0);
    const int has_estimate = lanes->method->estimate_order > 0, has_second = has_estimate && pair->error_below;
    if (has_estimate) {
        memset(lanes->error, 0, (size_t)n * sizeof(Number));
        add_slopes(n, lanes->error, lanes->step, pair->n_stages, pair->error, lanes->slopes);
        remove_projected_errors(lanes, lanes->error);
        error = scaled_errors(lanes, lanes->error, &worst);
    }
    if (has_second) {
        memset(lanes->error_below, 0, (size_t)n * sizeof(Number));
        add_slopes(n, lanes->error_below, lanes->step, pair->n_stages, pair->error_below, lanes->slopes);
        remove_projected_errors(lanes, lanes->error_below);
        below = scaled_errors(lanes, lanes->error_below, &ignored);
    }
    if (has_second)
        for (int k = 0; k < MOBOD_LANES; k++)
            error[k] = paired_error(error[k], below[k]);
    if (has_estimate)
        lanes->growth = wanted_growth(error, lanes->error_before, lanes->method);
    for (int k = 0; k < MOBOD_LANES; k++) {
        Lane *lane = lanes->lanes + k;
        lane->error = error[k];
        lane->worst = (int)worst[k];
        lane->is_unusual |= !isfinite(error[k]) || !isfinite(below[k]);
    }
}

/* compute the values of the witnesses, at the time and y to which w is realized, for `point` of the step */
static void find_witnesses_in_lanes(Lanes *lanes, int point) {
    const Model *model = lanes->table->model;
    const EventTable *table = model->events;
    const int n_points = lanes->method->degree + 1;
    sweep_in_lanes(lanes, &lanes->sweeps->of_witnesses);
    for (int i = 0; i < table->n_witnesses; i++)
        lanes->points[i * n_points + point] = lanes->w[table->events[table->triggered[i]].witness];
}

/* go to the end of the step, where y in w leads: normalise and project it */
static void finish_in_lanes(Lanes *lanes) {
    lanes->realized = STAGE_INSTANCE;
    lanes->w[lanes->table->model->time_at] = lanes->t_new;
    mark_faults(lanes);
    normalize_in_lanes(lanes);
    project_in_lanes(lanes);
}

/* the stages of an explicit step; y of its end is in w, its rates are in the last slope */
static void take_stages(Lanes *lanes, const Tableau *pair) {
    const Model *model = lanes->table->model;
    const int n = y_size(model), n_stages = pair->n_stages;
    Number *y = lanes->w + model->y_at;
    for (int stage = 1; stage < n_stages; stage++) {
        memcpy(y, lanes->y, (size_t)n * sizeof(Number));
        add_slopes(n, y, lanes->step, stage, pair->a + stage * n_stages, lanes->slopes);
        if (stage == n_stages - 2)
            memcpy(lanes->y_stage, y, (size_t)n * sizeof(Number));
        lanes->realized = STAGE_INSTANCE;
        lanes->w[model->time_at] = pair->c[stage] == 1 ? lanes->t_new : lanes->t + pair->c[stage] * lanes->step;
        if (stage == n_stages - 1)
            finish_in_lanes(lanes);
        evaluate_in_lanes(lanes, lanes->slopes + stage * n);
    }
}

/* the same for semi-implicit Euler, see try_semi_implicit_step; positions of the start are still in w, if it is realized */
static void take_semi_implicit_step(Lanes *lanes) {
    const Model *model = lanes->table->model;
    const int n_q = model->n_q, n = y_size(model);
    Number *y = lanes->w + model->y_at, *speeds = lanes->y_stage;
    const Number *y_dot = lanes->w + model->y_dot_at;
    memcpy(y, lanes->y, (size_t)n_q * sizeof(Number));
    for (int i = n_q; i < n; i++)
        y[i] = speeds[i] = lanes->y[i] + lanes->step * lanes->slopes[i];
    lanes->w[model->time_at] = lanes->t;
    lanes->realized = lanes->realized < STAGE_POSITION ? STAGE_INSTANCE : STAGE_POSITION;
    realize_in_lanes(lanes, model->q_dot_stage);
    for (int i = 0; i < n_q; i++)
        y[i] = lanes->y[i] + lanes->step * y_dot[i];
    memcpy(y + n_q, speeds + n_q, (size_t)(n - n_q) * sizeof(Number));
    finish_in_lanes(lanes);
    evaluate_in_lanes(lanes, lanes->slopes + n);
}

void try_step_in_lanes(Lanes *lanes) {
    const Model *model = lanes->table->model;
    const int n = y_size(model);
    const Number *y = lanes->w + model->y_at;
    lanes->rows_are_alike = model->rows && are_alike(model->rows, lanes->w);
    if (lanes->method->pair)
        take_stages(lanes, lanes->method->pair);
    else
        take_semi_implicit_step(lanes);
    for (int i = 0; i < n; i++) {
        lanes->y_new[i] = y[i];
        lanes->faults += y[i] - y[i];
    }
    mark_faults(lanes);
    if (number_of_witnesses(model) > 0)
        find_witnesses_in_lanes(lanes, lanes->method->degree);
    find_singularities(lanes);
    estimate_error(lanes);
    if (!lanes->watches_stiffness)
        return;
    const Number *last = lanes->slopes + lanes->method->last * n;
    lanes->change = distance(n, lanes->y_new, lanes->y_stage);
    lanes->change_of_rates = distance(n, last, last - n);
}

/* project a stage within the step, see project_stage of make_interpolant.c; lanes that this moves far are stepped alone */
static void project_stage_in_lanes(Lanes *lanes) {
    const Number t_new = lanes->t_new;
    mark_faults(lanes);
    normalize_in_lanes(lanes);
    lanes->t_new = lanes->w[lanes->table->model->time_at];
    project_in_lanes(lanes);
    lanes->t_new = t_new;
}

/* the stages that only the interpolant needs */
static void evaluate_inside(Lanes *lanes) {
    const Model *model = lanes->table->model;
    const Tableau *pair = lanes->method->pair;
    const int n = y_size(model), n_all = pair->n_stages + pair->n_inner;
    for (int k = 0; k < pair->n_inner; k++) {
        const int stage = pair->n_stages + k;
        for (int i = 0; i < n; i++)
            lanes->w[model->y_at + i] = lanes->y[i] + lanes->step * weighted(stage, pair->inner_a + k * n_all, lanes->slopes, n, i);
        lanes->realized = STAGE_INSTANCE;
        lanes->w[model->time_at] = lanes->t_new - (1 - pair->inner_c[k]) * lanes->step;
        if (has_constraints(model))
            project_stage_in_lanes(lanes);
        evaluate_in_lanes(lanes, lanes->slopes + stage * n);
    }
}

/* the stage at which the witnesses of all lanes are known */
static int stage_of_all(const Lanes *lanes) {
    int stage = STAGE_TIME;
    for (int k = 0; k < MOBOD_LANES; k++)
        if (lanes->lanes[k].run) {
            const int own = stage_of_witnesses(lanes->table->model, lanes->lanes[k].run->simulation->state);
            stage = own > stage ? own : stage;
        }
    return stage;
}

void interpolate_in_lanes(Lanes *lanes, int with_witnesses) {
    const Model *model = lanes->table->model;
    const EventTable *table = model->events;
    const Method *method = lanes->method;
    const int n = y_size(model), n_parts = method->degree;
    if (method->pair) {
        evaluate_inside(lanes);
        mark_faults(lanes);
        find_explicit_interpolant(n, lanes->dense, method, lanes->step, lanes->y, lanes->slopes, lanes->y_new);
    } else {
        find_semi_implicit_interpolant(n, lanes->dense, lanes->step, lanes->y, lanes->slopes, lanes->y_new);
    }
    if (!with_witnesses)
        return;
    lanes->realized = STAGE_INSTANCE; /* below w is computed at other times */
    const int stage = stage_of_all(lanes);
    const LaneSweep *sweeps = table->before_witnesses ? lanes->sweeps->before_witnesses[stage] : lanes->sweeps->of_stages;
    for (int k = 1; k < n_parts; k++) {
        const Number time = lanes->t + (lanes->t_new - lanes->t) * (double)k / (double)n_parts;
        const Number fraction = (time - lanes->t) / (lanes->t_new - lanes->t);
        interpolate_dense(n, n_parts, lanes->dense, lanes->y, fraction, lanes->w + model->y_at);
        lanes->w[model->time_at] = time;
        normalize_in_lanes(lanes);
        for (int each = STAGE_TIME; each <= stage; each++)
            sweep_in_lanes(lanes, sweeps + each);
        find_witnesses_in_lanes(lanes, k);
    }
}
