#include "contact_table.h"

#include "contact_arithmetic.h"
#include "rows.h"
#include "scales.h"

int is_bound(double distance) { return is_bound_in(distance) != 0; }

int row_exists(const State *state, const Contact *contact) {
    const double *w = state->w;
    return w[contact->enabled] != 0 && is_bound(w[contact->distance]) && (contact->presences < 0 || w[contact->presences] >= 0);
}

int row_exists_in_fixed_steps(const State *state, const Contact *contact) { return exists_in_steps(contact, state->w) != 0; }

int row_number_of(const Model *model, const Contact *contact) { return model->rows->blocks[contact->block].first; }

double scale_of_distance(const Model *model, const Contact *contact) { return scale_of_row(model, row_number_of(model, contact)); }

double scale_of_speed(const Model *model, const Contact *contact) { return scale_of_fall(model, row_number_of(model, contact)); }

Outcome contact_failed(Outcome outcome, const Model *model, const State *state, const Contact *contact, double value, Integration *result) {
    result->outcome = outcome;
    result->culprit = contact->event;
    result->constraint = outcome == CONTACT_OUTSIDE ? -1 : contact->block;
    result->time = state->w[model->time_at];
    result->value = value;
    return outcome;
}
