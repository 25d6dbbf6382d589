#include "differentiable_start.h"

#include "changes_at_start.h"
#include "contact_table.h"
#include "elementary.h"
#include "events.h"
#include "friction_table.h"
#include "logging.h"
#include "own_errors.h"
#include "rest_of_contacts.h"
#include "state_sizes.h"

#include <string.h>

/* relative to the largest change of an acceleration: round-off */
static const double NO_CHANGE = 1e-12;

/* the event of friction that acts; NULL if there is none */
static const Event *acting_friction(const Instance *instance) {
    const Model *model = instance->model;
    for (int f = 0; f < n_frictions(model); f++)
        if (instance->state->w[friction_at(model, f)->mode] != FRICTION_OPEN)
            return model->events->events + friction_at(model, f)->event;
    return NULL;
}

Status check_start(const Instance *instance, int first_stage) {
    const Event *friction = acting_friction(instance);
    if (instance->shown == START_FOUND && first_stage <= STAGE_VELOCITY && friction)
        return log_discard(instance,
                           "at the start friction of '%s' acts, whose forces jump with the states. Ask for derivatives after the "
                           "initialization.",
                           friction->name);
    if (instance->shown == START_FOUND && first_stage <= STAGE_VELOCITY && instance->start_jumps)
        return log_discard(instance, "at the start an impact or a handler changes the states, and derivatives through this change are not "
                                     "known. Ask for them after the initialization.");
    if (are_of_start(instance, first_stage) && instance->model->own_errors)
        return log_discard(instance,
                           "the start satisfies '%s', and derivatives through this projection are not known. Ask for them after "
                           "the initialization.",
                           instance->model->own_errors->blocks[0].name);
    return STATUS_OK;
}

Status check_moves(const Instance *instance, Moves moves) {
    const Event *events = instance->model->events ? instance->model->events->events : NULL;
    if (!moves.opening || !moves.closing)
        return STATUS_OK;
    return log_discard(instance,
                       "at the start '%s' would be violated after a change in one direction, and '%s' after the opposite one: there is "
                       "no derivative. Ask for derivatives after the initialization.",
                       events[moves.closing->event].name, events[moves.opening->event].name);
}

static int may_touch(const Instance *instance, const Contact *contact) {
    const Model *model = instance->model;
    const State *state = instance->state;
    return row_exists(state, contact) && state->w[contact->active] == 0 && state->w[contact->rate] <= rest_speed(model, state, contact) &&
           state->w[contact->distance] <= tolerance_of_distance(model, state, contact) + resolution_of(model, state, contact);
}

/* see check_contacts; NULL if there is none */
static const Contact *undecided_contact(Instance *instance, int first_stage, const double *d_u_dot) {
    const Model *model = instance->model;
    const Contact *contacts = n_contacts(model) ? model->contacts->contacts : NULL, *found = NULL;
    double *w = instance->state->w, *dw = instance->dw, *d_y = instance->given, largest = 0;
    int any = 0;
    for (int i = 0; i < n_contacts(model); i++)
        any = any || may_touch(instance, contacts + i);
    if (!any || instance->shown != START_FOUND || instance->of_fixed_steps)
        return NULL;

    /* those without acceleration */
    change_time_and_y(instance, 1, w + model->y_dot_at);
    for (int i = 0; i < n_contacts(model); i++) {
        double least = rest_speed(model, instance->state, contacts + i) / time_scale(model);
        instance->flags[contacts[i].block] = may_touch(instance, contacts + i) && dw[contacts[i].rate] <= least;
    }

    /* whether their accelerations change; with changes of coordinates and speeds this is not known */
    memset(d_y, 0, (size_t)y_size(model) * sizeof(double));
    for (int i = 0; i < model->n_u; i++) {
        d_y[model->n_q + i] = d_u_dot[i];
        largest = fmax(largest, fabs(d_u_dot[i]));
    }
    change_time_and_y(instance, 0, d_y);
    for (int i = 0; i < n_contacts(model) && !found; i++)
        if (instance->flags[contacts[i].block] != 0 && (first_stage <= STAGE_VELOCITY || fabs(dw[contacts[i].rate]) > NO_CHANGE * largest))
            found = contacts + i;
    memset(dw + model->y_at, 0, (size_t)y_size(model) * sizeof(double));
    return found;
}

Status check_contacts(Instance *instance, int first_stage, const double *d_u_dot) {
    const Contact *contact = undecided_contact(instance, first_stage, d_u_dot);
    return !contact ? STATUS_OK
                    : log_discard(
                          instance,
                          "at the start '%s' is zero without a force: it presses after a change in one direction, and separates after the "
                          "opposite one. Ask for derivatives after the initialization.",
                          instance->model->events->events[contact->event].name);
}
