#include "changes_at_start.h"

#include "contact_table.h"
#include "projected_changes.h"
#include "projection.h"
#include "tree.h"
#include "undo.h"

#include <string.h>

int are_of_start(const Instance *instance, int first_stage) {
    return instance->shown == START_FOUND && first_stage <= STAGE_VELOCITY &&
           (has_constraints(instance->model) || instance->model->n_quaternions);
}

/* see FindTangents */
static int tangents_of_instance(void *owner, int first_stage, int last_stage) {
    Instance *instance = owner;
    return realize_changes(instance->model, instance->state->w, instance->dw, first_stage, last_stage);
}

/* Release the rows of contacts and friction, or restore them. Coordinates and speeds at the start follow their initial conditions, whether
 * or not a contact is active: a change in one direction opens it, and one in the other direction gives no start, or an impact. */
static void release_rows(Instance *instance, int is_released) {
    const Model *model = instance->model;
    double *w = instance->state->w;
    for (int i = 0; model->rows && i < model->rows->n_blocks; i++) {
        const RowBlock *block = model->rows->blocks + i;
        if (!block->carried && !(model->contacts && model->contacts->contact_of_block[i] >= 0))
            continue;
        if (is_released)
            instance->flags[i] = w[block->enabled];
        w[block->enabled] = is_released ? 0 : instance->flags[i];
    }
}

Moves find_changes_of_all(Instance *instance, int first_stage, int last_stage) {
    const Model *model = instance->model;
    State *state = instance->state;
    double *dw = instance->dw, *y = instance->given;
    if (!are_of_start(instance, first_stage)) {
        realize_changes(model, state->w, dw, first_stage, last_stage);
        return (Moves){NULL, NULL};
    }
    if (n_contacts(model) && last_stage < STAGE_VELOCITY)
        last_stage = STAGE_VELOCITY;
    memcpy(y, dw + model->y_at, (size_t)y_size(model) * sizeof(double));
    normalize_changes(model, states_as_set(instance), y);
    realize_changes(model, state->w, dw, first_stage, STAGE_TIME - 1);
    release_rows(instance, 1);
    project_changes(model, state, dw, y, tangents_of_instance, instance);
    release_rows(instance, 0);
    realize(model, state, last_stage);
    memcpy(dw + model->y_at, y, (size_t)y_size(model) * sizeof(double));
    realize_changes(model, state->w, dw, first_stage < STAGE_TIME ? first_stage : STAGE_TIME, last_stage);
    return moves_of_contacts(model, state, dw, instance->of_fixed_steps != NULL);
}

void begin_tangents(Instance *instance, int *first_stage) {
    if (instance->dw_stage && instance->dw_stage < *first_stage)
        *first_stage = instance->dw_stage;
    if (are_of_start(instance, *first_stage) && *first_stage > STAGE_TIME)
        *first_stage = STAGE_TIME; /* other states change, too */
    instance->dw_stage = *first_stage;
}

void change_time_and_y(Instance *instance, double d_time, const double *d_y) {
    const Model *model = instance->model;
    int first_stage = STAGE_TIME;
    begin_tangents(instance, &first_stage);
    instance->dw[model->time_at] = d_time;
    memcpy(instance->dw + model->y_at, d_y, (size_t)y_size(model) * sizeof(double));
    realize_changes(model, instance->state->w, instance->dw, first_stage, STAGE_VELOCITY);
}
