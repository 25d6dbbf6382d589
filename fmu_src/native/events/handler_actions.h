/* The actions of event handlers, and the corrections of the state after them.
 *
 * Functions that return an Outcome return INTEGRATED, or the reason why a handler failed, which they describe in `result`. */
#ifndef MOBOD_HANDLER_ACTIONS_H
#define MOBOD_HANDLER_ACTIONS_H

#include "contact_table.h"
#include "event_work.h"

#include <float.h>

/* the time of an event that is not scheduled */
#define NEVER DBL_MAX

static inline double time_of(const Model *model, const State *state) { return state->w[model->time_at]; }

static inline int is_enabled(const Event *event, const State *state) { return state->w[event->enabled] != 0; }

/* A call of a handler that is code of the host (host.h); the functions below need it while the handler runs. */
typedef struct HandlerCall {
    const Model *model;
    State *state;
    EventWork *work;
    int number;       /* of the event */
    int *has_changed; /* set to 1 if accelerations depend on a value that the handler changed */
    Integration *result;
    Outcome outcome; /* INTEGRATED, or the reason why an action failed; no function below may be called after a failure */
} HandlerCall;

/* The host has changed numbers of w; `stage` is the first stage that depends on them. */
void note_change_by_host(HandlerCall *call, int stage);

/* Each returns call->outcome. */

/* Normalize quaternions and project the State onto its constraints; realizes it to STAGE_VELOCITY. */
Outcome project_for_host(HandlerCall *call);

/* Apply an impulse along the rows of a constraint, given by its number. restitution: one for each row. */
Outcome apply_impulse_for_host(HandlerCall *call, int constraint, const double *restitution);

/* set `result` to the failure of an event, and return the outcome */
Outcome event_failed(Outcome outcome, const Model *model, const State *state, int event, double value, Integration *result);

/* the unilateral row that an event belongs to, or NULL */
const Contact *contact_of(const Model *model, int event);

/* Do the actions of a handler, or of its schedule. has_changed: set to 1 if accelerations depend on a value that they changed. */
Outcome run_actions(const Model *model, State *state, EventWork *work, int number, const Actions *actions, int *has_changed,
                    Integration *result);

/* call the hook and the handler of one event */
Outcome handle_event(const Model *model, State *state, EventWork *work, int number, int direction, Integration *result);

/* Take the samples that are due, by work->due. Until all of them are taken, nothing that depends on them is computed again, so that all
 * of one time read the same State. last: set to the number of the last one, if there is one. */
Outcome take_due_samples(const Model *model, State *state, EventWork *work, int *last, Integration *result);

/* handle all events of a cause; then project the State and determine contacts */
Outcome handle_events_of_cause(const Model *model, State *state, EventWork *work, Cause cause, Integration *result);

/* run the actions of CAUSE_OBSERVATION, which store values of the State */
Outcome observe_state(const Model *model, State *state, EventWork *work, Integration *result);

/* After handlers: normalize quaternions, project the State onto its constraints, compute impacts and determine active contacts. */
Outcome project_and_resolve(const Model *model, State *state, EventWork *work, int number, Integration *result);

#endif
