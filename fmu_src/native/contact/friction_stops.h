/* The modes of friction, and the removal of residual velocities of contacts and slips that have come to rest. */
#ifndef MOBOD_FRICTION_STOPS_H
#define MOBOD_FRICTION_STOPS_H

#include "contact_work.h"

/* Determine the modes as find_modes does. Then remove, by an impulse, the residual rates of contacts that press and of slips at rest. If
 * this impulse stops or turns other slips, determine the modes again. */
Outcome find_modes_and_stop(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result);

#endif
