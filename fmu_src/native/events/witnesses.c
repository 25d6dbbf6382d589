#include "witnesses.h"
#include "elementary.h"
#include "evaluation.h"
#include "friction_table.h"
#include "host.h"
#include "input_signals.h"
#include "scales.h"
#include "tree.h"

#include <float.h>
#include <string.h>

/* round-off of witnesses: y is changed by LAST_PLACES relative to its size, with N_PATTERNS patterns of signs */
enum { N_PATTERNS = 4 };
static const double LAST_PLACES = 8 * DBL_EPSILON;

void move_to(const Model *model, State *state, double time, const double *y) {
    memcpy(state->w + model->y_at, y, (size_t)y_size(model) * sizeof(double));
    set_time(model, state, time);
}

int stage_of_witness(const Model *model, const State *state, int witness) {
    int event = model->events->triggered[witness], contact = model->contacts ? model->contacts->contact_of_event[event] : -1;
    const Friction *friction = friction_of(model, event);
    if (friction) {
        double mode = state->w[friction->mode];
        return mode == FRICTION_STICK ? STAGE_ACCELERATION : mode == FRICTION_SLIP ? STAGE_VELOCITY : STAGE_POSITION;
    }
    int is_free = contact >= 0 && state->w[model->contacts->contacts[contact].active] == 0;
    return is_free ? STAGE_POSITION : model->events->events[event].stage;
}

int stage_of_witnesses(const Model *model, const State *state) {
    int stage = STAGE_TIME;
    for (int i = 0; i < model->events->n_witnesses; i++) {
        int own = stage_of_witness(model, state, i);
        stage = own > stage ? own : stage;
    }
    return stage;
}

const Sweep *const *sweeps_before(const EventTable *table, int stage) {
    return table->before_witnesses ? table->before_witnesses + (size_t)stage * N_STAGES : NULL;
}

void compute_witness_inputs(const Model *model, State *state, const Sweep *const *sweeps, int stage) {
    if (!sweeps) {
        realize(model, state, stage);
        return;
    }
    realize(model, state, STAGE_INSTANCE);
    for (int each = state->realized + 1; each <= stage; each++)
        if (sweeps[each])
            run_sweep(model, sweeps[each], state);
}

void compute_input_changes(const Model *model, State *state, EventWork *work, const Sweep *const *sweeps, int stage, const double *y_dot) {
    const InputSignals *inputs = (const InputSignals *)(uintptr_t)state->inputs;
    work->dw[model->time_at] = 1;
    if (inputs)
        inputs->set_rates(inputs->owner, work->dw);
    memcpy(work->dw + model->y_at, y_dot, (size_t)y_size(model) * sizeof(double));
    if (!sweeps)
        realize_changes(model, state->w, work->dw, STAGE_TIME, stage);
    for (int each = STAGE_TIME; sweeps && each <= stage; each++)
        if (sweeps[each])
            run_tangents(model, sweeps[each], state->w, work->dw);
    if (inputs)
        inputs->clear_rates(inputs->owner, work->dw);
}

void read_witness_values(const Model *model, State *state, int stage, double *values) {
    const EventTable *table = model->events;
    compute_witness_inputs(model, state, sweeps_before(table, stage), stage);
    if (table->witnesses)
        run_sweep(model, table->witnesses, state);
    for (int i = 0; i < table->n_witnesses; i++) {
        const Event *event = table->events + table->triggered[i];
        if (!event->is_called)
            values[i] = state->w[event->witness];
        else if (stage_of_witness(model, state, i) > stage || witness_by_host(state, table->triggered[i], values + i))
            values[i] = INFINITY;
    }
}

int has_tangent(const EventTable *table, int witness) { return table->has_tangents && !table->events[table->triggered[witness]].is_called; }

/* relative to the time in which y changes by its own size; the relative error of a central difference is its square */
static const double DIFFERENCE = 1e-5;

/* The rates of witnesses without tangents, by central differences along y_dot. Moves w to both sides of its time and back. */
static void find_differences(const Model *model, State *state, EventWork *work, int stage, const double *y_dot, double *rates) {
    const EventTable *table = model->events;
    int n_y = y_size(model), is_needed = 0;
    for (int i = 0; i < table->n_witnesses; i++)
        is_needed = is_needed || !has_tangent(table, i);
    if (!is_needed)
        return;
    double *w = state->w, *y = w + model->y_at, time = w[model->time_at], fastest = 1 / time_scale(model);
    memcpy(work->y_kept, y, (size_t)n_y * sizeof(double));
    for (int i = 0; i < n_y; i++)
        fastest = fmax(fastest, fabs(y_dot[i]) / (scale_of_y(model, i) + fabs(y[i])));
    double difference = DIFFERENCE / fastest;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < n_y; i++)
            y[i] = work->y_kept[i] + side * difference * y_dot[i];
        set_time(model, state, time + side * difference);
        read_witness_values(model, state, stage, side < 0 ? work->before : work->after);
    }
    for (int i = 0; i < table->n_witnesses; i++)
        if (!has_tangent(table, i))
            rates[i] = (work->after[i] - work->before[i]) / (2 * difference);
    move_to(model, state, time, work->y_kept);
}

/* the rates of the other witnesses along y_dot, from the tangents of the stages */
static void find_tangents(const Model *model, State *state, EventWork *work, int stage, const double *y_dot, double *rates) {
    const EventTable *table = model->events;
    if (!table->witnesses || !table->has_tangents)
        return;
    compute_input_changes(model, state, work, sweeps_before(table, stage), stage, y_dot);
    run_tangents(model, table->witnesses, state->w, work->dw);
    for (int i = 0; i < table->n_witnesses; i++)
        if (has_tangent(table, i))
            rates[i] = work->dw[table->events[table->triggered[i]].witness];
}

void read_values_and_rates(const Model *model, State *state, EventWork *work, int stage, const double *y_dot, double *values,
                           double *rates) {
    find_differences(model, state, work, stage, y_dot, rates);
    read_witness_values(model, state, stage, values);
    find_tangents(model, state, work, stage, y_dot, rates);
}

void read_noises(const Model *model, State *state, EventWork *work) {
    int n = model->events->n_witnesses, n_y = y_size(model), stage = stage_of_witnesses(model, state);
    double time = state->w[model->time_at], *y = state->w + model->y_at;
    memcpy(work->y, y, (size_t)n_y * sizeof(double));
    read_witness_values(model, state, stage, work->inside_rates);
    memset(work->noises, 0, (size_t)n * sizeof(double));
    for (int bit = 0; bit < N_PATTERNS; bit++) {
        for (int i = 0; i < n_y; i++)
            y[i] = work->y[i] + LAST_PLACES * fmax(fabs(work->y[i]), DBL_MIN) * (1 - 2 * (i >> bit & 1));
        invalidate(state, STAGE_TIME);
        read_witness_values(model, state, stage, work->inside_values);
        for (int i = 0; i < n; i++)
            work->noises[i] = fmax(work->noises[i], fabs(work->inside_values[i] - work->inside_rates[i]));
    }
    move_to(model, state, time, work->y);
}

Outcome witness_not_a_number(const EventTable *table, int witness, double time, Integration *result) {
    result->culprit = table->triggered[witness];
    result->time = time;
    return WITNESS_NOT_A_NUMBER;
}

Outcome check_witness_values(const EventTable *table, const double *values, double time, Integration *result) {
    for (int i = 0; i < table->n_witnesses; i++)
        if (isnan(values[i]))
            return witness_not_a_number(table, i, time, result);
    return INTEGRATED;
}
