#include "undo.h"
#include "host.h"
#include "tree.h"

#include <string.h>

/* save the numbers of State before w, time and y, or all of w if more of it may change */
void save_w(Instance *instance) {
    const Model *model = instance->model;
    const double *w = instance->state->w;
    if (steps_change_all(model, instance->state))
        copy_numbers(model, instance->w_before, w);
    else
        memcpy(instance->w_before + model->y_at, w + model->y_at, (size_t)y_size(model) * sizeof(double));
    instance->w_before[model->time_at] = w[model->time_at];
    memcpy(instance->state_before, instance->state, sizeof(State));
    save_by_host(instance->state);
}

/* Restore the members of State before w. Members that do not describe the simulation keep their values: the result of a kernel that
 * stopped a sweep, the host, its hooks, and the inputs of the step under way. */
static void restore_numbers(Instance *instance) {
    const State now = *instance->state;
    State *state = instance->state;
    memcpy(state, instance->state_before, sizeof(State));
    state->realized = now.realized < state->realized ? now.realized : state->realized;
    state->stopped = now.stopped;
    state->host = now.host;
    state->hooks = now.hooks;
    state->inputs = now.inputs;
}

double saved_number(const Instance *instance, int at) {
    const Model *model = instance->model;
    const int is_y_or_time = (at >= model->y_at && at < model->y_at + y_size(model)) || at == model->time_at;
    return is_y_or_time || steps_change_all(model, instance->state_before) ? instance->w_before[at] : instance->state->w[at];
}

void restore_w(Instance *instance) {
    const Model *model = instance->model;
    double *w = instance->state->w;
    const int all = steps_change_all(model, instance->state_before);
    if (all)
        copy_numbers(model, w, instance->w_before);
    else
        memcpy(w + model->y_at, instance->w_before + model->y_at, (size_t)y_size(model) * sizeof(double));
    w[model->time_at] = instance->w_before[model->time_at];
    restore_numbers(instance);
    invalidate(instance->state, all ? STAGE_INSTANCE : STAGE_TIME);
    restore_by_host(instance->state);
}

void hide_start(Instance *instance) {
    if (instance->shown == START_FOUND)
        restore_w(instance);
    instance->shown = START_NOT_SOUGHT;
}

double number_as_set(const Instance *instance, int at) {
    return instance->shown == START_FOUND ? saved_number(instance, at) : instance->state->w[at];
}

const double *states_as_set(const Instance *instance) {
    return (instance->shown == START_FOUND ? instance->w_before : instance->state->w) + instance->model->y_at;
}
