#include "middle_of_step.h"

#include "coordinate_changes.h"
#include "engagement.h"
#include "evaluation.h"
#include "friction_steps.h"
#include "friction_table.h"
#include "rows.h"
#include "step_arithmetic.h"
#include "tree.h"

#include <string.h>

void note_rows_at_start(const Model *model, State *state, ContactWork *rows, StartOfStep *start) {
    const double *w = state->w;
    realize(model, state, STAGE_VELOCITY);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        start->distances[i] = w[contact->distance];
        start->rates[i] = w[contact->rate];
    }
    if (model->frictions)
        note_slips_at_start(model, state, rows);
}

void note_start_of_step(const Model *model, State *state, ContactWork *rows, StartOfStep *start, CompliantStep *compliant) {
    note_rows_at_start(model, state, rows, start);
    memcpy(start->y, state->w + model->y_at, (size_t)y_size(model) * sizeof(double));
    note_start_of_compliant_rows(model, state, compliant);
}

/* Take the forces that do not go on from their rows, and note it; or give them back. */
static void take_forces(const Model *model, State *state, StartOfStep *start, int give_back) {
    double *w = state->w;
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        if (acts_on_nothing(model, w, friction))
            continue;
        const Contact *contact = friction->contact < 0 ? NULL : model->contacts->contacts + friction->contact;
        for (int k = contact ? -1 : 0; k < friction->n; k++) {
            const CarriedRow *row = model->rows->blocks[k < 0 ? contact->block : friction->block + k].carried;
            int *taken = start->taken + 3 * f + k + 1;
            *taken = give_back ? *taken : carries_nothing_that_goes_on(row, w, contact && was_hit(state, contact)) != 0;
            if (!*taken)
                continue;
            w[row->flag] = give_back ? CARRIES_GIVEN : CARRIES_NOTHING;
            invalidate(state, STAGE_DYNAMICS);
        }
    }
}

void find_middle(const Model *model, State *state, StartOfStep *start, CompliantStep *compliant, double h, double *y_middle) {
    const double *y_dot = state->w + model->y_dot_at;
    take_forces(model, state, start, 0);
    soften_compliant_rows(model, state, compliant, h);
    realize(model, state, STAGE_ACCELERATION);
    for (int i = 0; i < y_size(model); i++)
        y_middle[i] = start->y[i] + h / 2 * y_dot[i];
    harden_compliant_rows(model, state, compliant);
    take_forces(model, state, start, 1);
}

Outcome move_to_middle(const Model *model, State *state, double h, const double *y_middle, Integration *result) {
    double t = state->w[model->time_at];
    memcpy(state->w + model->y_at, y_middle, (size_t)y_size(model) * sizeof(double));
    set_time(model, state, t + h / 2);
    return normalize_directions(model, state, t, result);
}
