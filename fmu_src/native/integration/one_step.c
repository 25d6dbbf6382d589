#include "one_step.h"

#include "delays.h"
#include "elementary.h"
#include "evaluation.h"
#include "events.h"
#include "explicit_arithmetic.h"
#include "jacobian.h"
#include "projection.h"
#include "rims.h"
#include "scales.h"
#include "step_control.h"
#include "step_grid.h"
#include "stiffness.h"
#include "tree.h"

#include <float.h>
#include <string.h>

/* A step that ends near a singular configuration, or has a stage there, is shortened to this part. Wherever that configuration lies in
 * the refused step: in the shorter step, and in a following one of the same length, no stage of RK45 is closer to it than 2 % of the
 * refused step. */
static const double SHORTENED = 0.58;

/* Such an end is refused if its distance to that configuration is less than this part of the distance at the start. The ends of the
 * shortened step, and of a following one of the same length, are not. */
static const double MUCH_NEARER = 0.125;

void restore_start_of_step(const Model *model, State *state, const Work *work, double t) {
    memcpy(state->w + model->y_at, work->y, (size_t)y_size(model) * sizeof(double));
    set_time(model, state, t);
}

/* a first step size, from slopes[0] and a trial step of explicit Euler that stays before t_end */
static double choose_first_step(const Model *model, State *state, Work *work, int order, double t_end) {
    const int n = y_size(model);
    const double *scales = y_scales(model);
    double t = state->w[model->time_at], *y = state->w + model->y_at;
    double guess = fmin(guessed_step(n, work->y, work->slopes, scales, time_scale(model), state->tolerance), t_end - t);

    for (int i = 0; i < n; i++)
        y[i] = work->y[i] + guess * work->slopes[i];
    set_time(model, state, t + guess);
    int is_finite = evaluate(model, state, work->slopes + n) < 0;
    restore_start_of_step(model, state, work, t);
    return is_finite ? first_step(n, work->y, work->slopes, work->slopes + n, guess, scales, time_scale(model), state->tolerance, order)
                     : guess;
}

/* the largest step size; the last step before an end may be longer by a hundredth */
static double largest_step(const Model *model, const State *state) {
    return model->delays ? fmin(state->largest_step, model->delays->longest_step) : state->largest_step;
}

int needs_interpolant(const Model *model, const Work *work, double t_new) {
    return work->inside_from <= t_new || model->delays || (model->events && model->events->n_witnesses > 0);
}

/* compute the Jacobian at the start of the step; 0 if it is not finite */
static int prepare_implicit_step(const Model *model, State *state, Work *work, double t_end, Integration *result) {
    ImplicitWork *implicit = work->implicit;
    double t = state->w[model->time_at];
    if (implicit->has_jacobian)
        return 1;
    realize(model, state, STAGE_ACCELERATION); /* the choice of a first step size leaves nothing realized */
    double step = fmin(state->step_size, t_end - t);
    int column = compute_jacobian(model, state, implicit, work->slopes, step, &result->n_evaluations);
    implicit->has_jacobian = column < 0;
    if (column < 0)
        return 1;
    restore_start_of_step(model, state, work, t);
    result->outcome = state->stopped ? KERNEL_STOPPED : NOT_FINITE;
    result->culprit = column < y_size(model) ? column : 0;
    result->time = t;
    result->value = NAN;
    result->step_size = step;
    return 0;
}

/* whether no other step may be tried: max_steps have been, or steps have no end; then `result` describes it */
static int has_reached_max_steps(const Model *model, State *state, Work *work, double t, Integration *result) {
    const int has_stalled =
        !has_fixed_steps(state) && hardly_advances(model, work, t) && stalled_on_rim(model, state, work, t, state->step_size);
    if (work->n_tried < work->max_steps && !has_stalled) {
        work->n_tried++;
        return 0;
    }
    restore_start_of_step(model, state, work, t);
    result->outcome = TOO_MANY_STEPS;
    result->culprit = work->worst;
    result->time = t;
    result->value = (double)work->max_steps;
    result->step_size = has_fixed_steps(state) ? state->fixed_step : state->step_size;
    return 1;
}

/* Whether a step from t ends so close to a singular configuration that its speeds are less accurate there than the step, although it
 * could end elsewhere. A loop moves through that configuration by steps that pass over it. */
static int ends_near_singularity(const Model *model, State *state, Work *work, double t) {
    Singularity end = singularity(model, state);
    if (!(end.inaccuracy > state->tolerance))
        return 0;
    copy_numbers(model, work->w, state->w);
    restore_start_of_step(model, state, work, t);
    Singularity start = singularity(model, state);
    copy_numbers(model, state->w, work->w);
    state->realized = STAGE_ACCELERATION;
    return end.distance < MUCH_NEARER * start.distance;
}

/* Compute the rates at the start of a step. Returns 0, and describes the fault in `result`, if they are not finite. */
static int begin_at(const Model *model, State *state, Work *work, double t, Integration *result) {
    memcpy(work->y, state->w + model->y_at, (size_t)y_size(model) * sizeof(double));
    if ((result->culprit = evaluate(model, state, work->slopes)) < 0)
        return 1;
    result->outcome = state->stopped ? KERNEL_STOPPED : NOT_FINITE;
    result->time = t;
    result->value = work->slopes[result->culprit];
    return 0;
}

void count_step(const Work *work, Integration *result) {
    result->n_steps++;
    result->methods |= 1 << integrator_of(work->method);
}

/* the first entry of y that is not finite, or -1; then `trial` describes it */
static int state_not_finite(const Model *model, const State *state, Integration *trial) {
    const double *y = state->w + model->y_at;
    int i = 0;
    while (i < y_size(model) && isfinite(y[i]))
        i++;
    if (i == y_size(model))
        return -1;
    trial->outcome = STEP_NOT_FINITE;
    trial->value = y[i];
    return trial->culprit = i;
}

int advance_by_fixed_step(const Model *model, State *state, Work *work, double t_end, Integration *result) {
    const Method *method = work->method = method_of((Integrator)state->integrator);
    double t = state->w[model->time_at], latest = model->delays ? fmin(t_end, t + model->delays->longest_step) : t_end;
    double t_new = end_of_fixed_step(state, t, latest), step = t_new - t;
    if (!begin_at(model, state, work, t, result) || has_reached_max_steps(model, state, work, t, result))
        return 0;
    Integration trial = *result;
    double error = method->pair ? try_explicit_step(model, state, work, method, step, t_new, &trial)
                                : try_semi_implicit_step(model, state, work, step, t_new, &trial);
    if (state_not_finite(model, state, &trial) < 0 && error == 0 &&
        (!needs_interpolant(model, work, t_new) || make_interpolant(model, state, work, method, step, &trial))) {
        result->n_evaluations = trial.n_evaluations;
        count_step(work, result);
        return 1;
    }
    restore_start_of_step(model, state, work, t);
    if (state->stopped)
        trial.outcome = KERNEL_STOPPED;
    trial.step_size = step;
    *result = trial;
    return 0;
}

void begin_step_size(const Model *model, State *state, Work *work, const Method *method, double t_end) {
    if (state->step_size != 0)
        return;
    state->step_size = fmin(choose_first_step(model, state, work, method->estimate_order, t_end), largest_step(model, state));
    state->error_before = LEAST_ERROR_BEFORE;
}

PlannedStep plan_step(const State *state, double t, double t_end) {
    PlannedStep planned = {.is_last = 1.01 * state->step_size >= t_end - t};
    planned.is_cut_short = planned.is_last && t_end - t < state->step_size;
    planned.t_new = planned.is_last ? t_end : t + state->step_size;
    planned.step = planned.t_new - t;
    planned.smallest = 16 * DBL_EPSILON * fmax(fabs(t), fabs(t_end));
    return planned;
}

void accept_step(const Model *model, State *state, const PlannedStep *planned, double error, double factor, int was_refused) {
    const double next = planned->step * (was_refused ? fmin(1, factor) : factor);
    if (planned->is_cut_short) {
        state->step_size = fmin(fmax(state->step_size, next), largest_step(model, state));
    } else {
        state->step_size = fmin(fmax(next, 2 * planned->smallest), largest_step(model, state));
        state->error_before = fmax(error, LEAST_ERROR_BEFORE);
    }
}

/* the factor for accept_step; two powers are not computed for a step that is too short to change the step size, whatever its error */
static double factor_of_next(const State *state, const PlannedStep *planned, double error, const Method *method) {
    if (planned->is_cut_short && planned->step * LARGEST_GROWTH <= state->step_size)
        return 1;
    return growth(wanted_growth(error, state->error_before, method));
}

int advance(const Model *model, State *state, Work *work, double t_end, Integration *result) {
    const Method *method = method_in_use(state, work);
    double t = state->w[model->time_at];

    if (!begin_at(model, state, work, t, result))
        return 0;
    begin_step_size(model, state, work, method, t_end);
    if (method->rosenbrock && !prepare_implicit_step(model, state, work, t_end, result))
        return 0;
    work->method = method;

    for (int was_refused = 0;; was_refused = 1) {
        if (has_reached_max_steps(model, state, work, t, result))
            return 0;

        const PlannedStep planned = plan_step(state, t, t_end);
        const double t_new = planned.t_new, step = planned.step;
        Integration trial = *result;
        double error = (method->rosenbrock ? try_implicit_step : try_explicit_step)(model, state, work, method, step, t_new, &trial);
        if (error <= 1 && needs_interpolant(model, work, t_new) && !make_interpolant(model, state, work, method, step, &trial))
            error = INFINITY;
        if (error <= 1 && !planned.is_last && model->rows && ends_near_singularity(model, state, work, t)) {
            trial.outcome = MOVED_TOO_FAR;
            error = INFINITY;
        }
        result->n_evaluations = trial.n_evaluations;
        work->worst = trial.culprit < 0 ? 0 : trial.culprit;
        if (error <= 1) {
            accept_step(model, state, &planned, error, factor_of_next(state, &planned, error, method), was_refused);
            count_step(work, result);
            return 1;
        }
        restore_start_of_step(model, state, work, t);
        if (state->stopped) {
            result->outcome = KERNEL_STOPPED;
            result->time = trial.time;
            return 0;
        }
        result->n_refused++;
        state->step_size = step * (trial.outcome == MOVED_TOO_FAR ? SHORTENED : shrinkage(error, method->estimate_order));
        if (trial.outcome == MOVED_TOO_FAR)
            method = work->method = method_near_singularity(state, work);
        if (state->step_size <= planned.smallest) {
            trial.n_refused = result->n_refused;
            *result = trial;
            return 0;
        }
    }
}
