#include "handler_actions.h"

#include "auto_updates.h"
#include "contact_table.h"
#include "contacts.h"
#include "elementary.h"
#include "evaluation.h"
#include "host.h"
#include "impulse.h"
#include "normal_numbers.h"
#include "projection.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <string.h>

Outcome event_failed(Outcome outcome, const Model *model, const State *state, int event, double value, Integration *result) {
    result->outcome = outcome;
    result->culprit = event;
    result->time = time_of(model, state);
    result->value = value;
    return outcome;
}

/* the values that a function has set must be finite and within their bounds */
static Outcome check_written(const Model *model, State *state, int number, const Instruction *function, Integration *result) {
    const EventTable *table = model->events;
    for (int i = 0; i < function->n_writes; i++) {
        int first = function->writes[2 * i], end = first + function->writes[2 * i + 1];
        for (int at = first; at < end; at++)
            if (!isfinite(state->w[at]))
                return event_failed(HANDLER_NOT_FINITE, model, state, number, state->w[at], result);
        for (int k = 0; k < table->n_bounds; k++) {
            const Bound *bound = table->bounds + k;
            double value = state->w[bound->at];
            if (first <= bound->at && bound->at < end && !(bound->least <= value && value <= bound->greatest)) {
                result->constraint = k;
                return event_failed(HANDLER_OUT_OF_BOUNDS, model, state, number, value, result);
            }
        }
    }
    return INTEGRATED;
}

static Outcome not_projected(const Model *model, const State *state, int number, Projection projection, Integration *result) {
    result->constraint = projection.constraint;
    return event_failed(HANDLER_NOT_PROJECTED, model, state, number, projection.error, result);
}

/* Project q, then u. The bodies' speeds change like those in an impact, since a projection that does not use masses loses or adds
 * energy. */
static Outcome project_handled(const Model *model, State *state, EventWork *work, int number, Integration *result) {
    const RowTable *rows = model->rows;
    const size_t bytes = rows ? (size_t)rows->nu * sizeof(double) : 0;
    double *u_before = work->y_kept;
    if (rows)
        memcpy(u_before, state->w + rows->u, bytes);
    Projection projection = project(model, state, state->constraint_tolerance);
    if (!projection.is_done)
        return not_projected(model, state, number, projection, result);
    if (!rows || memcmp(u_before, state->w + rows->u, bytes) == 0)
        return INTEGRATED;
    int is_done = remove_errors_by_impulse(model, state, u_before, work->dw);
    projection = project_velocities(model, state, state->constraint_tolerance); /* removes round-off */
    return is_done && projection.is_done ? INTEGRATED : not_projected(model, state, number, projection, result);
}

/* normalize quaternions, and project the state that handlers left onto the constraints */
static Outcome project_handled_state(const Model *model, State *state, EventWork *work, int number, Integration *result) {
    if (model->contacts)
        release_contacts(model, state); /* the handler may have moved the state away from active rows */
    if (normalize_quaternions(model, state->w) >= 0)
        return event_failed(HANDLER_NOT_FINITE, model, state, number, 0, result);
    if (model->n_quaternions)
        invalidate(state, STAGE_POSITION);
    return has_constraints(model) ? project_handled(model, state, work, number, result) : INTEGRATED;
}

/* project the state, then compute impacts and determine active rows */
Outcome project_and_resolve(const Model *model, State *state, EventWork *work, int number, Integration *result) {
    int ignored;
    Outcome outcome = project_handled_state(model, state, work, number, result);
    if (outcome == INTEGRATED && model->contacts)
        outcome = resolve_contacts(model, state, work->contacts, &ignored, result);
    if (outcome == CONTACT_OUTSIDE)
        result->constraint = number;
    return outcome;
}

const Contact *contact_of(const Model *model, int event) {
    int contact = model->contacts ? model->contacts->contact_of_event[event] : -1;
    return contact < 0 ? NULL : model->contacts->contacts + contact;
}

/* invalidate the stages that depend on the values that a function has set */
static void note_function(const Model *model, State *state, const Instruction *function) {
    if (!function->invalidates)
        return;
    note_change(model, state, function->invalidates);
    for (int i = 0; i < function->n_writes; i++)
        note_set_by_handler(model, state, function->writes[2 * i], function->writes[2 * i + 1], function->invalidates);
}

static void call_function(const Model *model, State *state, const Kernel *function, const int *at) {
    Call call = {.w = state->w, .scratch = state->w + model->scratch_at, .host = (void *)(uintptr_t)state->host};
    function->run(function->context, &call, at);
}

/* apply an impulse along a constraint; restitution: one for each row */
static Outcome apply_impulse_of_event(const Model *model, State *state, EventWork *work, int number, int constraint,
                                      const double *restitution, int *has_changed, Integration *result) {
    *has_changed = 1;
    if (model->contacts)
        release_contacts(model, state);
    if (apply_impulse(model, state, constraint, restitution, work->dw))
        return INTEGRATED;
    result->constraint = constraint;
    return event_failed(HANDLER_IMPULSE, model, state, number, 0, result);
}

/* ---- requests by code of the host ---- */

void note_change_by_host(HandlerCall *call, int stage) {
    note_change(call->model, call->state, stage);
    *call->has_changed = *call->has_changed || stage <= STAGE_ACCELERATION;
}

Outcome project_for_host(HandlerCall *call) {
    call->outcome = project_handled_state(call->model, call->state, call->work, call->number, call->result);
    if (call->outcome == INTEGRATED)
        realize(call->model, call->state, STAGE_VELOCITY);
    return call->outcome;
}

Outcome apply_impulse_for_host(HandlerCall *call, int constraint, const double *restitution) {
    return call->outcome = apply_impulse_of_event(call->model, call->state, call->work, call->number, constraint, restitution,
                                                  call->has_changed, call->result);
}

static Outcome call_host(const Model *model, State *state, EventWork *work, int number, int role, int *has_changed, Integration *result) {
    HandlerCall call = {model, state, work, number, has_changed, result, INTEGRATED};
    if (handle_by_host(state, &call, number, role))
        return event_failed(KERNEL_STOPPED, model, state, number, 0, result);
    return call.outcome;
}

/* ---- handlers ---- */

Outcome run_actions(const Model *model, State *state, EventWork *work, int number, const Actions *actions, int *has_changed,
                    Integration *result) {
    const EventTable *table = model->events;
    if (realize(model, state, table->events[number].stage))
        return event_failed(KERNEL_STOPPED, model, state, number, 0, result);
    for (int i = 0; i < actions->n; i++) {
        const Instruction *instruction = actions->instructions + i;
        Outcome outcome = INTEGRATED;
        switch (instruction->kind) {
        case DO_FUNCTION:
            call_function(model, state, table->functions + instruction->number, table->at + instruction->at);
            outcome = check_written(model, state, number, instruction, result);
            if (table->events[number].cause != CAUSE_SAMPLE) /* see take_due_samples */
                note_function(model, state, instruction);
            *has_changed = *has_changed || (instruction->invalidates && instruction->invalidates <= STAGE_ACCELERATION);
            break;
        case DO_REALIZE:
            realize(model, state, instruction->number);
            break;
        case DO_PROJECT:
            outcome = project_handled_state(model, state, work, number, result);
            realize(model, state, STAGE_VELOCITY);
            break;
        case DO_DRAW:
            draw_normal_numbers(state->w + instruction->at, instruction->n_writes, state->w + instruction->number);
            break;
        case DO_CALLBACK:
            if (work->is_preview && table->events[number].cause != CAUSE_OBSERVATION)
                break;
            outcome = call_host(model, state, work, number, instruction->number, has_changed, result);
            break;
        default:
            outcome =
                apply_impulse_of_event(model, state, work, number, instruction->number, state->w + instruction->at, has_changed, result);
        }
        if (outcome != INTEGRATED)
            return outcome;
    }
    return INTEGRATED;
}

Outcome handle_event(const Model *model, State *state, EventWork *work, int number, int direction, Integration *result) {
    const Event *event = model->events->events + number;
    double *memory = memory_of(event, state->w);
    int calls_hook = work->hook && !work->is_preview && event->cause != CAUSE_TIME_ADVANCED;
    state->w[event->direction] = direction;
    if (calls_hook && !work->hook(work->observer, number, direction, 0))
        return EVENT_STOPPED;
    if (event->is_reporter)
        return INTEGRATED;
    Outcome outcome = run_actions(model, state, work, number, &event->handling, &work->has_changed, result);
    if (outcome != INTEGRATED)
        return outcome;
    memory[MEMORY_SCHEDULED] = fmin(memory[MEMORY_SCHEDULED], NEVER);
    if (!(memory[MEMORY_SCHEDULED] > time_of(model, state)))
        return event_failed(HANDLER_SCHEDULES_PAST, model, state, number, memory[MEMORY_SCHEDULED], result);
    if (calls_hook && !work->hook(work->observer, number, direction, 1))
        return EVENT_STOPPED;
    return INTEGRATED;
}

Outcome take_due_samples(const Model *model, State *state, EventWork *work, int *last, Integration *result) {
    const EventTable *table = model->events;
    Outcome outcome = INTEGRATED;
    for (int i = 0; i < table->n && outcome == INTEGRATED; i++)
        if (work->due[i] && table->events[i].cause == CAUSE_SAMPLE) {
            outcome = handle_event(model, state, work, i, 0, result);
            work->is_at_event = 1;
            *last = i;
        }
    for (int i = 0; i < table->n && outcome == INTEGRATED; i++)
        for (int k = 0; work->due[i] && table->events[i].cause == CAUSE_SAMPLE && k < table->events[i].handling.n; k++)
            if (table->events[i].handling.instructions[k].kind == DO_FUNCTION)
                note_function(model, state, table->events[i].handling.instructions + k);
    return outcome;
}

Outcome handle_events_of_cause(const Model *model, State *state, EventWork *work, Cause cause, Integration *result) {
    const EventTable *table = model->events;
    int last = -1;
    work->has_changed = 0;
    for (int i = 0; i < table->n; i++)
        if (table->events[i].cause == cause && is_enabled(table->events + i, state)) {
            Outcome outcome = handle_event(model, state, work, i, 0, result);
            if (outcome != INTEGRATED)
                return outcome;
            last = i;
        }
    return work->has_changed ? project_and_resolve(model, state, work, last, result) : INTEGRATED;
}

/* run the actions that store values of the State */
Outcome observe_state(const Model *model, State *state, EventWork *work, Integration *result) {
    const EventTable *table = model->events;
    int ignored = 0;
    for (int i = 0; i < table->n; i++)
        if (table->events[i].cause == CAUSE_OBSERVATION) {
            Outcome outcome = run_actions(model, state, work, i, &table->events[i].handling, &ignored, result);
            if (outcome != INTEGRATED)
                return outcome;
        }
    return INTEGRATED;
}
