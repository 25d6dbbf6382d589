/* The modes of friction, after what is left of rates at rest is removed. */
#ifndef MOBOD_FRICTION_STOPS_H
#define MOBOD_FRICTION_STOPS_H

#include "contact_work.h"

/* As find_modes, and remove what is left of the rates of contacts that press, and of slips at rest, by an impulse. Where the impulse brings
 * other slips to rest, or turns them, the modes are determined again. */
Outcome find_modes_and_stop(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result);

#endif
