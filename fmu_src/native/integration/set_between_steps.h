/* Values that the caller of a run, Python or an importer, sets between two steps. */
#ifndef MOBOD_SET_BY_HOST_H
#define MOBOD_SET_BY_HOST_H

#include "event_work.h"
#include "model.h"
#include "projection.h"
#include "state.h"

/* Set w[at]. stage: the first stage that depends on it. Returns 0 if w[at] has this value already, bit for bit: then nothing changes. */
int set_number(const Model *model, State *state, int at, double value, int stage);

/* Before the next step: release the unilateral rows, which the next step engages again, and project the state that was set onto the
 * constraints. events: NULL if the model has none. */
Projection project_what_was_set(const Model *model, State *state, EventWork *events);

#endif
