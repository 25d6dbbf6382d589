/* Active contacts that begin to contradict each other, under error control.
 *
 * Where contacts are redundant, no normal force needs to fall to zero when they must part. Example: a box stands on a floor, and two pads
 * hold it by friction. While they rest, the load may be shared in any way. As soon as they are driven upward, no accelerations satisfy all
 * active rows, and steps fail. Then the modes of all active contacts are determined again, from the accelerations a short time ahead,
 * where only some of the rows can be satisfied. */
#ifndef MOBOD_CONTRADICTING_CONTACTS_H
#define MOBOD_CONTRADICTING_CONTACTS_H

#include "model.h"
#include "outcome.h"
#include "state.h"
#include "work.h"

/* After a step that failed with NOT_FINITE from the State's time, with its rates y_dot there: if active contacts, or friction that
 * sticks, have contradicted other rows, determine their modes. is_decided: whether other modes were found, with which the step can be
 * repeated. `kept` [n_w] is a workspace. Fails if the contacts chatter, or if the hook of events stops the run. */
Outcome resolve_contradicting_contacts(const Model *model, State *state, struct EventWork *work, const double *y_dot, double *kept,
                                       int *is_decided, Integration *result);

#endif
