#include "rest_of_contacts.h"

#include "contact_table.h"
#include "elementary.h"
#include "event_times.h"
#include "rows.h"
#include "state_sizes.h"
#include "unilateral_rows.h"

/* TIMESCALE: in time scales; SimTK has 0.1 s.
 * REST_SPEED: relative to the scale of a rate and |u|; slower rows are at rest.
 * SLOW: in least capture speeds; the distance of a slower row may be round-off. */
static const double TIMESCALE = 0.1, REST_SPEED = 1e-9, SLOW = 10;

double rest_speed(const Model *model, const State *state, const Contact *contact) {
    return scale_of_speed(model, contact) * fmax(REST_SPEED * size_of_u(model, state), state->constraint_tolerance);
}

double least_capture_speed(const Model *model, const State *state, const Contact *contact) {
    return scale_of_speed(model, contact) * (2 * state->constraint_tolerance / TIMESCALE);
}

double position_round_off(const Model *model, const State *state) { return POSITION_ROUND_OFF * size_of_q(model, state); }

double resolution_of(const Model *model, const State *state, const Contact *contact) {
    double scale = scale_of_distance(model, contact), time = time_scale(model);
    double resolution = fmax(window_at(state->w[model->time_at], 0) / time, position_round_off(model, state));
    return resolution * (scale + time * fabs(state->w[contact->rate]));
}

double tolerance_of_distance(const Model *model, const State *state, const Contact *contact) {
    return scale_of_distance(model, contact) * state->constraint_tolerance;
}

double allowed_depth(const Model *model, const State *state, const Contact *contact) {
    return OUTSIDE * (tolerance_of_distance(model, state, contact) + resolution_of(model, state, contact));
}

double rest_noise(const Model *model, const State *state, const Contact *contact, double value, double rate) {
    double tolerance = tolerance_of_distance(model, state, contact), noise = 0;
    if (state->w[contact->active] != 0)
        noise = force_noise(model, state->w, row_number_of(model, contact));
    else if (fabs(rate) <= rest_speed(model, state, contact))
        noise = tolerance;
    else if (fabs(rate) <=
             SLOW * least_capture_speed(model, state, contact)) /* its steps to zero may be too short to change a coordinate */
        noise = scale_of_distance(model, contact) * position_round_off(model, state);
    return fabs(value) <= noise ? 2 * noise : 0;
}
