#include "start_values.h"
#include "elementary.h"
#include "logging.h"
#include "set_between_steps.h"
#include "shown_start.h"
#include "undo.h"

#include <string.h>

/* relative; start values may be written with 15 digits, or converted to other units and back */
static const double ROUND_OFF = 1e-14;

static int differ(double a, double b) { return fabs(a - b) > ROUND_OFF * fabs(b); }

static int are_same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* the index in y of the state whose number lies at this offset from `first`; -1: of none */
static int entry_from(const Model *model, int first, const Variable *variable) {
    const int entry = variable->at - first;
    return entry >= 0 && entry < y_size(model) ? entry : -1;
}

int is_start_value(const Model *model, const Variable *variable) {
    return entry_from(model, model->y_at, variable) >= 0 || entry_from(model, model->y_start_at, variable) >= 0;
}

void set_start_value(Instance *instance, const Variable *variable, double value) {
    const Model *model = instance->model;
    State *state = instance->state;
    const int of_state = entry_from(model, model->y_at, variable) >= 0;
    const int entry = entry_from(model, of_state ? model->y_at : model->y_start_at, variable);
    const int at = model->y_at + entry, start_at = model->y_start_at + entry, own_at = own_starts_at(model) + entry;

    /* the three numbers that w holds of the state */
    const double start = of_state ? number_as_set(instance, start_at) : value;
    const int is_own = of_state ? differ(value, model->start[start_at]) : state->w[own_at] != 0;
    const double y = !is_own ? start : of_state ? value : number_as_set(instance, at);
    if (are_same_bits(y, number_as_set(instance, at)) && are_same_bits(start, number_as_set(instance, start_at)) &&
        is_own == (state->w[own_at] != 0))
        return;
    hide_start(instance);
    state->w[own_at] = is_own;
    set_number(model, state, start_at, start, variable->invalidates);
    set_number(model, state, at, y, variable->invalidates);
    if (variable->invalidates <= STAGE_VELOCITY)
        state->was_set = 1;
}

static const char *name_at(const Instance *instance, int at) {
    const Interface *interface = instance->interface;
    for (int i = 0; i < interface->n_variables; i++)
        if (interface->variables[i].at == at)
            return interface->variables[i].name;
    return "";
}

Status check_start_values(const Instance *instance) {
    const Model *model = instance->model;
    const double *w = instance->state->w;
    for (int i = 0; i < y_size(model); i++) {
        const int at = model->y_at + i, start_at = model->y_start_at + i;
        if (w[own_starts_at(model) + i] != 0 && differ(w[start_at], model->start[start_at]) && differ(w[at], w[start_at]))
            return log_error(instance,
                             "'%s' was set to %.15g, and its initial condition '%s' to %.15g. Set one of them, and leave the other at its "
                             "start value, %.15g.",
                             name_at(instance, at), w[at], name_at(instance, start_at), w[start_at], model->start[start_at]);
    }
    return STATUS_OK;
}

void show_start_values(const Model *model, double *w) {
    for (int i = 0; i < y_size(model); i++)
        if (w[own_starts_at(model) + i] == 0)
            w[model->y_at + i] = w[model->y_start_at + i];
}
