#include "auto_updates.h"

#include "elementary.h"
#include "host.h"
#include "tree.h"

#include <string.h>

static int n_updates(const Model *model) { return model->auto_updates ? model->auto_updates->n : 0; }

static int is_taken_once(const AutoUpdate *update) { return update->stage < STAGE_TIME; }

static double next_value(const AutoUpdate *update, const double *w, int i) {
    double value = w[update->next + i];
    return update->is_boolean ? value != 0 : value;
}

/* whether the next value differs from the present one; 0 and -0 are equal */
static int differs(const AutoUpdate *update, const double *w) {
    for (int i = 0; i < update->n; i++)
        if (next_value(update, w, i) != w[update->at + i])
            return 1;
    return 0;
}

/* the first entry of the next value that is not finite, or -1 */
static int find_not_finite(const AutoUpdate *update, const double *w) {
    for (int i = 0; i < update->n; i++)
        if (!isfinite(next_value(update, w, i)))
            return i;
    return -1;
}

/* Take a next value that differs. All next values are computed before the first is taken, and are not computed again in between. */
static Outcome take_value(const Model *model, State *state, int number, Integration *result) {
    const AutoUpdate *update = model->auto_updates->updates + number;
    double *w = state->w;
    int not_finite = find_not_finite(update, w);
    if (not_finite >= 0) {
        result->culprit = number;
        result->value = w[update->next + not_finite];
        return UPDATE_NOT_FINITE;
    }
    for (int i = 0; i < update->n; i++)
        w[update->at + i] = next_value(update, w, i);
    return INTEGRATED;
}

static Outcome take_all_values(const Model *model, State *state, int *invalidated, Integration *result) {
    int last = STAGE_EMPTY;
    for (int i = 0; i < n_updates(model); i++)
        if (model->auto_updates->updates[i].stage > last)
            last = model->auto_updates->updates[i].stage;
    if (realize(model, state, last))
        return KERNEL_STOPPED;
    Outcome outcome = INTEGRATED;
    for (int i = 0; i < n_updates(model) && outcome == INTEGRATED; i++) {
        const AutoUpdate *update = model->auto_updates->updates + i;
        double *used = state->w + update->used;
        if (*used != 0)
            continue;
        *used = is_taken_once(update);
        if (!differs(update, state->w))
            continue;
        outcome = take_value(model, state, i, result);
        if (update->invalidates < *invalidated)
            *invalidated = update->invalidates;
    }
    return outcome;
}

int next_values_change_rates(const Model *model, State *state) {
    for (int i = 0; i < n_updates(model); i++) {
        const AutoUpdate *update = model->auto_updates->updates + i;
        if (update->invalidates <= STAGE_ACCELERATION && !realize(model, state, update->stage) && state->w[update->used] == 0 &&
            differs(update, state->w))
            return 1;
    }
    return 0;
}

Outcome take_next_values(const Model *model, State *state, int *has_changed, Integration *result) {
    int invalidated = N_STAGES;
    Outcome outcome;
    if (model->auto_updates)
        outcome = state->stopped ? KERNEL_STOPPED : take_all_values(model, state, &invalidated, result);
    else
        outcome = begin_step_of_host(state, &invalidated) ? KERNEL_STOPPED : INTEGRATED;
    note_change(model, state, invalidated);
    *has_changed = invalidated <= STAGE_ACCELERATION;
    if (outcome != INTEGRATED)
        result->time = state->w[model->time_at];
    return outcome;
}

void note_change(const Model *model, State *state, int stage) {
    invalidate(state, stage);
    for (int i = 0; i < n_updates(model); i++)
        if (model->auto_updates->updates[i].stage >= stage)
            state->w[model->auto_updates->updates[i].used] = 0;
}

void note_set_by_handler(const Model *model, State *state, int first, int n, int stage) {
    for (int i = 0; i < n_updates(model); i++) {
        const AutoUpdate *update = model->auto_updates->updates + i;
        int is_set = first < update->at + update->n && update->at < first + n;
        if (is_set && is_taken_once(update) && update->stage < stage)
            state->w[update->used] = 1;
    }
}

int size_of_updated(const Model *model) {
    int size = 0;
    for (int i = 0; i < n_updates(model); i++)
        size += model->auto_updates->updates[i].n;
    return size;
}

void read_updated(const Model *model, const State *state, double *values) {
    for (int i = 0; i < n_updates(model); i++) {
        const AutoUpdate *update = model->auto_updates->updates + i;
        memcpy(values, state->w + update->at, (size_t)update->n * sizeof(double));
        values += update->n;
    }
}
