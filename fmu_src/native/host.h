/* What a State's host does for the runtime: it runs code of its own, and keeps what w cannot hold, such as values that are no numbers.
 *
 * A native FMU has no host. A process of Python is one, for runs and for FMUs that it carries. */
#ifndef MOBOD_HOST_H
#define MOBOD_HOST_H

#include "exported.h"
#include "state.h"

struct HandlerCall;

/* what an event handler of the host is asked for */
enum { ROLE_HANDLE, ROLE_NEXT_TIME, ROLE_START_TIME };

/* `host` is State.host. A hook that is NULL does nothing. Each returns 0, or another number, which stops the run as a kernel that fails
 * does. */
typedef struct {
    /* A step begins at the time and y of w: the host may change discrete variables, in w and beside it. It sets *invalidated to the
     * earliest stage that depends on what it changed. Called once for a step; not again where the step is taken again, shorter. Not
     * called for a model that has Model.auto_updates. */
    int (*begin_step)(void *host, double *w, int *invalidated);

    /* What event number `event` does that runs as code of the host (ROLE_...): its handler, or the next time at which it happens, after
     * now or now or later, which is written to its memory. What it asks of the runtime meanwhile goes by `call`, see handler_actions.h. */
    int (*handle)(void *host, struct HandlerCall *call, int event, int role, double *w);

    /* The witness of event number `event`, of those whose Event.is_called is set, at the time and y of w. */
    int (*witness)(void *host, int event, double *w, double *value);

    /* Remember what w cannot hold; and go back to what was remembered last. w goes back at the same time. */
    int (*save)(void *host);
    int (*restore)(void *host);
} HostHooks;

MOBOD_API void set_host(State *state, void *host, const HostHooks *hooks);

/* Each returns 0, or what stopped it. */

/* invalidated: the earliest stage that depends on what the host changed, N_STAGES if it changed nothing; it is for the caller to note */
int begin_step_of_host(State *state, int *invalidated);
int handle_by_host(State *state, struct HandlerCall *call, int event, int role);
int witness_by_host(State *state, int event, double *value);
int save_by_host(State *state);
int restore_by_host(State *state);

#endif
