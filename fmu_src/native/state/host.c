#include "host.h"

static void *handle_of(const State *state) { return (void *)(uintptr_t)state->host; }

static const HostHooks *hooks_of(const State *state) { return (const HostHooks *)(uintptr_t)state->hooks; }

/* a hook that fails stops the run */
static int checked(State *state, int result) {
    if (result)
        state->stopped = result;
    return result;
}

void set_host(State *state, void *host, const HostHooks *hooks) {
    state->host = (uint64_t)(uintptr_t)host;
    state->hooks = (uint64_t)(uintptr_t)hooks;
}

int begin_step_of_host(State *state, int *invalidated) {
    const HostHooks *hooks = hooks_of(state);
    *invalidated = N_STAGES;
    if (!hooks || !hooks->begin_step || state->stopped)
        return state->stopped;
    return checked(state, hooks->begin_step(handle_of(state), state->w, invalidated));
}

int handle_by_host(State *state, struct HandlerCall *call, int event, int role) {
    const HostHooks *hooks = hooks_of(state);
    if (state->stopped)
        return state->stopped;
    return checked(state, hooks && hooks->handle ? hooks->handle(handle_of(state), call, event, role, state->w) : 1);
}

int witness_by_host(State *state, int event, double *value) {
    const HostHooks *hooks = hooks_of(state);
    if (state->stopped)
        return state->stopped;
    return checked(state, hooks && hooks->witness ? hooks->witness(handle_of(state), event, state->w, value) : 1);
}

int save_by_host(State *state) {
    const HostHooks *hooks = hooks_of(state);
    return hooks && hooks->save ? hooks->save(handle_of(state)) : 0;
}

int restore_by_host(State *state) {
    const HostHooks *hooks = hooks_of(state);
    state->stopped = 0;
    return hooks && hooks->restore ? hooks->restore(handle_of(state)) : 0;
}
