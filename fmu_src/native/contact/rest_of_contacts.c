#include "rest_of_contacts.h"

#include "contact_table.h"
#include "elementary.h"
#include "event_times.h"
#include "rows.h"
#include "unilateral_rows.h"

#include <float.h>

/* TIMESCALE: s, SimTK's default.
 * REST_SPEED: relative to 1 + |u|; slower rows are at rest.
 * SLOW: in least capture speeds; the distance of a slower row may be round-off.
 * ROUND_OFF: relative to 1 + |q|; of a distance. */
static const double TIMESCALE = 0.1, REST_SPEED = 1e-9, SLOW = 10, ROUND_OFF = 8 * DBL_EPSILON;

double largest_speed(const Model *model, const State *state) { return largest(state->w + model->y_at + model->n_q, model->n_u); }

double rest_speed(const Model *model, const State *state) {
    return fmax(REST_SPEED * (1 + largest_speed(model, state)), state->constraint_tolerance);
}

double least_capture_speed(const State *state) { return 2 * state->constraint_tolerance / TIMESCALE; }

double position_round_off(const Model *model, const State *state) { return ROUND_OFF * (1 + largest(state->w + model->y_at, model->n_q)); }

double resolution_of(const Model *model, const State *state, const Contact *contact) {
    double resolution = fmax(window_at(state->w[model->time_at], 0), position_round_off(model, state));
    return resolution * (1 + fabs(state->w[contact->rate]));
}

double allowed_depth(const Model *model, const State *state, const Contact *contact) {
    return OUTSIDE * (state->constraint_tolerance + resolution_of(model, state, contact));
}

double rest_noise(const Model *model, const State *state, const Contact *contact, double value, double rate) {
    double tolerance = state->constraint_tolerance, noise = 0;
    if (state->w[contact->active] != 0)
        noise = force_noise(model, state->w, row_number_of(model, contact));
    else if (fabs(rate) <= rest_speed(model, state))
        noise = tolerance;
    else if (fabs(rate) <= SLOW * least_capture_speed(state)) /* its steps to zero may be too short to change a coordinate */
        noise = position_round_off(model, state);
    return fabs(value) <= noise ? 2 * noise : 0;
}
