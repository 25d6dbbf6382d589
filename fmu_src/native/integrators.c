#include "integrators.h"
#include "auto_updates.h"
#include "delays.h"
#include "elementary.h"
#include "events.h"
#include "jacobian.h"
#include "projection.h"
#include "step.h"
#include "step_control.h"
#include "step_grid.h"
#include "stiffness.h"
#include "tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* A step that ends near a singular configuration, or has a stage there, is shortened to this part. Wherever that configuration lies in
 * the refused step: in the shorter step, and in a following one of the same length, no stage of RK45 is closer to it than 2 % of the
 * refused step. */
static const double SHORTENED = 0.58;

/* Such an end is refused if its distance to that configuration is less than this part of the distance at the start. The ends of the
 * shortened step, and of a following one of the same length, are not. */
static const double MUCH_NEARER = 0.125;

/* whether steps may be implicit */
static int may_be_implicit(const Model *model, int integrator) {
    return integrator == INTEGRATOR_RODAS5P || (integrator == INTEGRATOR_AUTO && y_size(model) <= MOST_IMPLICIT);
}

int allocate_work(Work *work, const Model *model, int integrator) {
    /* one entry more than needed: a model may have no states, and calloc may return NULL for size 0 */
    size_t n = (size_t)y_size(model) + 1;
    work->y = calloc((4 + MOST_SLOPES + MOST_DEGREES) * n, sizeof(double));
    if (work->y) {
        work->error = work->y + n;
        work->error_below = work->error + n;
        work->y_stage = work->error_below + n;
        work->slopes = work->y_stage + n;
        work->dense = work->slopes + MOST_SLOPES * n;
    }
    work->inside_from = INFINITY;
    work->max_steps = DEFAULT_MAX_STEPS;
    work->w = calloc((size_t)model->n_w, sizeof(double));
    work->moments = calloc(moments_size(model), sizeof(double));
    work->events = create_event_work(model, work->moments);
    work->implicit = may_be_implicit(model, integrator) ? create_implicit_work(model) : NULL;
    return work->y && work->w && work->moments && (work->events || !model->events) &&
           (work->implicit || !may_be_implicit(model, integrator));
}

void free_work(Work *work) {
    free(work->y);
    free(work->w);
    free(work->moments);
    free_event_work(work->events);
    free_implicit_work(work->implicit);
}

/* restore time and y to those at the start of the step */
static void restore_start_of_step(const Model *model, State *state, const Work *work, double t) {
    memcpy(state->w + model->y_at, work->y, (size_t)y_size(model) * sizeof(double));
    set_time(model, state, t);
}

/* a first step size, from slopes[0] and a trial step of explicit Euler that stays before t_end */
static double choose_first_step(const Model *model, State *state, Work *work, int order, double t_end) {
    const int n = y_size(model);
    double t = state->w[model->time_at], *y = state->w + model->y_at;
    double guess = fmin(guessed_step(n, work->y, work->slopes, state->tolerance), t_end - t);

    for (int i = 0; i < n; i++)
        y[i] = work->y[i] + guess * work->slopes[i];
    set_time(model, state, t + guess);
    int is_finite = evaluate(model, state, work->slopes + n) < 0;
    restore_start_of_step(model, state, work, t);
    return is_finite ? first_step(n, work->y, work->slopes, work->slopes + n, guess, state->tolerance, order) : guess;
}

/* the largest step size; the last step before an end may be longer by a hundredth */
static double largest_step(const Model *model, const State *state) {
    return model->delays ? fmin(state->largest_step, model->delays->longest_step) : state->largest_step;
}

/* whether values within the step that ends at t_new are needed */
static int needs_interpolant(const Model *model, const Work *work, double t_new) {
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

/* whether max_steps steps have been tried; then `result` describes it */
static int has_reached_max_steps(const Model *model, State *state, Work *work, double t, Integration *result) {
    if (work->n_tried < work->max_steps) {
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
    memcpy(work->w, state->w, (size_t)model->n_w * sizeof(double));
    restore_start_of_step(model, state, work, t);
    Singularity start = singularity(model, state);
    memcpy(state->w, work->w, (size_t)model->n_w * sizeof(double));
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

static void count_step(const Work *work, Integration *result) {
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

/* Take one fixed step towards t_end. `result` counts it, or describes why there is none. */
static int advance_by_fixed_step(const Model *model, State *state, Work *work, double t_end, Integration *result) {
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

/* Take one step towards t_end, the longest that is accurate enough. `result` counts it, or describes why there is none. */
static int advance(const Model *model, State *state, Work *work, double t_end, Integration *result) {
    const Method *method = method_in_use(model, state, work);
    double t = state->w[model->time_at];

    /* With a shorter step, the sum of time and step has no digits left to distinguish two stages. After an accepted step, step sizes are
     * not smaller. If a refused step requires a smaller one, the integration fails. */
    double smallest_step = 16 * DBL_EPSILON * fmax(fabs(t), fabs(t_end));

    if (!begin_at(model, state, work, t, result))
        return 0;
    if (state->step_size == 0) {
        state->step_size = fmin(choose_first_step(model, state, work, method->order, t_end), largest_step(model, state));
        state->error_before = LEAST_ERROR_BEFORE;
    }
    if (method->rosenbrock && !prepare_implicit_step(model, state, work, t_end, result))
        return 0;
    work->method = method;

    for (int was_refused = 0;; was_refused = 1) {
        if (has_reached_max_steps(model, state, work, t, result))
            return 0;

        /* the last step ends at t_end: up to 1 % longer, or any amount shorter, than step_size */
        int is_last = 1.01 * state->step_size >= t_end - t;
        int is_cut_short = is_last && t_end - t < state->step_size;

        /* the length of the step is the difference of the rounded times, so that time and y advance by the same amount */
        double t_new = is_last ? t_end : t + state->step_size, step = t_new - t;

        Integration trial = *result;
        double error = (method->rosenbrock ? try_implicit_step : try_explicit_step)(model, state, work, method, step, t_new, &trial);
        if (error <= 1 && needs_interpolant(model, work, t_new) && !make_interpolant(model, state, work, method, step, &trial))
            error = INFINITY;
        if (error <= 1 && !is_last && model->rows && ends_near_singularity(model, state, work, t)) {
            trial.outcome = MOVED_TOO_FAR;
            error = INFINITY;
        }
        result->n_evaluations = trial.n_evaluations;
        work->worst = trial.culprit < 0 ? 0 : trial.culprit;
        if (error <= 1) {
            /* a step cut short by t_end does not shorten the next one, and its error does not enter the step control */
            double factor = growth(error, state->error_before, method->order, method->integral_gain),
                   next = step * (was_refused ? fmin(1, factor) : factor);
            if (is_cut_short) {
                state->step_size = fmin(fmax(state->step_size, next), largest_step(model, state));
            } else {
                state->step_size = fmin(fmax(next, 2 * smallest_step), largest_step(model, state));
                state->error_before = fmax(error, LEAST_ERROR_BEFORE);
            }
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
        state->step_size = step * (trial.outcome == MOVED_TOO_FAR ? SHORTENED : shrinkage(error, method->order));
        if (state->step_size <= smallest_step) {
            trial.n_refused = result->n_refused;
            *result = trial;
            return 0;
        }
    }
}

/* whether the record of a delay is full (its number, or -1: none); then `result` describes it */
static int is_history_full(const Model *model, const State *state, int delay, Integration *result) {
    if (delay < 0)
        return 0;
    result->outcome = HISTORY_FULL;
    result->culprit = delay;
    result->time = state->w[model->time_at];
    result->value = model->delays->delays[delay].capacity;
    return 1;
}

/* Take a step, and repeat it as long as a witness requires another end. `t_end`: the latest end. */
static int advance_to_event(const Model *model, State *state, Work *work, double t_end, Integration *result) {
    double t = state->w[model->time_at], step_size = state->step_size, error_before = state->error_before, target = t_end;
    for (;;) {
        if (!(has_fixed_steps(state) ? advance_by_fixed_step : advance)(model, state, work, fmin(t_end, target), result))
            return 0;
        if (!work->events)
            return 1;
        double end = state->w[model->time_at];
        result->outcome = find_crossings(model, state, work, work->events, t, &target, result);
        if (result->outcome == WITNESS_NOT_A_NUMBER && end - t > window_at(end, 0)) {
            target = t + (end - t) / 2; /* a shorter step may locate the fault better, or avoid it */
            result->outcome = INTEGRATED;
        }
        if (result->outcome != INTEGRATED)
            return 0;
        if (!(target < INFINITY))
            return 1;
        restore_start_of_step(model, state, work, t);
        result->n_steps--;

        /* keep a first step size that was chosen in this call */
        if (step_size > 0) {
            state->step_size = step_size;
            state->error_before = error_before;
        }
    }
}

/* before a step: begin the records of delays, or move past a delayed jump */
static Outcome prepare_delays(const Model *model, State *state, Work *work, int begins, Integration *result) {
    if (!model->delays)
        return INTEGRATED;
    int full_delay = -1, has_passed = 0;
    if (begins)
        full_delay = begin_delays(model, state, work->moments);
    else
        has_passed = pass_stop_of_delays(model, state, work->moments, &full_delay);
    if (is_history_full(model, state, full_delay, result))
        return HISTORY_FULL;
    return has_passed && work->events ? read_witnesses(model, state, work->events, result) : INTEGRATED;
}

/* let variables take their next values, and prepare whatever depends on them */
static Outcome begin_step(const Model *model, State *state, Work *work, Integration *result) {
    int has_changed;
    Outcome outcome = take_next_values(model, state, &has_changed, result);
    if (outcome == INTEGRATED && has_changed)
        outcome = prepare_delays(model, state, work, 1, result);
    return has_changed && outcome == INTEGRATED && work->events ? read_witnesses(model, state, work->events, result) : outcome;
}

/* take a step and record delays; 0 if it fails */
static int take_step(const Model *model, State *state, Work *work, double t_end, Integration *result) {
    double t = state->w[model->time_at], t_stop = t_end;
    if (work->implicit)
        work->implicit->has_jacobian = 0;
    if (work->events)
        t_stop = fmin(t_stop, next_event_time(model, state));
    if (model->delays)
        t_stop = fmin(t_stop, next_stop_of_delays(model, state));
    if (!advance_to_event(model, state, work, t_stop, result) ||
        (model->delays && is_history_full(model, state, advance_delays(model, state, work, t), result)))
        return 0;
    watch_stiffness(model, state, work, state->w[model->time_at] - t);
    return 1;
}

static Integration integrate_steps(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer) {
    Integration result = {.outcome = INTEGRATED};
    EventWork *events = work->events;
    int continues = 1;
    result.outcome = prepare_delays(model, state, work, 1, &result);
    if (events) {
        events->has_time_advanced = 0;
        if (result.outcome == INTEGRATED)
            result.outcome = resume_events(model, state, events, &result);
        if (result.outcome == INTEGRATED && events->has_changed)
            result.outcome = prepare_delays(model, state, work, 1, &result);
    }
    while (result.outcome == INTEGRATED && continues && state->w[model->time_at] < t_end &&
           !(events && (is_terminated(model, state) || (events->stops && events->is_at_event) || (state->pending & PENDING_EVENTS)))) {
        result.outcome = prepare_delays(model, state, work, 0, &result);
        double t = state->w[model->time_at];
        if (result.outcome != INTEGRATED || !(t < t_end) || (result.outcome = begin_step(model, state, work, &result)) != INTEGRATED)
            break;
        if (!take_step(model, state, work, t_end, &result))
            return result;
        if (step_taken)
            continues = step_taken(observer, t, state->w[model->time_at], work);
        if (events) {
            events->is_at_event = 0;
            int is_inside = state->w[model->time_at] < t_end;
            if (events->leaves_events && !(is_inside && events->leaves_at_end_alone) && is_event_due(model, state, events)) {
                leave_events(model, state, events);
                state->pending |= PENDING_STEP_END;
                break;
            }
            result.outcome = process_events(model, state, events, 1, &result);
            if (result.outcome == INTEGRATED && events->has_changed)
                result.outcome = prepare_delays(model, state, work, 1, &result);
        }
    }

    /* w is realized also if no step was taken */
    if (result.outcome == INTEGRATED)
        realize(model, state, STAGE_ACCELERATION);
    return result;
}

Integration integrate(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer) {
    Integration result = integrate_steps(model, state, work, t_end, step_taken, observer);
    if (state->stopped)
        result.outcome = KERNEL_STOPPED;
    return result;
}
