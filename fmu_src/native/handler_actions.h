/* What handlers do, and what follows from what they set.
 *
 * Functions that return an Outcome return INTEGRATED, or say in result why a handler failed. */
#ifndef MOBOD_HANDLER_ACTIONS_H
#define MOBOD_HANDLER_ACTIONS_H

#include "contacts.h"
#include "events.h"

#include <float.h>

/* the time of what is not scheduled */
#define NEVER DBL_MAX

static inline double time_of(const Model *model, const State *state) { return state->w[model->time_at]; }

static inline double *memory_of(const Event *event, State *state) { return state->w + event->memory; }

static inline int is_enabled(const Event *event, const State *state) { return state->w[event->enabled] != 0; }

/* An event that is handled by code of the host (host.h), for what this asks of the runtime meanwhile. */
typedef struct HandlerCall {
    const Model *model;
    State *state;
    EventWork *work;
    int number;       /* of the event */
    int *has_changed; /* whether accelerations depend on what was set */
    Integration *result;
    Outcome outcome; /* INTEGRATED, or why an action failed: nothing more may be asked for then */
} HandlerCall;

/* The host has set numbers of w, the earliest of which `stage` depends on. */
void note_change_by_host(HandlerCall *call, int stage);

/* Each returns call->outcome. */

/* bring the State to where quaternions have unit length and constraints hold; realizes it to STAGE_VELOCITY */
Outcome project_for_host(HandlerCall *call);

/* an impulse along the rows of a constraint, by its number; restitution: one for each row */
Outcome apply_impulse_for_host(HandlerCall *call, int constraint, const double *restitution);

/* an event failed: sets result, and returns the outcome */
Outcome event_failed(Outcome outcome, const Model *model, const State *state, int event, double value, Integration *result);

/* the unilateral row whose event it is, or NULL */
const Contact *contact_of(const Model *model, int event);

/* what a handler, or what schedules it, does; has_changed: whether accelerations depend on what it set */
Outcome run_actions(const Model *model, State *state, EventWork *work, int number, const Actions *actions, int *has_changed,
                    Integration *result);

/* one event, with what watches it */
Outcome handle_event(const Model *model, State *state, EventWork *work, int number, int direction, Integration *result);

/* all events of a cause, and what follows */
Outcome handle_events_of_cause(const Model *model, State *state, EventWork *work, Cause cause, Integration *result);

/* remember what the State is */
Outcome observe_state(const Model *model, State *state, EventWork *work, Integration *result);

/* bring what handlers left to where quaternions have unit length and constraints hold; then what is held, and impacts */
Outcome project_and_resolve(const Model *model, State *state, EventWork *work, int number, Integration *result);

#endif
