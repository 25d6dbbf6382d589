#include "event_mode.h"
#include "auto_updates.h"
#include "delays.h"
#include "elementary.h"
#include "evaluation.h"
#include "event_times.h"
#include "events.h"
#include "failure_messages.h"
#include "handler_actions.h"
#include "instance.h"
#include "late_impacts.h"
#include "logging.h"
#include "numerics.h"
#include "projection.h"
#include "slip_directions.h"
#include "step.h"
#include "tree.h"
#include "undo.h"
#include "unresolved_bounces.h"

#include <float.h>
#include <string.h>

static int is_model_exchange(const Instance *instance) { return instance->state->interface_type == MODEL_EXCHANGE; }

void enter_event_mode(Instance *instance) {
    State *state = instance->state;
    state->mode = MODE_EVENT;
    if (is_model_exchange(instance))
        state->pending = (state->pending & ~PENDING_SET_STATES) | PENDING_PROJECTION;
}

/* remove the errors of quaternions and constraints that an integration by the importer has left; active unilateral rows stay active */
static Status remove_drift(Instance *instance) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (normalize_state(instance, "") != STATUS_OK)
        return STATUS_ERROR;
    if (state->was_set)
        return satisfy_constraints(instance, "state at the event");
    Projection projection = {.is_done = 1};
    if (has_constraints(model))
        projection = project(model, state, state->constraint_tolerance);
    if (projection.is_done)
        return STATUS_OK;
    return log_error(instance, "at time %.15g s the state does not satisfy constraint '%s': its %s error is %g.", state->w[model->time_at],
                     constraint_name(model, projection.constraint), projection.of_velocity ? "velocity" : "position", projection.error);
}

/* The same; contacts and friction whose indicators the importer has found to cross zero do so, wherever this moves them. late: a contact
 * whose impact the importer's step has gone past, or -1 */
static Status remove_all_drift(Instance *instance, int *late) {
    EventWork *events = instance->work.events;
    int has_distances = events && note_crossings_of_importer(instance->model, instance->state, events);
    *late = -1;
    if (has_distances)
        note_late_impacts(instance->model, instance->state, events->contacts);
    Status status = remove_drift(instance);
    if (status == STATUS_OK && has_distances) {
        note_drift_of_contacts(instance->model, instance->state, events);
        *late = confirm_late_impacts(instance->model, instance->state, events->contacts);
    }
    return status;
}

/* what happens after each step of integration, and the events that are due */
static Outcome process_pending(Instance *instance, Integration *result) {
    const Model *model = instance->model;
    State *state = instance->state;
    EventWork *events = instance->work.events;
    int has_changed = 0, full_delay = -1;
    if (events) {
        events->leaves_events = 0;
        result->outcome = resume_events(model, state, events, result);
        events->leaves_events = state->interface_type == CO_SIMULATION_WITH_EVENTS;
    }
    if (result->outcome == INTEGRATED && is_model_exchange(instance) && (state->pending & PENDING_STEP_END))
        result->outcome = take_next_values(model, state, &has_changed, result);
    if (result->outcome == INTEGRATED && model->delays) {
        full_delay = begin_delays(model, state, instance->work.moments);
        const double time = state->w[model->time_at], after = next_time_after_jump(model, state);
        const double latest = is_model_exchange(instance) ? time : end_with_event(model, time, after);
        if (full_delay < 0 && pass_stop_of_delays(model, state, instance->work.moments, latest, &full_delay))
            state->time_after_event = state->w[model->time_at];
        if (full_delay >= 0)
            result->outcome = event_failed(HISTORY_FULL, model, state, full_delay, 0, result);
    }
    return result->outcome;
}

static void find_next_time(const Instance *instance, EventInfo *info) {
    const Model *model = instance->model;
    State *state = instance->state;
    double next = INFINITY;
    if (model->events)
        next = next_event_time(model, state);
    if (model->delays && is_model_exchange(instance))
        next = fmin(next, fmin(next_stop_of_delays(model, state), state->w[model->time_at] + model->delays->longest_step));
    info->has_next_time = next < NEVER;
    info->next_time = info->has_next_time ? next : 0;
}

/* of an importer's steps */
static void forget_contacts_of_steps(Instance *instance) {
    if (!instance->model->contacts)
        return;
    forget_drift_of_contacts(instance->model, instance->work.events);
    forget_late_impacts(instance->model, instance->work.events->contacts);
}

static Status fail(Instance *instance) {
    forget_contacts_of_steps(instance);
    check_not_stopped(instance);
    restore_w(instance);
    instance->state->mode = MODE_ERROR;
    return STATUS_ERROR;
}

/* once in a run, since the message is about the importer */
static void warn_of_late_impact(Instance *instance, int contact, double depth, double step) {
    const Model *model = instance->model;
    if (instance->has_warned_of_late_impacts)
        return;
    instance->has_warned_of_late_impacts = 1;
    log_warning(
        instance,
        "at time %.15g s '%s' is %.3g below zero: a step of %.3g s has gone past its impact, which takes place now. Impacts are up to "
        "a step late, and errors are of the order of the step; later ones are not logged. Use a solver that finds zero crossings, "
        "shorter steps, or co-simulation.",
        instance->state->w[model->time_at], model->events->events[model->contacts->contacts[contact].event].name, depth, step);
}

/* Events of contacts without end: MOST_CLOSE within CLOSE of a step stand still, however long the importer goes on. */
enum { MOST_CLOSE = 1000 };
static const double CLOSE = 1e-6;

static Status check_close_events(Instance *instance) {
    CloseEvents *close = &instance->close_events;
    const EventWork *events = instance->work.events;
    const double time = instance->state->w[instance->model->time_at];
    if (!events || events->last_decided < 0)
        return STATUS_OK;
    if (!(fabs(time - close->since) <= CLOSE * close->longest_step)) {
        close->since = time;
        close->n = 0;
    }
    if (++close->n <= MOST_CLOSE)
        return STATUS_OK;
    return log_error(
        instance,
        "at time %.15g s %d events of '%s' and other contacts have followed each other within %.3g s, a millionth of a step of "
        "the importer, %.3g s. Use a smaller tolerance of the importer, a compliant contact, or co-simulation.",
        time, MOST_CLOSE, instance->model->events->events[events->last_decided].name, CLOSE * close->longest_step, close->longest_step);
}

Status update_discrete_states(Instance *instance, EventInfo *info) {
    const Model *model = instance->model;
    State *state = instance->state;
    const size_t bytes = (size_t)y_size(model) * sizeof(double);
    Integration result = {.outcome = INTEGRATED};
    int late = -1;
    double depth = 0, step = state->w[model->time_at] - state->completed_step;
    *info = (EventInfo){0};
    if (apply_numerics(instance) != STATUS_OK)
        return STATUS_ERROR;
    save_w(instance);
    if (instance->work.events)
        instance->work.events->last_decided = -1;
    state->event_time = state->time_after_event = state->w[model->time_at];
    if (is_model_exchange(instance)) {
        if ((state->pending & PENDING_PROJECTION) && remove_all_drift(instance, &late) != STATUS_OK)
            return fail(instance);
        depth = late < 0 ? 0 : instance->work.events->contacts->late[late].depth;
    } else if (state->was_set && satisfy_constraints(instance, "state at the event") != STATUS_OK) {
        return fail(instance);
    }
    if (process_pending(instance, &result) != INTEGRATED || state->stopped) {
        if (!state->stopped)
            log_failure(instance, &result, log_error);
        return fail(instance);
    }
    if (log_noted_impacts(instance) != STATUS_OK || (is_model_exchange(instance) && check_close_events(instance) != STATUS_OK))
        return fail(instance);
    forget_contacts_of_steps(instance);
    if (late >= 0)
        warn_of_late_impact(instance, late, depth, step);
    state->pending = 0;
    realize(model, state, STAGE_VELOCITY); /* sets prescribed coordinates and speeds, those of locks too */
    if (is_model_exchange(instance))
        remember_completed_step(model, state);
    info->is_terminated = is_terminated(model, state);
    info->states_changed = memcmp(state->w + model->y_at, instance->w_before + model->y_at, bytes) != 0;
    find_next_time(instance, info);
    return STATUS_OK;
}

void leave_event_mode(Instance *instance) { instance->state->mode = is_model_exchange(instance) ? MODE_CONTINUOUS : MODE_STEP; }
