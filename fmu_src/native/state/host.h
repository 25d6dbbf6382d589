/* The services of a State's host for the runtime: it runs its own code, and stores values that w cannot hold, such as objects.
 *
 * A native FMU has no host. A Python process is a host, for runs and for FMUs that run Python code. */
#ifndef MOBOD_HOST_H
#define MOBOD_HOST_H

#include "exported.h"
#include "state.h"

struct HandlerCall;

/* what the host must do for an event: handle it, compute its next time, compute its first time */
enum { ROLE_HANDLE, ROLE_NEXT_TIME, ROLE_START_TIME };

/* `host` is State.host. A hook that is NULL does nothing. Each hook returns 0; any other number stops the run, as a failing kernel does. */
typedef struct {
    /* A step begins at the time and y in w. The host may change discrete variables, in w and in its own memory. It sets *invalidated to
     * the first stage that depends on a change. Called once for each step, and not again if the step is repeated with another length.
     * Not called for a model that has Model.auto_updates. */
    int (*begin_step)(void *host, double *w, int *invalidated);

    /* Run the host's code for event number `event` (ROLE_...): its handler; or the computation of its next time, after now, or at or
     * after now, which is written to the event's memory. The host uses `call` for requests to the runtime, see handler_actions.h. */
    int (*handle)(void *host, struct HandlerCall *call, int event, int role, double *w);

    /* Compute the witness of event number `event`, one with Event.is_called, at the time and y in w. */
    int (*witness)(void *host, int event, double *w, double *value);

    /* Save the values that w cannot hold; and restore the values that were saved last. The runtime saves and restores w at the same
     * time. */
    int (*save)(void *host);
    int (*restore)(void *host);
} HostHooks;

MOBOD_API void set_host(State *state, void *host, const HostHooks *hooks);

/* Each returns 0, or the result of the hook that stopped it. */

/* invalidated: the first stage that depends on the host's changes, N_STAGES if it changed nothing; the caller must invalidate it */
int begin_step_of_host(State *state, int *invalidated);
int handle_by_host(State *state, struct HandlerCall *call, int event, int role);
int witness_by_host(State *state, int event, double *value);
int save_by_host(State *state);
int restore_by_host(State *state);

#endif
