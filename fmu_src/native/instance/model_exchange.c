#include "model_exchange.h"
#include "auto_updates.h"
#include "delays.h"
#include "elementary.h"
#include "evaluation.h"
#include "events.h"
#include "failure_messages.h"
#include "handler_actions.h"
#include "instance.h"
#include "late_impacts.h"
#include "logging.h"
#include "projection.h"
#include "rims.h"
#include "run_warnings.h"
#include "shown_start.h"
#include "slip_directions.h"
#include "state_sizes.h"
#include "step.h"
#include "tree.h"
#include "vectors.h"
#include "witnesses.h"

#include <string.h>

static Status check_array(const Instance *instance, const void *values, size_t n, int expected) {
    if (n != (size_t)expected)
        return log_error(instance, "an array of %lu values was given, and %d are needed.", (unsigned long)n, expected);
    return n && !values ? log_error(instance, "an array is a null pointer.") : STATUS_OK;
}

Status set_time_of_importer(Instance *instance, double time) {
    State *state = instance->state;
    if (!isfinite(time))
        return log_error(instance, "the time is %g s; give a finite one.", time);
    if (time < state->event_time)
        return log_error(instance, "the time, %.15g s, is before that of the last event, %.15g s.", time, state->event_time);
    double now = time == state->event_time ? state->time_after_event : time;
    if (now != state->w[instance->model->time_at])
        set_time(instance->model, state, now);
    return STATUS_OK;
}

Status set_continuous_states(Instance *instance, const double *y, size_t n) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (check_array(instance, y, n, y_size(model)) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(y[i]))
            return log_discard(instance, "state '%s' cannot be set to %g.", model->y_names[i], y[i]);
    if (n && memcmp(state->w + model->y_at, y, n * sizeof(double)) == 0)
        return STATUS_OK;
    memcpy(state->w + model->y_at, y, n * sizeof(double));
    invalidate(state, STAGE_POSITION);
    return STATUS_OK;
}

Status get_continuous_states(Instance *instance, double *y, size_t n) {
    if (check_array(instance, y, n, y_size(instance->model)) != STATUS_OK)
        return STATUS_ERROR;
    Status status = show_start(instance);
    memcpy(y, instance->state->w + instance->model->y_at, n * sizeof(double));
    return status;
}

Status get_nominals(Instance *instance, double *nominals, size_t n) {
    if (check_array(instance, nominals, n, y_size(instance->model)) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n; i++)
        nominals[i] =
            scale_of_y(instance->model, (int)i); /* as in the error control of step_control.c: an error is relative to scale + |y| */
    return STATUS_OK;
}

/* the result of a call that has stopped a sweep, because a value does not exist */
static Status discard_if_stopped(Instance *instance) {
    State *state = instance->state;
    if (state->stopped != NO_VALUE)
        return check_not_stopped(instance);
    state->stopped = 0;
    return log_discard(instance, "the accelerations do not exist at time %.15g s, for these states.", state->w[instance->model->time_at]);
}

Status get_derivatives(Instance *instance, double *y_dot, size_t n) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (check_array(instance, y_dot, n, y_size(model)) != STATUS_OK)
        return STATUS_ERROR;
    Status status = show_start(instance);
    if (realize(model, state, STAGE_ACCELERATION))
        return discard_if_stopped(instance);
    memcpy(y_dot, state->w + model->y_dot_at, n * sizeof(double));
    if (all_finite((int)n, y_dot))
        return status;
    Status contradiction = log_contradictions(instance, state->w[model->time_at], log_discard);
    if (contradiction != STATUS_OK)
        return contradiction;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(y_dot[i]))
            return log_discard(instance, "the derivative of '%s' is %g, at time %.15g s.", model->y_names[i], y_dot[i],
                               state->w[model->time_at]);
    return STATUS_OK;
}

Status get_event_indicators(Instance *instance, double *indicators, size_t n) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (check_array(instance, indicators, n, n_event_indicators(model)) != STATUS_OK)
        return STATUS_ERROR;
    if (n == 0)
        return STATUS_OK;
    Status status = show_start(instance);
    int stage = stage_of_witnesses(model, state);
    if (!realize(model, state, stage))
        read_witness_values(model, state, stage, indicators);
    if (state->stopped)
        return discard_if_stopped(instance);
    for (size_t i = 0; i < n; i++) {
        const Event *event = model->events->events + model->events->triggered[i];
        const double *memory = state->w + event->memory;
        indicators[i] += memory[MEMORY_SIDE] * memory[MEMORY_NOISE];
        if (isnan(indicators[i]))
            return log_discard(instance, "the indicator of event '%s' is not a number, at time %.15g s.", event->name,
                               state->w[model->time_at]);
    }
    return status;
}

/* The drift that is left to an importer's integrator, relative to the tolerance of its steps: each step adds about one tolerance, and a
 * restart costs several steps of low order. */
static const double MOST_DRIFT = 100;

/* whether the importer's integration has left an error that event mode must remove */
static int has_drifted(Instance *instance) {
    const Model *model = instance->model;
    State *state = instance->state;
    const double most = MOST_DRIFT * state->tolerance;
    for (int i = 0; i < model->n_quaternions; i++) {
        const double *e = state->w + model->quaternions[i];
        double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
        if (!(fabs(square - 1) <= 2 * most))
            return 1;
    }
    if (!has_constraints(model) || realize(model, state, STAGE_VELOCITY))
        return 0;

    /* the errors of steps are relative to scale + |y|, and so is what they add to the errors of constraints */
    double size = fmax(size_of_q(model, state), size_of_u(model, state));
    return !(largest_constraint_error(model, state) <= most * size);
}

/* From now on the signs of witnesses count that have left zero. Returns whether their values were read. has_changed: whether an indicator
 * has changed its sign since the last event, which an importer that looks for such changes has found already */
static int note_signs(const Model *model, State *state, double *values, int *has_changed) {
    const EventTable *table = model->events;
    int stage = stage_of_witnesses(model, state);
    *has_changed = 0;
    if (table->n_witnesses == 0 || realize(model, state, stage))
        return 0;
    read_witness_values(model, state, stage, values);
    for (int i = 0; i < table->n_witnesses; i++) {
        const Event *event = table->events + table->triggered[i];
        double *memory = state->w + event->memory;
        *has_changed = *has_changed || (values[i] * memory[MEMORY_SIDE] < -memory[MEMORY_NOISE] && is_enabled(event, state));
        if (values[i] * memory[MEMORY_SIDE] > memory[MEMORY_NOISE]) {
            memory[MEMORY_NOISE] = 0;
            memory[MEMORY_VALUE] = values[i]; /* from here on any change of sign is an event, however small the value */
        }
    }
    return 1;
}

/* whether handlers are called after each step */
static int has_step_handlers(const EventTable *table, const State *state) {
    for (int i = 0; i < table->n; i++)
        if (table->events[i].cause == CAUSE_TIME_ADVANCED && is_enabled(table->events + i, state))
            return 1;
    return 0;
}

Status completed_integrator_step(Instance *instance, int *needs_event_mode, int *is_terminated_) {
    const Model *model = instance->model;
    State *state = instance->state;
    Integration result = {.outcome = INTEGRATED};
    *needs_event_mode = 0;
    *is_terminated_ = is_terminated(model, state);
    state->pending |= PENDING_STEP_END;
    const double t = state->w[model->time_at];
    instance->close_events.longest_step = fmax(instance->close_events.longest_step, t - state->completed_step);
    const Contact *flat = hardly_advances(model, &instance->work, t) ? stalled_on_rim(model, state, &instance->work, t, 0) : NULL;
    if (flat) {
        contact_failed(CONTACT_LIES_FLAT, model, state, flat, 0, &result);
        return log_failure(instance, &result, log_error);
    }
    int full_delay = model->delays ? commit_delays(model, state, instance->work.moments) : -1;
    if (full_delay >= 0)
        return log_error(instance, "at time %.15g s the record of delay '%s' is full: it holds %d entries.", state->w[model->time_at],
                         model->delays->delays[full_delay].name, model->delays->delays[full_delay].capacity);
    int has_passed = 0;
    if (model->events) {
        double *values = instance->work.events->inside_values;
        renew_directions(model, state);
        if (note_signs(model, state, values, &has_passed))
            has_passed = has_passed_event_of_friction(model, state, values) || has_passed;
        has_passed = has_passed || has_step_handlers(model->events, state);
    }
    *needs_event_mode = has_passed || has_drifted(instance);
    if (!*needs_event_mode && model->auto_updates) {
        int has_changed;
        *needs_event_mode = next_values_change_rates(model, state);
        if (!*needs_event_mode && take_next_values(model, state, &has_changed, &result) != INTEGRATED)
            return log_error(instance, "at time %.15g s the next value of variable '%s' is %g.", state->w[model->time_at],
                             model->auto_updates->updates[result.culprit].name, result.value);
    }
    if (!*needs_event_mode)
        remember_completed_step(model, state);
    if (!state->stopped)
        warn_of_deformations(instance);
    warn_of_depths(instance);
    return check_not_stopped(instance);
}
