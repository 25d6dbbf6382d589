#include "integrators.h"
#include "delays.h"
#include "elementary.h"
#include "events.h"
#include "host.h"
#include "projection.h"
#include "rows.h"
#include "step_control.h"
#include "tableau.h"
#include "tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

int allocate_work(Work *work, const Model *model) {
    /* one more than needed: a model may have no states, and calloc need not return anything for nothing */
    size_t n = (size_t)y_size(model) + 1;
    work->y = calloc(n, sizeof(double));
    work->error = calloc(n, sizeof(double));
    work->y_dots = calloc(MAX_TABLEAU_STAGES * n, sizeof(double));
    work->w = calloc((size_t)model->n_w, sizeof(double));
    work->moments = calloc(moments_size(model), sizeof(double));
    work->events = create_event_work(model, work->moments);
    return work->y && work->error && work->y_dots && work->w && work->moments && (work->events || !model->events);
}

void free_work(Work *work) {
    free(work->y);
    free(work->error);
    free(work->y_dots);
    free(work->w);
    free(work->moments);
    free_event_work(work->events);
}

static int first_not_finite(int n, const double *values) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return i;
    return -1;
}

int normalize_quaternions(const Model *model, double *w) {
    for (int i = 0; i < model->n_quaternions; i++) {
        double *e = w + model->quaternions[i];
        /* scaled, so that no square overflows or vanishes */
        double largest = fmax(fmax(fabs(e[0]), fabs(e[1])), fmax(fabs(e[2]), fabs(e[3])));
        if (!(largest > 0) || !isfinite(largest))
            return i;
        double scaled[4] = {e[0] / largest, e[1] / largest, e[2] / largest, e[3] / largest};
        double length = sqrt(scaled[0] * scaled[0] + scaled[1] * scaled[1] + scaled[2] * scaled[2] + scaled[3] * scaled[3]);
        for (int j = 0; j < 4; j++)
            e[j] = scaled[j] / length;
    }
    return -1;
}

static void set_time(const Model *model, State *state, double time) {
    state->w[model->time_at] = time;
    invalidate(state, STAGE_TIME);
}

/* y_dot at the time and y that lie in w; -1, or the first entry that is not finite, which is 0 where a kernel stopped it. What has no value
 * does not stop more than this. */
static int evaluate(const Model *model, State *state, double *y_dot) {
    if (realize(model, state, STAGE_ACCELERATION)) {
        y_dot[0] = NAN;
        if (state->stopped == NO_VALUE)
            state->stopped = 0;
        return 0;
    }
    memcpy(y_dot, state->w + model->y_dot_at, (size_t)y_size(model) * sizeof(double));
    return first_not_finite(y_size(model), y_dot);
}

/* after a step, relative to its accuracy: more means that rows nearly depend on each other, as projection.h says */
static const double MOST_MOVED = 10;

/* Bring y at the end of a step to where the constraints hold; returns 0, with what is wrong in `trial`, if that cannot be done or moves it
 * too far. `before` [n_y] is a workspace. */
static int settle_step(const Model *model, State *state, double *before, Integration *trial) {
    const int n = y_size(model);
    double *y = state->w + model->y_at;
    realize(model, state, STAGE_VELOCITY); /* sets what is known */
    memcpy(before, y, (size_t)n * sizeof(double));
    Projection projection = project(model, state, state->constraint_tolerance);
    if (!projection.is_done) {
        trial->outcome = NOT_PROJECTED;
        trial->culprit = projection.constraint;
        trial->value = projection.error;
        return 0;
    }
    double furthest = MOST_MOVED * fmax(state->tolerance, 10 * state->constraint_tolerance);
    int is_near = 1;
    for (int i = 0; model->rows && i < n; i++) {
        const RowTable *rows = model->rows;
        int is_q = i >= rows->q - model->y_at && i < rows->q - model->y_at + rows->nq;
        int is_u = i >= rows->u - model->y_at && i < rows->u - model->y_at + rows->nu;
        double moved = is_q || is_u ? fabs(y[i] - before[i]) : 0;
        if (moved > furthest * (1 + fabs(before[i]))) {
            furthest = moved / (1 + fabs(before[i]));
            trial->outcome = MOVED_TOO_FAR;
            trial->culprit = i;
            trial->constraint = projection.first[is_u];
            trial->value = moved;
            is_near = 0;
        }
    }
    return is_near;
}

/* One step, tried: from work->y, whose derivative is work->y_dots[0], to time t_new in w. The quaternions are brought to unit length, and
 * y to where the constraints hold, before the last stage is evaluated. That changes y by less than the error of the step, and the error
 * estimate by less still; and the derivative that the next step starts with is the one of the y that it starts with, at no cost.
 *
 * returns its scaled error, infinite if something in it is not finite; `trial` says what was worst */
static double try_step(const Model *model, State *state, Work *work, const Tableau *tableau, double step, double t_new,
                       Integration *trial) {
    const int n = y_size(model), n_stages = tableau->n_stages;
    double t = state->w[model->time_at], *y_new = state->w + model->y_at;
    trial->step_size = step;

    for (int stage = 1; stage < n_stages; stage++) {
        const double *a = tableau->a + stage * n_stages;
        for (int i = 0; i < n; i++) {
            double slope = 0;
            for (int j = 0; j < stage; j++)
                slope += a[j] * work->y_dots[j * n + i];
            y_new[i] = work->y[i] + step * slope;
        }

        /* the end of the step is t_new to the last bit */
        trial->time = tableau->c[stage] == 1 ? t_new : t + tableau->c[stage] * step;
        set_time(model, state, trial->time);
        if (stage == n_stages - 1 && (trial->culprit = normalize_quaternions(model, state->w)) >= 0) {
            trial->outcome = ZERO_QUATERNION;
            return INFINITY;
        }
        if (stage == n_stages - 1 && has_constraints(model) && !settle_step(model, state, work->error, trial))
            return INFINITY;
        trial->n_evaluations++;
        if ((trial->culprit = evaluate(model, state, work->y_dots + stage * n)) >= 0) {
            trial->outcome = NOT_FINITE;
            trial->value = work->y_dots[stage * n + trial->culprit];
            return INFINITY;
        }
    }

    for (int i = 0; i < n; i++) {
        work->error[i] = 0;
        for (int j = 0; j < n_stages; j++)
            work->error[i] += tableau->error[j] * work->y_dots[j * n + i];
        work->error[i] *= step;
    }
    if (has_constraints(model)) {
        /* to copy what is realized costs less than to realize it once more */
        memcpy(work->w, state->w, (size_t)model->n_w * sizeof(double));
        remove_normal_part(model, state, work->error);
        memcpy(state->w, work->w, (size_t)model->n_w * sizeof(double));
        state->realized = STAGE_ACCELERATION;
    }
    trial->outcome = TOO_INACCURATE;
    trial->value = scaled_error(n, work->error, work->y, y_new, state->tolerance, &trial->culprit);
    return trial->value;
}

/* time and y as they were when the step began */
static void take_back(const Model *model, State *state, const Work *work, double t) {
    memcpy(state->w + model->y_at, work->y, (size_t)y_size(model) * sizeof(double));
    set_time(model, state, t);
}

/* a first step size, from y_dots[0] and a trial step of explicit Euler that stays before t_end */
static double choose_first_step(const Model *model, State *state, Work *work, int order, double t_end) {
    const int n = y_size(model);
    double t = state->w[model->time_at], *y = state->w + model->y_at;
    double guess = fmin(guessed_step(n, work->y, work->y_dots, state->tolerance), t_end - t);

    for (int i = 0; i < n; i++)
        y[i] = work->y[i] + guess * work->y_dots[i];
    set_time(model, state, t + guess);
    int is_finite = evaluate(model, state, work->y_dots + n) < 0;
    take_back(model, state, work, t);
    return is_finite ? first_step(n, work->y, work->y_dots, work->y_dots + n, guess, state->tolerance, order) : guess;
}

/* no step is longer, but by a hundredth */
static double largest_step(const Model *model, const State *state) {
    return model->delays ? fmin(state->largest_step, model->delays->longest_step) : state->largest_step;
}

/* take one step towards t_end, the longest that is accurate enough; `result` counts it, or says why there is none */
static int advance(const Model *model, State *state, Work *work, double t_end, Integration *result) {
    const Tableau *tableau = &dormand_prince_54;
    double t = state->w[model->time_at];

    /* With a shorter step, time plus step has no digits left to tell two stages apart. None follows a good step; where one is needed
     * nonetheless, there is no solution to be had. */
    double smallest_step = 16 * DBL_EPSILON * fmax(fabs(t), fabs(t_end));

    memcpy(work->y, state->w + model->y_at, (size_t)y_size(model) * sizeof(double));
    if ((result->culprit = evaluate(model, state, work->y_dots)) >= 0) {
        result->outcome = state->stopped ? KERNEL_STOPPED : NOT_FINITE;
        result->time = t;
        result->value = work->y_dots[result->culprit];
        return 0;
    }
    if (state->step_size == 0) {
        state->step_size = fmin(choose_first_step(model, state, work, tableau->order, t_end), largest_step(model, state));
        state->error_before = LEAST_ERROR_BEFORE;
    }

    for (int was_refused = 0;; was_refused = 1) {
        /* the last step ends at t_end, a little longer or any amount shorter than it would be */
        int is_last = 1.01 * state->step_size >= t_end - t;
        int is_cut_short = is_last && t_end - t < state->step_size;

        /* as long as time will show: time and y advance together, whatever digits the sum loses */
        double t_new = is_last ? t_end : t + state->step_size, step = t_new - t;

        Integration trial = *result;
        double error = try_step(model, state, work, tableau, step, t_new, &trial);
        result->n_evaluations = trial.n_evaluations;
        if (error <= 1) {
            /* a step cut short does not shorten the next one, and its error is not one that the step control has chosen */
            double factor = growth(error, state->error_before, tableau->order), next = step * (was_refused ? fmin(1, factor) : factor);
            if (is_cut_short) {
                state->step_size = fmin(fmax(state->step_size, next), largest_step(model, state));
            } else {
                state->step_size = fmin(fmax(next, 2 * smallest_step), largest_step(model, state));
                state->error_before = fmax(error, LEAST_ERROR_BEFORE);
            }
            result->n_steps++;
            return 1;
        }
        take_back(model, state, work, t);
        if (state->stopped) {
            result->outcome = KERNEL_STOPPED;
            result->time = trial.time;
            return 0;
        }
        result->n_refused++;
        state->step_size = step * shrinkage(error, tableau->order);
        if (state->step_size <= smallest_step) {
            trial.n_refused = result->n_refused;
            *result = trial;
            return 0;
        }
    }
}

/* of a delay, by its number or -1; `result` says it */
static int lacks_room(const Model *model, const State *state, int delay, Integration *result) {
    if (delay < 0)
        return 0;
    result->outcome = NO_ROOM;
    result->culprit = delay;
    result->time = state->w[model->time_at];
    result->value = model->delays->delays[delay].capacity;
    return 1;
}

/* as long as witnesses find that the step should have ended elsewhere, it is taken again; `t_end` is where it may end */
static int advance_to_event(const Model *model, State *state, Work *work, double t_end, Integration *result) {
    double t = state->w[model->time_at], step_size = state->step_size, error_before = state->error_before, target = t_end;
    for (;;) {
        if (!advance(model, state, work, fmin(t_end, target), result))
            return 0;
        if (!work->events)
            return 1;
        if ((result->outcome = look_inside(model, state, work, work->events, t, &target, result)) != INTEGRATED)
            return 0;
        if (!(target < INFINITY))
            return 1;
        take_back(model, state, work, t);
        result->n_steps--;

        /* a first step size that was found here is kept */
        if (step_size > 0) {
            state->step_size = step_size;
            state->error_before = error_before;
        }
    }
}

/* what is to be done before a step: begin what delays remember, or go past a jump that comes out of one */
static Outcome prepare_delays(const Model *model, State *state, Work *work, int begins, Integration *result) {
    if (!model->delays)
        return INTEGRATED;
    int no_room = -1, has_passed = 0;
    if (begins)
        no_room = begin_delays(model, state, work->moments);
    else
        has_passed = pass_stop_of_delays(model, state, work->moments, &no_room);
    if (lacks_room(model, state, no_room, result))
        return NO_ROOM;
    return has_passed && work->events ? look_again(model, state, work->events, result) : INTEGRATED;
}

/* what the host does at the start of each step */
static Outcome begin_step(const Model *model, State *state, Work *work, Integration *result) {
    int has_changed;
    if (begin_step_of_host(state, &has_changed)) {
        result->time = state->w[model->time_at];
        return KERNEL_STOPPED;
    }
    Outcome outcome = has_changed ? prepare_delays(model, state, work, 1, result) : INTEGRATED;
    return has_changed && outcome == INTEGRATED && work->events ? look_again(model, state, work->events, result) : outcome;
}

/* a step, and what is recorded of it; 0 if it fails */
static int take_step(const Model *model, State *state, Work *work, double t_end, Integration *result) {
    double t = state->w[model->time_at], t_stop = t_end;
    if (work->events)
        t_stop = fmin(t_stop, next_event_time(model, state));
    if (model->delays)
        t_stop = fmin(t_stop, next_stop_of_delays(model, state));
    return advance_to_event(model, state, work, t_stop, result) &&
           !(model->delays && lacks_room(model, state, advance_delays(model, state, work, t), result));
}

static Integration integrate_steps(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer) {
    Integration result = {.outcome = INTEGRATED};
    EventWork *events = work->events;
    int goes_on = 1;
    result.outcome = prepare_delays(model, state, work, 1, &result);
    if (events) {
        events->has_time_advanced = 0;
        if (result.outcome == INTEGRATED)
            result.outcome = resume_events(model, state, events, &result);
        if (result.outcome == INTEGRATED && events->has_changed)
            result.outcome = prepare_delays(model, state, work, 1, &result);
    }
    while (result.outcome == INTEGRATED && goes_on && state->w[model->time_at] < t_end &&
           !(events && (is_terminated(model, state) || (events->stops && events->is_at_event)))) {
        result.outcome = prepare_delays(model, state, work, 0, &result);
        double t = state->w[model->time_at];
        if (result.outcome != INTEGRATED || !(t < t_end) || (result.outcome = begin_step(model, state, work, &result)) != INTEGRATED)
            break;
        if (!take_step(model, state, work, t_end, &result))
            return result;
        if (step_taken)
            goes_on = step_taken(observer, t, state->w[model->time_at], work);
        if (events) {
            events->is_at_event = 0;
            result.outcome = happen(model, state, events, 1, &result);
            if (result.outcome == INTEGRATED && events->has_changed)
                result.outcome = prepare_delays(model, state, work, 1, &result);
        }
    }

    /* also where there was nothing to do, w is realized */
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

void interpolate(int n, const Work *work, const double *y_new, double step, double fraction, double *y) {
    const Tableau *tableau = &dormand_prince_54;
    const double *first = work->y_dots, *last = work->y_dots + (tableau->n_stages - 1) * n;
    for (int i = 0; i < n; i++) {
        double bend = 0, change = y_new[i] - work->y[i];
        for (int j = 0; j < tableau->n_stages; j++)
            bend += tableau->dense[j] * work->y_dots[j * n + i];
        double at_start = step * first[i] - change, at_end = change - step * last[i] - at_start;
        y[i] = work->y[i] + fraction * (change + (1 - fraction) * (at_start + fraction * (at_end + (1 - fraction) * step * bend)));
    }
}

void interpolate_rate(int n, const Work *work, const double *y_new, double step, double fraction, double *y_dot) {
    const Tableau *tableau = &dormand_prince_54;
    const double *first = work->y_dots, *last = work->y_dots + (tableau->n_stages - 1) * n;

    /* a change by less than this loses more digits by differences than a straight line between rates does */
    const double is_short = 1e-5;
    int loses_digits = 1;
    for (int i = 0; i < n; i++)
        loses_digits = loses_digits && step * fabs(first[i]) <= is_short * (1 + fabs(work->y[i]));

    for (int i = 0; i < n; i++) {
        if (loses_digits || fraction == 0 || fraction == 1) {
            y_dot[i] = first[i] + fraction * (last[i] - first[i]);
            continue;
        }
        double bend = 0, change = y_new[i] - work->y[i], x = fraction;
        for (int j = 0; j < tableau->n_stages; j++)
            bend += tableau->dense[j] * work->y_dots[j * n + i];
        double at_start = step * first[i] - change, at_end = change - step * last[i] - at_start;
        double slope = change + (1 - 2 * x) * at_start + x * (2 - 3 * x) * at_end + x * (2 - x * (6 - 4 * x)) * step * bend;
        y_dot[i] = slope / step;
    }
}
