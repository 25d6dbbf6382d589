/* The directions of slips between events.
 *
 * The friction of a slip, and the witness of its end, need a direction from which the slip has turned by less than 75 degrees; within this
 * cone the friction does not depend on it (laws_of_slip.py). Decisions about modes set it to that of the velocity. A slip that goes on
 * turns: then its direction is set again at the end of a step, which is no event. Slower slips than `rest` keep theirs, on which their
 * friction depends. */
#ifndef MOBOD_SLIP_DIRECTIONS_H
#define MOBOD_SLIP_DIRECTIONS_H

#include "event_work.h"

/* After a step: a slip whose witness has crossed zero because it has turned goes on: then this crossing is none. */
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

/* In event mode: mark the slips that have crossed and move straight back as far as they can in the importer's step. They have come to rest
 * within the step, unless forces drive them on. */
void note_passed_slips(const Model *model, const State *state, EventWork *work);

#endif
