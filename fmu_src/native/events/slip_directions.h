/* The directions of slips between events.
 *
 * The friction of a slip, and the witness of its end, need a reference direction. The velocity may turn away from it by up to 75
 * degrees; within this cone the friction does not depend on the reference (laws_of_slip.py). When modes are determined, the reference
 * becomes the direction of the velocity. If the velocity turns later, the reference is set again at the end of a step, which is no
 * event. A slip slower than `rest` keeps its reference, because its friction depends on it. */
#ifndef MOBOD_SLIP_DIRECTIONS_H
#define MOBOD_SLIP_DIRECTIONS_H

#include "event_work.h"

/* After a step: if the witness of a slip has crossed zero only because the slip has turned, the slip goes on. Discard this crossing. */
void drop_turns(const Model *model, State *state, EventWork *work);

/* Set the directions of slips that have turned to those of their velocities. Returns whether there are any. Rates and forces stay, bit for
 * bit; witnesses change. */
int renew_directions(const Model *model, State *state);

/* The same at the end of a step, with the values of their witnesses. */
int follow_turns(const Model *model, State *state, EventWork *work);

/* ---- steps of an importer ---- */

/* At the end of a step, from the values of the witnesses [n_witnesses]: whether a slip has passed its end, or friction at rest its limit,
 * so that event mode is needed. */
int has_passed_event_of_friction(const Model *model, const State *state, const double *values);

/* In event mode: mark the slips whose witnesses have crossed zero and which now move straight back, no faster than the importer's step
 * explains. They have come to rest within the step, unless forces drive them on. */
void note_passed_slips(const Model *model, const State *state, EventWork *work);

#endif
