#include "given_friction.h"

#include "joint_loads.h"
#include "rows.h"
#include "tree.h"

#include <math.h>

static int n_loads(const Model *model) { return model->rows ? model->rows->n_loads : 0; }

static const JointLoad *load_at(const Model *model, int number) { return model->rows->loads + number; }

int has_regularised_friction(const Model *model) {
    for (int i = 0; i < n_loads(model); i++)
        if (load_at(model, i)->is_regularised)
            return 1;
    return 0;
}

/* set the flags of all rows, with the given force 0, or that of their slips */
static void set_rows(const Model *model, State *state, double flag, int is_present) {
    double *w = state->w;
    int has_changed = 0;
    for (int i = 0; i < n_loads(model); i++) {
        const CarriedRow *row = model->rows->blocks[load_at(model, i)->block].carried;
        if (!load_at(model, i)->is_regularised)
            continue;
        double given = is_present ? w[row->slide] : 0;
        has_changed = has_changed || w[row->flag] != flag || w[row->given] != given;
        w[row->flag] = flag;
        w[row->given] = given;
    }
    if (has_changed)
        invalidate(state, STAGE_DYNAMICS);
}

void give_no_friction(const Model *model, State *state) { set_rows(model, state, CARRIES_GIVEN, 0); }

void release_given_friction(const Model *model, State *state) { set_rows(model, state, CARRIES_SLIP, 0); }

/* There are no loads because there are no accelerations, as of rows that contradict each other: the joints are not the cause. */
static Outcome forces_failed(const Model *model, const State *state, Integration *result) {
    const double *y_dot = state->w + model->y_dot_at;
    result->culprit = 0;
    while (result->culprit < y_size(model) - 1 && isfinite(y_dot[result->culprit]))
        result->culprit++;
    result->time = state->w[model->time_at];
    result->value = y_dot[result->culprit];
    return result->outcome = NOT_FINITE;
}

Outcome give_present_friction(const Model *model, State *state, Integration *result) {
    release_given_friction(model, state);
    realize(model, state, STAGE_ACCELERATION);
    if (are_loads_missing(model, state))
        return load_failed(model, state, result);
    for (int i = 0; i < n_loads(model); i++)
        if (isnan(state->w[load_at(model, i)->load]))
            return forces_failed(model, state, result);
    set_rows(model, state, CARRIES_GIVEN, 1);
    return INTEGRATED;
}

int are_loads_missing(const Model *model, const State *state) { return model->rows && have_no_solution(model->rows, state->w); }

Outcome load_failed(const Model *model, const State *state, Integration *result) {
    int number = 0, block = load_at(model, 0)->block;
    while (number < n_loads(model) && state->w[model->rows->blocks[load_at(model, number)->block].carried->flag] != CARRIES_SLIP)
        number++;
    if (number < n_loads(model))
        block = load_at(model, number)->block;
    result->culprit = result->constraint = block;
    result->time = state->w[model->time_at];
    result->value = 0;
    return result->outcome = JOINT_JAMMED;
}
