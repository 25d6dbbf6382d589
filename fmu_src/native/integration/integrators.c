#include "integrators.h"
#include "auto_updates.h"
#include "bounded_steps.h"
#include "contradicting_contacts.h"
#include "delays.h"
#include "elementary.h"
#include "event_times.h"
#include "events.h"
#include "friction.h"
#include "jacobian.h"
#include "jammed_slips.h"
#include "one_step.h"
#include "slip_directions.h"
#include "step_control.h"
#include "step_grid.h"
#include "stiffness.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* whether steps may be implicit */
static int may_be_implicit(const Model *model, int integrator) {
    return is_implicit((Integrator)integrator) || (integrator == INTEGRATOR_AUTO && y_size(model) <= MOST_IMPLICIT);
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

/* Count a trial step of bounded work, towards t_end. Returns whether others may follow in the same fixed step, so that this one may end at
 * an event. */
static int count_part(const Model *model, State *state, double t_end) {
    const double end = end_of_fixed_step(state, state->w[model->time_at], t_end);
    if (!state->is_bounded)
        return 1;
    if (end != state->part_end) {
        begin_bounded_step(state);
        state->part_end = end;
        state->n_parts = 0;
    }
    state->n_parts += state->n_parts < MOST_PARTS;
    return state->n_parts < MOST_PARTS;
}

/* Take a trial step of the run's method to `latest` at most. Explicit steps are watched for stiffness also if they are repeated: where
 * events come close together, nearly all are. */
static int try_step(const Model *model, State *state, Work *work, double t, double latest, Integration *result) {
    if (has_fixed_steps(state))
        return advance_by_fixed_step(model, state, work, latest, result);
    if (!advance(model, state, work, latest, result))
        return 0;
    if (work->method->pair)
        watch_stiffness(model, state, work, state->w[model->time_at] - t);
    return 1;
}

/* whether a witness crossed in the step that has just ended */
static int has_any_crossed(const Model *model, const EventWork *events) {
    int any = 0;
    for (int i = 0; i < model->events->n_witnesses; i++)
        any = any || events->crossed[i];
    return any;
}

/* Take a step, and repeat it as long as a witness requires another end. t_end: the end of the integration; the step ends where the next
 * event or delayed jump is due, t_stop, at the latest. */
static int advance_to_event(const Model *model, State *state, Work *work, double t_end, double t_stop, Integration *result) {
    double t = state->w[model->time_at], step_size = state->step_size, error_before = state->error_before, target = t_stop;
    if (work->events)
        work->events->ends_at_slip = 0;
    for (;;) {
        const int is_last = !count_part(model, state, t_end), n_refused = result->n_refused;
        const double latest = is_last ? t_end : fmin(t_stop, target);
        if (is_last && t_stop < end_of_fixed_step(state, t, t_end)) {
            note_late(state, end_of_fixed_step(state, t, t_end) - t_stop);
            note_overrun(state);
        }
        if (work->events)
            work->events->ends_here = is_last;
        if (!try_step(model, state, work, t, latest, result)) {
            explain_by_paradox(model, state, result);
            return 0;
        }
        if (!work->events)
            return 1;
        const double end = state->w[model->time_at], length = end - t;
        result->outcome = find_crossings(model, state, work, work->events, t, &target, result);
        if (result->outcome == WITNESS_NOT_A_NUMBER && length > window_at(end, 0) && !is_last) {
            target = t + length / 2; /* a shorter step may locate the fault better, or avoid it */
            result->outcome = INTEGRATED;
        }
        if (result->outcome != INTEGRATED) {
            explain_by_paradox(model, state, result);
            return 0;
        }
        if (!(target < INFINITY)) {
            drop_turns(model, state, work->events);
            /* A slip ends in a longer step, but goes on in this one: it is slower than the error of that step. Shorter steps follow it:
             * docs/decisions/223-slips-slower-than-errors.md */
            if (work->events->ends_at_slip && !has_any_crossed(model, work->events))
                state->step_size = fmin(state->step_size, LARGEST_GROWTH * length);
            return 1;
        }
        restore_start_of_step(model, state, work, t);
        result->n_steps--;

        /* The next step has the size of before, or of this trial if longer ones were refused. A first size that was chosen in this call is
         * kept. */
        if (step_size > 0) {
            step_size = result->n_refused > n_refused ? fmin(step_size, length) : step_size;
            state->step_size = step_size;
            state->error_before = error_before;
        }
    }
}

/* before a step: begin the records of delays, or move past a delayed jump */
static Outcome prepare_delays(const Model *model, State *state, Work *work, int begins, Integration *result) {
    if (!model->delays)
        return INTEGRATED;
    const double before = state->w[model->time_at];
    int full_delay = -1, has_passed = 0;
    if (begins)
        full_delay = begin_delays(model, state, work->moments);
    else
        has_passed = pass_stop_of_delays(model, state, work->moments, before, &full_delay);
    if (is_history_full(model, state, full_delay, result))
        return HISTORY_FULL;
    if (!has_passed || !work->events)
        return INTEGRATED;
    double *until = state->w + model->events->shared + SHARED_UNTIL;
    if (*until == before)
        *until = state->w[model->time_at];
    return read_witnesses(model, state, work->events, result);
}

/* let variables take their next values, and prepare whatever depends on them */
static Outcome begin_step(const Model *model, State *state, Work *work, Integration *result) {
    int has_changed;
    Outcome outcome = take_next_values(model, state, &has_changed, result);
    if (outcome == INTEGRATED && has_changed)
        outcome = prepare_delays(model, state, work, 1, result);
    return has_changed && outcome == INTEGRATED && work->events ? read_witnesses(model, state, work->events, result) : outcome;
}

/* after an event at the start of a step that failed */
static int continues_after_event(const Model *model, State *state, Work *work, Integration *result) {
    work->events->is_at_event = work->events->has_changed = 1;
    state->step_size = 0; /* the failed step has shortened it without need */
    result->outcome = prepare_delays(model, state, work, 1, result);
    return result->outcome == INTEGRATED;
}

/* After a step that failed: whether active contacts contradicted each other, and others have been found. This is an event. */
static int has_resolved_contradiction(const Model *model, State *state, Work *work, Integration *result) {
    int is_decided = 0;
    if (result->outcome == NOT_FINITE && model->contacts && work->events && !has_fixed_steps(state) && !state->stopped)
        result->outcome = resolve_contradicting_contacts(model, state, work->events, work->slopes, work->w, &is_decided, result);
    return is_decided && continues_after_event(model, state, work, result);
}

/* After a step that failed: whether a contact could not slide on, and an impact without collision has resolved this. This is an event. */
static int has_resolved_jam(const Model *model, State *state, Work *work, Integration *result) {
    int is_resolved = 0;
    if (result->outcome == FRICTION_PARADOX && work->events && !has_fixed_steps(state) && !state->stopped)
        result->outcome = resolve_jammed_slip(model, state, work->events, work->w, &is_resolved, result);
    return is_resolved && continues_after_event(model, state, work, result);
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
    if (!advance_to_event(model, state, work, t_end, t_stop, result) ||
        (model->delays && is_history_full(model, state, advance_delays(model, state, work, t), result)))
        return 0;
    end_careful_step(state);
    if (!work->method->pair)
        watch_stiffness(model, state, work, state->w[model->time_at] - t);
    return 1;
}

Outcome begin_steps(const Model *model, State *state, Work *work, Integration *result) {
    EventWork *events = work->events;
    if (events)
        bound_contact_work(events->contacts, state->is_bounded);
    result->outcome = prepare_delays(model, state, work, 1, result);
    if (!events)
        return result->outcome;
    events->has_time_advanced = 0;
    if (result->outcome == INTEGRATED)
        result->outcome = resume_events(model, state, events, result);
    report_overruns(events->contacts, state);
    if (result->outcome == INTEGRATED && events->has_changed)
        result->outcome = prepare_delays(model, state, work, 1, result);
    return result->outcome;
}

double end_with_events(const Model *model, State *state, double t_end) {
    double end = t_end;
    if (model->events)
        end = fmax(end, end_with_event(model, t_end, next_event_time(model, state)));
    if (model->delays)
        end = fmax(end, end_with_event(model, t_end, next_time_after_jump(model, state)));
    return end;
}

int has_reached(const Model *model, State *state, double t_end) {
    const double time = state->w[model->time_at];
    return !(time < t_end) && !(time < end_with_events(model, state, t_end));
}

int is_at_end(const Model *model, State *state, const Work *work, double t_end) {
    const EventWork *events = work->events;
    return has_reached(model, state, t_end) ||
           (events && (is_terminated(model, state) || (events->stops && events->is_at_event) || (state->pending & PENDING_EVENTS)));
}

int next_step(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer, Integration *result) {
    EventWork *events = work->events;
    result->outcome = prepare_delays(model, state, work, 0, result);
    const double t = state->w[model->time_at], end = end_with_events(model, state, t_end);
    const int is_due = events && next_event_time(model, state) <= t; /* after a delayed jump that is round-off before it */
    if (result->outcome != INTEGRATED || !(t < end || is_due))
        return 0;
    if (!is_due && (result->outcome = begin_step(model, state, work, result)) != INTEGRATED)
        return 0;
    if (!is_due && !take_step(model, state, work, end, result))
        return has_resolved_contradiction(model, state, work, result) || has_resolved_jam(model, state, work, result);
    int continues = step_taken && !is_due ? step_taken(observer, t, state->w[model->time_at], work) : 1;
    if (events) {
        int has_turned = !is_due && follow_turns(model, state, events);
        events->is_at_event = 0;
        int is_inside = state->w[model->time_at] < end;
        if (events->leaves_events && !(is_inside && events->leaves_at_end_alone) && is_event_due(model, state, events)) {
            leave_events(model, state, events);
            state->pending |= is_due ? 0 : PENDING_STEP_END;
            return 0;
        }
        result->outcome = process_events(model, state, events, !is_due, result);
        report_overruns(events->contacts, state);
        events->is_at_event = events->is_at_event || has_turned;
        if (result->outcome == INTEGRATED && events->has_changed)
            result->outcome = prepare_delays(model, state, work, 1, result);
    }
    return continues && result->outcome == INTEGRATED;
}

void end_steps(const Model *model, State *state, Integration *result) {
    /* w is realized also if no step was taken */
    if (result->outcome == INTEGRATED)
        realize(model, state, STAGE_ACCELERATION);
    if (state->stopped)
        result->outcome = KERNEL_STOPPED;
}

Integration integrate(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer) {
    Integration result = {.outcome = INTEGRATED};
    int continues = begin_steps(model, state, work, &result) == INTEGRATED;
    while (continues && !is_at_end(model, state, work, t_end))
        continues = next_step(model, state, work, t_end, step_taken, observer, &result);
    end_steps(model, state, &result);
    return result;
}
