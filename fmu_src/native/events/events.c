#include "events.h"

#include "contacts.h"
#include "delays.h"
#include "elementary.h"
#include "friction_table.h"
#include "handler_actions.h"
#include "sides.h"
#include "slip_directions.h"
#include "tree.h"
#include "unilateral_rows.h"
#include "unresolved_bounces.h"
#include "witnesses.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Chattering: triggered events that follow each other without end. Either MANY_SHORTER consecutive intervals become shorter, and the
 * last one is shorter than VANISHING times the duration of all. Or MANY_SHORT consecutive intervals are shorter than SHORT times the
 * time, or too short for the witness to leave zero. */
enum { MANY_SHORTER = 30 };
static const double VANISHING = 1e-6, SHORT = 1e-8;

int is_terminated(const Model *model, const State *state) {
    return model->events && state->w[model->events->shared + SHARED_TERMINATED] != 0;
}

/* ---- memory ---- */

EventWork *create_event_work(const Model *model, double *moments) {
    if (!model->events)
        return NULL;
    size_t n = (size_t)model->events->n_witnesses, n_y = (size_t)y_size(model), n_w = (size_t)model->n_w;
    EventWork *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->moments = moments;
    work->reals = calloc(11 * n + 4 * n_y + 1, sizeof(double));
    work->dw = calloc(n_w, sizeof(double));
    work->points = calloc(n * POINTS_OF_A_STEP + 1, sizeof(Point));
    work->integers = calloc(4 * n + (size_t)model->events->n, sizeof(int));
    work->contacts = model->contacts ? create_contact_work(model) : NULL;
    if (!work->reals || !work->dw || !work->points || !work->integers || (model->contacts && !work->contacts)) {
        free_event_work(work);
        return NULL;
    }
    double *next = work->reals;
    double **of_witnesses[] = {&work->values, &work->rates,         &work->inside_values, &work->inside_rates,
                               &work->noises, &work->highs,         &work->side_noises,   &work->before,
                               &work->after,  &work->crossed_noise, &work->crossed_rate};
    for (size_t i = 0; i < sizeof of_witnesses / sizeof *of_witnesses; i++, next += n)
        *of_witnesses[i] = next;
    work->y_end = next;
    work->y = work->y_end + n_y;
    work->y_dot = work->y + n_y;
    work->y_kept = work->y_dot + n_y;
    work->crossed = work->integers;
    work->expected = work->crossed + n;
    work->sides = work->expected + n;
    work->is_near = work->sides + n;
    work->due = work->is_near + n;
    return work;
}

int grow_event_work(EventWork *work, const Model *from, const Model *to) {
    return !work || grow_numbers(&work->dw, (size_t)from->n_w, (size_t)to->n_w);
}

void free_event_work(EventWork *work) {
    if (!work)
        return;
    free(work->reals);
    free(work->dw);
    free(work->points);
    free(work->integers);
    free_contact_work(work->contacts);
    free(work);
}

void copy_event_work(const Model *model, const EventWork *from, EventWork *to) {
    size_t n = (size_t)model->events->n_witnesses, n_reals = 11 * n + 4 * (size_t)y_size(model);
    memcpy(to->reals, from->reals, n_reals * sizeof(double));
    memcpy(to->integers, from->integers, (4 * n + (size_t)model->events->n) * sizeof(int));
    to->has_rates = from->has_rates;
}

/* begin the records of delays */
static Outcome begin_records(const Model *model, State *state, EventWork *work, Integration *result) {
    int full_delay = model->delays ? begin_delays(model, state, work->moments) : -1;
    return full_delay < 0 ? INTEGRATED : event_failed(HISTORY_FULL, model, state, full_delay, 0, result);
}

/* ---- schedules ---- */

static Outcome schedule(const Model *model, State *state, EventWork *work, int includes_now, Integration *result) {
    const EventTable *table = model->events;
    int ignored = 0;
    for (int i = 0; i < table->n; i++) {
        const Event *event = table->events + i;
        if (!has_schedule(event->cause))
            continue;
        Outcome outcome = run_actions(model, state, work, i, includes_now ? &event->start : &event->next, &ignored, result);
        if (outcome != INTEGRATED)
            return outcome;
        double *memory = memory_of(event, state->w), next = memory[MEMORY_NEXT], now = time_of(model, state);
        if (!(includes_now ? next >= now : next > now))
            return event_failed(HANDLER_SCHEDULES_PAST, model, state, i, next, result);
        memory[MEMORY_NEXT] = fmin(next, NEVER);
    }
    return INTEGRATED;
}

double next_event_time(const Model *model, const State *state) {
    double next = NEVER;
    for (int i = 0; i < model->events->n; i++) {
        const double *memory = state->w + model->events->events[i].memory;
        next = fmin(next, fmin(memory[MEMORY_NEXT], memory[MEMORY_SCHEDULED]));
    }
    return next;
}

/* Whether an event chatters: its intervals become ever shorter, as those of bounces do, or are practically zero. Updates the counters in
 * its memory. */
static int is_chattering(const Event *event, State *state, double time) {
    double *memory = memory_of(event, state->w), interval = time - memory[MEMORY_LAST];
    if (interval < memory[MEMORY_INTERVAL]) {
        memory[MEMORY_N_SHORTER]++;
    } else {
        memory[MEMORY_N_SHORTER] = 0;
        memory[MEMORY_SINCE] = memory[MEMORY_LAST];
    }
    /* a witness that has not left zero since the last event, except for round-off, crosses it again at once */
    int is_short = interval <= SHORT * fabs(time) || memory[MEMORY_NOISE] > 0;
    memory[MEMORY_N_SHORT] = is_short ? memory[MEMORY_N_SHORT] + 1 : 0;
    memory[MEMORY_LAST] = time;
    memory[MEMORY_INTERVAL] = interval;
    return (memory[MEMORY_N_SHORTER] >= MANY_SHORTER && interval <= VANISHING * (time - memory[MEMORY_SINCE])) ||
           memory[MEMORY_N_SHORT] > MANY_SHORT;
}

Outcome read_witnesses(const Model *model, State *state, EventWork *work, Integration *result) {
    if (model->events->n_witnesses == 0)
        return INTEGRATED;
    realize(model, state, STAGE_ACCELERATION);
    memcpy(work->y_dot, state->w + model->y_dot_at, (size_t)y_size(model) * sizeof(double));
    read_values_and_rates(model, state, work, stage_of_witnesses(model, state), work->y_dot, work->values, work->rates);
    work->has_rates = 1;
    return check_witness_values(model->events, work->values, time_of(model, state), result);
}

/* The direction in which a witness crossed zero because values were changed since the last call, or 0. An importer that finds the zero
 * itself (`takes_zeros`) may stop exactly there, and will not report it again. */
static int direction_of_jump(const Event *event, State *state, double value, int takes_zeros) {
    double *memory = memory_of(event, state->w), side = memory[MEMORY_SIDE], before = memory[MEMORY_VALUE];
    int is_across = side * value < 0 && (side * before <= 0 ? fabs(value) >= 2 * fabs(before) : 1);
    is_across = is_across || (takes_zeros && value == 0 && side * before > 0);
    memory[MEMORY_VALUE] = value;
    if (!is_across || value == before || !is_enabled(event, state))
        return 0;
    if (event->wants & (side < 0 ? WANTS_RISING : WANTS_FALLING))
        return (int)-side;
    memory[MEMORY_SIDE] = -side;
    return 0;
}

Outcome begin_events(const Model *model, State *state, EventWork *work, Integration *result) {
    const EventTable *table = model->events;
    double *shared = state->w + table->shared;
    int continues = shared[SHARED_UNTIL] == time_of(model, state);
    shared[SHARED_TERMINATED] = 0;
    work->resolves_contacts = 0;
    int ignored;
    if (continues)
        return model->contacts ? resolve_contacts(model, state, work->contacts, &ignored, result) : INTEGRATED;
    for (int i = 0; i < table->n; i++) {
        double *memory = memory_of(table->events + i, state->w);
        memset(memory, 0, (size_t)size_of_memory(table->events + i) * sizeof(double));
        memory[MEMORY_NEXT] = memory[MEMORY_SCHEDULED] = memory[MEMORY_INTERVAL] = NEVER;
        memory[MEMORY_LAST] = memory[MEMORY_SINCE] = time_of(model, state);
    }
    for (int i = 0; i < table->n_witnesses; i++)
        work->crossed[i] = 0;
    Outcome outcome = handle_events_of_cause(model, state, work, CAUSE_INITIALIZATION, result);
    if (outcome == INTEGRATED)
        outcome = begin_records(model, state, work, result);
    if (outcome == INTEGRATED && model->contacts)
        outcome = resolve_contacts(model, state, work->contacts, &ignored, result);
    if (outcome == INTEGRATED)
        outcome = observe_state(model, state, work, result);
    if (outcome == INTEGRATED)
        outcome = read_witnesses(model, state, work, result);
    if (outcome == INTEGRATED) {
        decide_sides(model, state, work, 1);
        outcome = schedule(model, state, work, 1, result);
    }
    return outcome;
}

/* A step that ends at an impact may end below zero, by more than round-off where the errors of steps are larger than tolerances. Such a
 * depth is the run's own: note it for resolve_contacts, or forget it. An importer's steps have their own notes (late_impacts.h). */
static void note_depths_at_impacts(const Model *model, EventWork *work, int is_forgotten) {
    for (int i = 0; model->contacts && !work->has_indicators && i < model->events->n_witnesses; i++) {
        const int contact = model->contacts->contact_of_event[model->events->triggered[i]];
        if (contact >= 0)
            work->contacts->drift[contact] = work->crossed[i] && !is_forgotten ? work->crossed_noise[i] / 2 : 0;
    }
}

/* the crossings with which leave_events has left */
static void read_crossings(const Model *model, const State *state, EventWork *work) {
    for (int i = 0; i < model->events->n_witnesses; i++) {
        const double *memory = state->w + model->events->events[model->events->triggered[i]].memory;
        work->crossed[i] = (int)memory[MEMORY_CROSSED];
        work->crossed_noise[i] = memory[MEMORY_CROSSED_NOISE];
        work->crossed_rate[i] = memory[MEMORY_CROSSED_RATE];
    }
}

Outcome resume_events(const Model *model, State *state, EventWork *work, Integration *result) {
    const EventTable *table = model->events;
    int has_resolved = 0;
    Outcome outcome = INTEGRATED;
    read_crossings(model, state, work);
    if (work->resolves_contacts && model->contacts && !(work->has_indicators && has_noted_crossings(model, state))) {
        note_depths_at_impacts(model, work, 0);
        outcome = resolve_contacts(model, state, work->contacts, &has_resolved, result);
        note_depths_at_impacts(model, work, 1);
    }
    work->resolves_contacts = 0;
    if (outcome == INTEGRATED)
        outcome = observe_state(model, state, work, result);
    if (outcome == INTEGRATED)
        outcome = read_witnesses(model, state, work, result);
    if (outcome == INTEGRATED && has_resolved)
        decide_sides_of_contacts(model, state, work);
    work->missed_by = INFINITY;
    work->needs_rates = 0;
    work->has_changed = 0;
    int has_jumped = 0;
    for (int i = 0; i < table->n_witnesses && outcome == INTEGRATED; i++) {
        work->expected[i] = NOT_EXPECTED;
        double *memory = memory_of(table->events + table->triggered[i], state->w);
        if (!work->crossed[i])
            work->crossed[i] = direction_of_jump(table->events + table->triggered[i], state, work->values[i], work->has_indicators);
        if (!work->crossed[i] && work->has_indicators && crosses_at_once(model, state, work, i))
            work->crossed[i] = -1;
        memory[MEMORY_CROSSED] = memory[MEMORY_CROSSED_NOISE] = memory[MEMORY_CROSSED_RATE] = 0;
        has_jumped = has_jumped || work->crossed[i];
    }
    work->is_at_event = 0;
    int is_end_of_step = (state->pending & PENDING_STEP_END) != 0;
    int is_due = has_jumped || is_end_of_step || next_event_time(model, state) <= time_of(model, state);
    if (outcome != INTEGRATED || !is_due)
        return outcome;
    if (work->leaves_events && !work->leaves_at_end_alone) {
        leave_events(model, state, work);
        return INTEGRATED;
    }
    return process_events(model, state, work, is_end_of_step, result);
}

int is_event_due(const Model *model, const State *state, const EventWork *work) {
    int is_due = next_event_time(model, state) <= time_of(model, state);
    for (int i = 0; i < model->events->n_witnesses; i++)
        is_due = is_due || work->crossed[i];
    return is_due;
}

void leave_events(const Model *model, State *state, const EventWork *work) {
    for (int i = 0; i < model->events->n_witnesses; i++) {
        double *memory = memory_of(model->events->events + model->events->triggered[i], state->w);
        memory[MEMORY_CROSSED] = work->crossed[i];
        memory[MEMORY_CROSSED_NOISE] = work->crossed[i] ? work->crossed_noise[i] : 0;
        memory[MEMORY_CROSSED_RATE] = work->crossed[i] ? work->crossed_rate[i] : 0;
    }
    state->pending |= PENDING_EVENTS;
}

Outcome end_events(const Model *model, State *state, EventWork *work, Integration *result) {
    return handle_events_of_cause(model, state, work, CAUSE_TERMINATION, result);
}

/* process the impacts and releases of unilateral rows that crossed */
static Outcome resolve_impacts(const Model *model, State *state, EventWork *work, int *has_resolved, Integration *result) {
    const EventTable *table = model->events;
    int any = 0;
    for (int i = 0; i < table->n_witnesses; i++) {
        int number = table->triggered[i];
        if (!work->crossed[i] || !is_decided_by_run(model, number))
            continue;
        any = 1;
        work->last_decided = number;
        work->due[number] = count_contact_event(model, state, number, -work->rates[i]);
        if (!work->due[number])
            return event_failed(CONTACT_CHATTERING, model, state, number, 0, result);
        if (work->hook && !work->hook(work->observer, number, work->due[number], 0))
            return EVENT_STOPPED;
    }
    if (!any)
        return INTEGRATED;
    work->is_at_event = 1;
    if (work->has_indicators)
        note_passed_slips(model, state, work);
    Outcome outcome = work->has_indicators ? take_back_bounces(model, state, work, result) : INTEGRATED;
    note_depths_at_impacts(model, work, 0);
    if (outcome == INTEGRATED)
        outcome = resolve_contacts(model, state, work->contacts, has_resolved, result);
    note_depths_at_impacts(model, work, 1);
    for (int i = 0; i < table->n_witnesses && outcome == INTEGRATED; i++) {
        int number = table->triggered[i];
        if (!work->crossed[i] || !is_decided_by_run(model, number))
            continue;
        if (work->hook && !work->hook(work->observer, number, work->due[number], 1))
            return EVENT_STOPPED;
        work->due[number] = 0;
    }
    return outcome;
}

Outcome process_events(const Model *model, State *state, EventWork *work, int is_end_of_step, Integration *result) {
    const EventTable *table = model->events;
    double time = time_of(model, state);
    state->w[table->shared + SHARED_UNTIL] = time;
    Outcome outcome = observe_state(model, state, work, result);
    if (outcome != INTEGRATED)
        return outcome;

    /* the events that are due, and their directions of crossing */
    int *due = work->due, is_due_again = 0, any_crossed = 0, last = -1;
    for (int i = 0; i < table->n; i++) {
        const Event *event = table->events + i;
        double *memory = memory_of(event, state->w);
        int is_timed = memory[MEMORY_NEXT] <= time || memory[MEMORY_SCHEDULED] <= time;
        is_due_again = is_due_again || is_timed;
        if (memory[MEMORY_SCHEDULED] <= time)
            memory[MEMORY_SCHEDULED] = NEVER;
        due[i] = is_enabled(event, state) && (is_timed || (event->cause == CAUSE_TIME_ADVANCED && is_end_of_step)) ? DUE : 0;
    }
    for (int i = 0; i < table->n_witnesses; i++)
        if (work->crossed[i]) {
            int number = table->triggered[i];
            any_crossed = is_due_again = 1;
            if (is_decided_by_run(model, number))
                continue;
            due[number] = work->crossed[i];
            if (is_chattering(table->events + number, state, time) && !state->is_bounded)
                return event_failed(EVENT_CHATTERING, model, state, number, state->w[table->events[number].memory + MEMORY_INTERVAL],
                                    result);
        }

    /* reporters first, then samples, then handlers */
    work->has_changed = 0;
    int has_resolved = 0;
    for (int reports = 1; reports >= 0; reports--) {
        if (!reports && model->contacts && (outcome = resolve_impacts(model, state, work, &has_resolved, result)) != INTEGRATED)
            return outcome;
        if (!reports && (outcome = take_due_samples(model, state, work, &last, result)) != INTEGRATED)
            return outcome;
        for (int i = 0; i < table->n; i++)
            if (due[i] && table->events[i].is_reporter == reports && table->events[i].cause != CAUSE_SAMPLE) {
                outcome = handle_event(model, state, work, i, due[i] == DUE ? 0 : due[i], result);
                if (outcome != INTEGRATED)
                    return outcome;
                last = i;
                work->is_at_event = work->is_at_event || table->events[i].cause != CAUSE_TIME_ADVANCED;
                work->has_time_advanced = work->has_time_advanced || table->events[i].cause == CAUSE_TIME_ADVANCED;
            }
    }

    /* project the state, compute the next times, and evaluate witnesses */
    if (work->has_changed)
        outcome = project_and_resolve(model, state, work, last, result);
    work->has_changed = work->has_changed || has_resolved;
    if (outcome == INTEGRATED && (work->has_changed || is_due_again))
        outcome = schedule(model, state, work, 0, result);
    if (outcome == INTEGRATED && work->has_changed)
        outcome = observe_state(model, state, work, result);
    if (outcome == INTEGRATED && work->has_changed)
        outcome = read_witnesses(model, state, work, result);
    if (outcome == INTEGRATED && (work->has_changed || any_crossed))
        decide_sides(model, state, work, work->has_changed);
    for (int i = 0; i < table->n_witnesses; i++)
        work->crossed[i] = 0;
    return outcome;
}
