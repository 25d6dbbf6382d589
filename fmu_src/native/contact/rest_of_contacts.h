/* Bounds below which speeds, distances and forces of unilateral rows count as zero, under error control. */
#ifndef MOBOD_REST_OF_CONTACTS_H
#define MOBOD_REST_OF_CONTACTS_H

#include "contact_table.h"

enum { OUTSIDE = 10 }; /* tolerances; a row further below zero is not explained by round-off */

/* rows that are slower are at rest */
double rest_speed(const Model *model, const State *state, const Contact *contact);

/* the capture speed of a row without impacts */
double least_capture_speed(const Model *model, const State *state, const Contact *contact);

/* the change of a distance within the time to which events are located, or by round-off */
double resolution_of(const Model *model, const State *state, const Contact *contact);

/* the tolerance of constraints, for the distance of this row */
double tolerance_of_distance(const Model *model, const State *state, const Contact *contact);

/* round-off of a distance, relative to its scale; that is, POSITION_ROUND_OFF times the size of the coordinates */
#define POSITION_ROUND_OFF 1.7763568394002505e-15
double position_round_off(const Model *model, const State *state);

/* a distance further below zero is not explained by tolerances and round-off */
double allowed_depth(const Model *model, const State *state, const Contact *contact);

/* How far the value of a row may lie below zero and still count as zero: its distance or, if the row is active, its force. This is twice
 * the round-off of a force, twice the tolerance for a free row at rest, and twice the round-off of a coordinate for a free row that is
 * slower than ten times the least capture speed. It is 0 for faster rows, and for values that differ from zero by more than half of it. */
double rest_noise(const Model *model, const State *state, const Contact *contact, double value, double rate);

#endif
