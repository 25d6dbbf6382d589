#include "undo.h"
#include "host.h"
#include "tree.h"

#include <string.h>

/* whether a step changes more of w than time and y: events, records of delays, updated variables, or a host */
static int changes_all_of_w(const Instance *instance) {
    const Model *model = instance->model;
    return model->events || model->delays || model->auto_updates || instance->state->hooks || instance->state->inputs;
}

/* save time and y, or all of w if more of it may change */
void save_w(Instance *instance) {
    const Model *model = instance->model;
    const double *w = instance->state->w;
    size_t n = (size_t)(changes_all_of_w(instance) ? model->n_w : y_size(model));
    memcpy(instance->w_before + (changes_all_of_w(instance) ? 0 : model->y_at), w + (changes_all_of_w(instance) ? 0 : model->y_at),
           n * sizeof(double));
    instance->w_before[model->time_at] = w[model->time_at];
    save_by_host(instance->state);
}

void restore_w(Instance *instance) {
    const Model *model = instance->model;
    double *w = instance->state->w;
    size_t n = (size_t)(changes_all_of_w(instance) ? model->n_w : y_size(model));
    memcpy(w + (changes_all_of_w(instance) ? 0 : model->y_at), instance->w_before + (changes_all_of_w(instance) ? 0 : model->y_at),
           n * sizeof(double));
    w[model->time_at] = instance->w_before[model->time_at];
    invalidate(instance->state, changes_all_of_w(instance) ? STAGE_INSTANCE : STAGE_TIME);
    restore_by_host(instance->state);
}
