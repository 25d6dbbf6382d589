/* The jump of changes at an event.
 *
 * An event at the time t, which depends on the direction, takes y to R(t, y, p). Let S be the change of y at the fixed time t before the
 * event, f and f+ the rates before and after it, and tau the change of its time: tau = -(g_y S + g_p) / (g_y f + g_t) for the witness g,
 * or the change of the time for which it is scheduled. Then (S + f tau, tau, dp) is a change along the surface g = 0, and afterwards
 *
 *     S+ = dR(S + f tau, tau, dp) - f+ tau.
 *
 * tau is found by tangents; dR by central differences of the event alone, along the surface, where R is smooth. R is all that the runtime
 * does at the event: impacts, handlers, projections, the choice of active rows.
 *
 * Source: Leine & Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems (2004), ch. 7 */
#include "saltation.h"
#include "events.h"
#include "input_signals.h"

#include "elementary.h"
#include "evaluation.h"
#include "event_times.h"
#include "handler_actions.h"
#include "scales.h"
#include "step.h"
#include "tree.h"
#include "witnesses.h"

#include <string.h>

/* DIFFERENCE: of neighbouring states, relative to scale + |y|, and to parameters that are not 0.
 * TOUCHES: least tolerance of constraints at a neighbouring state: contacts that touch do so there too, whose distances from zero are of
 * second order.
 * BESIDE: the rates before and after an event are taken this part of a step away, on the right side of a jump.
 * GRAZES: a witness whose rate is smaller, relative to its changes, touches zero.
 * SAME: of changes of times, and of derivatives from both sides, that count as equal, relative to their size. */
static const double DIFFERENCE = 1e-6, TOUCHES = 20 * 1e-6 * 1e-6, BESIDE = 1e-8, GRAZES = 1e-10, SAME = 1e-3;

static int is_timed(const Event *event, State *state, double time) {
    const double *memory = memory_of(event, state->w);
    return memory[MEMORY_NEXT] <= time || memory[MEMORY_SCHEDULED] <= time;
}

/* whether code of the model will run, so that y may jump */
static int is_any_due(const Model *model, State *state, const EventWork *work, int is_end_of_step) {
    const EventTable *table = model->events;
    double time = time_of(model, state);
    int any = 0;
    for (int i = 0; i < table->n; i++) {
        const Event *event = table->events + i;
        int acts =
            event->cause == CAUSE_OBSERVATION || (event->cause == CAUSE_TIME_ADVANCED && is_end_of_step) || is_timed(event, state, time);
        any = any || (acts && !event->is_reporter);
    }
    for (int i = 0; i < table->n_witnesses; i++)
        any = any || (work->crossed[i] && !table->events[table->triggered[i]].is_reporter);
    return any;
}

/* The rates at changes->state. If `aside` (s) is not 0: as they are on that side of it, from the rates once and twice as far away along the
 * motion. y [n_y] is a workspace. */
static void rates_aside(Sensitivity *changes, double aside, double *y, double *f) {
    const Model *model = changes->model;
    State *state = changes->state;
    const int n = y_size(model);
    const size_t bytes = (size_t)n * sizeof(double);
    double time = state->w[model->time_at], *now = state->w + model->y_at, *rates = state->w + model->y_dot_at;
    realize(model, state, STAGE_ACCELERATION);
    memcpy(f, rates, bytes);
    if (aside == 0)
        return;
    memcpy(y, now, bytes);
    for (int times = 1; times <= 2; times++) {
        for (int i = 0; i < n; i++)
            now[i] += aside * (times == 1 ? rates[i] : f[i]);
        set_time(model, state, time + times * aside);
        realize(model, state, STAGE_ACCELERATION);
        for (int i = 0; i < n; i++)
            f[i] = times == 1 ? rates[i] : 2 * f[i] - rates[i];
    }
    memcpy(now, y, bytes);
    set_time(model, state, time);
}

/* the rate of a witness along the motion, at changes->state */
static double witness_rate(Sensitivity *changes, const JumpWork *own, int at) {
    const Model *model = changes->model;
    State *state = changes->state;
    const InputSignals *inputs = (const InputSignals *)(uintptr_t)state->inputs;
    Call call = {.w = state->w, .dw = own->dw, .scratch = changes->scratch, .host = (void *)(uintptr_t)state->host};
    memset(own->dw, 0, (size_t)model->n_w * sizeof(double));
    own->dw[model->time_at] = 1;
    if (inputs)
        inputs->set_rates(inputs->owner, own->dw);
    memcpy(own->dw + model->y_at, own->f, (size_t)y_size(model) * sizeof(double));
    for (int stage = STAGE_TIME; stage <= STAGE_ACCELERATION; stage++)
        if (model->sweeps[stage])
            call_kernels(model->sweeps[stage], changes->tangents, &call, own->dw);
    call_kernels(model->events->witnesses, changes->tangents, &call, own->dw);
    return own->dw[at];
}

/* the change of a witness along direction k, at changes->state */
static double witness_change(Sensitivity *changes, int k, int at) {
    const Model *model = changes->model;
    State *state = changes->state;
    double *dw = changes->dw + (size_t)k * (size_t)model->n_w;
    Call call = {.w = state->w, .dw = dw, .scratch = changes->scratch, .host = (void *)(uintptr_t)state->host};
    memcpy(dw + model->y_at, changes->y + k * y_size(model), (size_t)y_size(model) * sizeof(double));
    tangents_of_stages(changes, k, STAGE_TIME, STAGE_ACCELERATION);
    call_kernels(model->events->witnesses, changes->tangents, &call, dw);
    return dw[at];
}

/* the changes of the event's time by the witnesses that crossed; 0 if there is none. *any: whether one crossed */
static int times_of_crossings(Sensitivity *changes, const State *state, const EventWork *work, const JumpWork *own, int *any) {
    const Model *model = changes->model;
    const EventTable *table = model->events;
    double time = state->w[model->time_at];
    int differ = 0;
    *any = 0;
    for (int i = 0; i < table->n_witnesses; i++) {
        if (!work->crossed[i])
            continue;
        int at = table->events[table->triggered[i]].witness;
        realize(model, changes->state, STAGE_ACCELERATION);
        run_sweep(model, table->witnesses, changes->state);
        double rate = witness_rate(changes, own, at);
        for (int k = 0; k < changes->n; k++) {
            double change = witness_change(changes, k, at), tau = -change / rate;
            if (!(fabs(rate) > GRAZES * fabs(change)) || !isfinite(tau)) {
                note_fault(changes, CHANGES_GRAZING, time);
                return 0;
            }
            differ = differ || (*any && fabs(tau - own->tau[k]) > SAME * fmax(fabs(tau), fabs(own->tau[k])));
            if (!*any)
                own->tau[k] = tau;
        }
        *any = 1;
    }
    if (differ)
        note_fault(changes, CHANGES_AT_ONCE, time);
    return !differ;
}

/* the changes of the event's time by a schedule that depends on the direction */
static void times_of_schedules(Sensitivity *changes, State *state, const JumpWork *own) {
    const EventTable *table = changes->model->events;
    double time = time_of(changes->model, state);
    for (int i = 0; i < table->n; i++) {
        const Event *event = table->events + i;
        if (event->is_reporter || !is_timed(event, state, time))
            continue;
        int at = event->memory + (memory_of(event, state->w)[MEMORY_NEXT] <= time ? MEMORY_NEXT : MEMORY_SCHEDULED);
        for (int k = 0; k < changes->n; k++)
            own->tau[k] = changes->dw[(size_t)k * (size_t)changes->model->n_w + (size_t)at];
    }
}

/* Process the event from the state that is `part` of direction k away along the surface. y: how it changes y; known: the known numbers
 * after it. Leaves changes->state after the event. Returns 0 if the event fails. */
static int event_beside(Sensitivity *changes, const State *state, const EventWork *work, const InputRamps *ramps, const JumpWork *own,
                        int k, double part, double *y, double *known) {
    const Model *model = changes->model;
    const int n_y = y_size(model);
    State *beside = changes->state;
    Integration result = {.outcome = INTEGRATED};
    double *now = beside->w + model->y_at, *dw = changes->dw + (size_t)k * (size_t)model->n_w, time = state->w[model->time_at];
    copy_state(changes, state, ramps);
    copy_event_work(model, work, changes->events);
    if (part != 0) {
        double moved = time + part * own->tau[k];
        for (int i = 0; i < n_y; i++)
            now[i] += part * own->v[i];
        for (int i = 0; i < changes->n_known; i++)
            beside->w[changes->known[i]] += part * dw[changes->known[i]];
        for (int i = 0; i < model->events->n; i++) {
            double *memory = memory_of(model->events->events + i, beside->w);
            const double *before = state->w + model->events->events[i].memory;
            for (int next = MEMORY_NEXT; next <= MEMORY_SCHEDULED; next++)
                if (before[next] <= time)
                    memory[next] = moved;
        }
        invalidate(beside, STAGE_INSTANCE);
        set_time(model, beside, moved);
    }
    beside->constraint_tolerance = fmax(beside->constraint_tolerance, TOUCHES);
    realize(model, beside, STAGE_ACCELERATION);
    memcpy(y, now, (size_t)n_y * sizeof(double));
    if (process_events(model, beside, changes->events, changes->is_end_of_step, &result) != INTEGRATED || beside->stopped)
        return 0;
    for (int i = 0; i < n_y; i++)
        y[i] = now[i] - y[i];
    for (int i = 0; i < changes->n_known; i++)
        known[i] = beside->w[changes->known[i]];
    return 1;
}

/* the part of direction k that is a small change of y and of the known numbers */
static double small_part(const Sensitivity *changes, const State *state, const JumpWork *own, int k) {
    const Model *model = changes->model;
    const double *w = state->w, *dw = changes->dw + (size_t)k * (size_t)model->n_w;
    double largest = fabs(own->tau[k]) / (time_scale(model) + fabs(w[model->time_at]));
    for (int i = 0; i < y_size(model); i++)
        largest = fmax(largest, fabs(own->v[i]) / (scale_of_y(model, i) + fabs(w[model->y_at + i])));
    for (int i = 0; i < changes->n_known; i++) {
        double size = fabs(w[changes->known[i]]), change = fabs(dw[changes->known[i]]);
        largest = fmax(largest, size > 0 ? change / size : change);
    }
    return largest > 0 ? DIFFERENCE / largest : 0;
}

/* the change of a number from its values on both sides; notes a derivative that differs between them */
static double central(double plus, double middle, double minus, double part, double size, int *is_kink) {
    *is_kink = *is_kink || fabs(plus - 2 * middle + minus) > SAME * part * size;
    return isfinite(plus - minus) ? (plus - minus) / (2 * part) : 0;
}

/* the changes of direction k after the event; 0 if it fails beside */
static int jump(Sensitivity *changes, const State *state, const EventWork *work, const InputRamps *ramps, const JumpWork *own, int k,
                int *is_kink) {
    const Model *model = changes->model;
    const int n_y = y_size(model);
    double *S = changes->y + k * n_y, *dw = changes->dw + (size_t)k * (size_t)model->n_w, size = 0;
    for (int i = 0; i < n_y; i++) {
        own->v[i] = S[i] + own->f[i] * own->tau[k];
        size = fmax(size, fabs(own->v[i]) / scale_of_y(model, i));
    }
    double part = small_part(changes, state, own, k);
    if (part == 0)
        return 1;
    if (!event_beside(changes, state, work, ramps, own, k, part, own->plus, own->known_plus) ||
        !event_beside(changes, state, work, ramps, own, k, -part, own->minus, own->known_minus))
        return 0;
    for (int i = 0; i < n_y; i++)
        S[i] = own->v[i] + central(own->plus[i], own->y[i], own->minus[i], part, scale_of_y(model, i) * fmax(1, size), is_kink) -
               own->f_after[i] * own->tau[k];
    for (int i = 0; i < changes->n_known; i++) {
        double before = state->w[changes->known[i]], change = part * dw[changes->known[i]];
        if (own->known_plus[i] != before + change || own->known_minus[i] != before - change) /* the event has set it */
            dw[changes->known[i]] = central(own->known_plus[i], own->known[i], own->known_minus[i], part, INFINITY, is_kink);
    }
    return 1;
}

void follow_events(Sensitivity *changes, const State *state, const Work *work, const InputRamps *ramps, int is_end_of_step) {
    const Model *model = changes->model;
    double time = state->w[model->time_at];
    JumpWork own = jump_work_of(changes);
    int any_crossed = 0, is_kink = 0, is_done = 1;
    if (!work->events || changes->fault != CHANGES_FOLLOWED)
        return;
    changes->is_end_of_step = is_end_of_step;
    copy_state(changes, state, ramps);
    if (!is_any_due(model, changes->state, work->events, is_end_of_step))
        return;

    /* the rates before, and the changes of the event's time */
    memset(own.tau, 0, (size_t)changes->n * sizeof(double));
    rates_aside(changes, 0, own.plus, own.f);
    if (!times_of_crossings(changes, state, work->events, &own, &any_crossed))
        return;
    if (!any_crossed)
        times_of_schedules(changes, changes->state, &own);
    double aside = any_crossed ? fmax(4 * window_at(time, 0), BESIDE * state->step_size) : 0;
    rates_aside(changes, -aside, own.plus, own.f);

    /* the event itself, and the rates after it */
    is_done = event_beside(changes, state, work->events, ramps, &own, 0, 0, own.y, own.known);
    if (is_done)
        rates_aside(changes, aside, own.plus, own.f_after);
    for (int k = 0; k < changes->n && is_done; k++)
        is_done = jump(changes, state, work->events, ramps, &own, k, &is_kink);
    is_done = is_done && event_beside(changes, state, work->events, ramps, &own, 0, 0, own.y, own.known);
    if (!is_done) {
        note_fault(changes, CHANGES_BESIDE, time);
        return;
    }
    realize(model, changes->state, STAGE_ACCELERATION);
    for (int k = 0; k < changes->n; k++)
        tangents_of_stages(changes, k, STAGE_INSTANCE, STAGE_INSTANCE);
    changes->n_events++;
    changes->first_slopes = NO_SLOPES;
    if (is_kink && changes->n_kinks++ == 0)
        changes->first_kink = time;
}
