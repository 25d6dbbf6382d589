/* The signs of witnesses after an event: the memory from which the next crossing is found. */
#ifndef MOBOD_SIDES_H
#define MOBOD_SIDES_H

#include "event_work.h"

/* Determine the sign of each witness that crossed, or of all witnesses (has_jumped). If a witness is at zero after a change of values, its
 * sign is that of its rate. */
void decide_sides(const Model *model, State *state, EventWork *work, int has_jumped);

/* Set the signs of the witnesses of unilateral rows and of friction, and the bounds below which they count as zero, after their modes
 * have been determined without a crossing. Values and rates are those of the State. */
void decide_sides_of_contacts(const Model *model, State *state, EventWork *work);

#endif
