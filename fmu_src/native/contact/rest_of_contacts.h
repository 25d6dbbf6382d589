/* What counts as rest, as zero and as round-off of unilateral rows under error control. */
#ifndef MOBOD_REST_OF_CONTACTS_H
#define MOBOD_REST_OF_CONTACTS_H

#include "contact_table.h"

enum { OUTSIDE = 10 }; /* tolerances; a row further below zero is not explained by round-off */

/* rows that are slower are at rest */
double rest_speed(const Model *model, const State *state, const Contact *contact);

/* the capture speed of a row without impacts */
double least_capture_speed(const Model *model, const State *state, const Contact *contact);

/* the distance of the time to which events are located, and of round-off */
double resolution_of(const Model *model, const State *state, const Contact *contact);

/* the tolerance of constraints, for the distance of this row */
double tolerance_of_distance(const Model *model, const State *state, const Contact *contact);

/* round-off of a distance, relative to its scale */
double position_round_off(const Model *model, const State *state);

/* a distance further below zero is not explained by tolerances and round-off */
double allowed_depth(const Model *model, const State *state, const Contact *contact);

/* The value below zero that counts as zero, of a distance or, if the row is active, of its force: more than round-off if it is zero, and
 * more than the tolerance of a free row at rest. 0 for other values, and for free
 * rows that are faster than ten times the least capture speed. */
double rest_noise(const Model *model, const State *state, const Contact *contact, double value, double rate);

#endif
