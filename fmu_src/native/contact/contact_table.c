#include "contact_table.h"

#include "scales.h"

#include "rows.h"

#include <float.h>

static const double FAR = DBL_MAX / 2;

int is_bound(double distance) { return distance < FAR; }

static int has_presence(const State *state, const Contact *contact, int scheme) {
    const double *w = state->w;
    return w[contact->enabled] != 0 && is_bound(w[contact->distance]) && (contact->presences < 0 || w[contact->presences + scheme] >= 0);
}

int row_exists(const State *state, const Contact *contact) { return has_presence(state, contact, 0); }

int row_exists_in_fixed_steps(const State *state, const Contact *contact) { return has_presence(state, contact, 1); }

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
