/* A step fails because a slip runs into Painleve's paradox: its normal force grows without bound (carried_rows.h). Then the contact has an
 * impact without collision where the step began (sliding_impacts.h), which is an event. Steps become so short before that nothing moves
 * between their starts and the time at which the force becomes infinite. */
#ifndef MOBOD_JAMMED_SLIPS_H
#define MOBOD_JAMMED_SLIPS_H

#include "event_work.h"

/* After a step that failed, with the State at its start, by FRICTION_PARADOX, of which `result` says the event: compute the impact, and
 * determine modes. *is_resolved: whether there is one; otherwise the State stays, and the failure is returned. kept [n_w] is a workspace.
 */
Outcome resolve_jammed_slip(const Model *model, State *state, EventWork *work, double *kept, int *is_resolved, Integration *result);

#endif
