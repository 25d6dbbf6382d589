/* The jumps of changes at events. */
#ifndef MOBOD_SALTATION_H
#define MOBOD_SALTATION_H

#include "changes.h"

/* At the start of a run or the end of a step, before the events there: the changes after them. The events themselves are not
 * processed. */
void follow_events(Sensitivity *changes, const State *state, const Work *work, const InputRamps *ramps, int is_end_of_step);

#endif
