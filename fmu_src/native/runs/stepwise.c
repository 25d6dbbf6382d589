#include "stepwise.h"
#include "elementary.h"
#include "evaluation.h"
#include "host.h"
#include "reports.h"
#include "set_between_steps.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

void simulation_set(Simulation *simulation, int n, const int *at, const double *values, int stage) {
    for (int i = 0; i < n; i++)
        if (set_number(simulation->model, simulation->state, at[i], values[i], stage) && stage <= STAGE_VELOCITY)
            simulation->state->was_set = 1;
}

/* copy what undo needs: if a host computes numbers, it is not called again for them */
static void copy_for_undo(const Model *model, State *to, const State *from) {
    (from->hooks ? copy_whole_state : copy_variables)(model, to, from);
}

int simulation_keep(Simulation *simulation) {
    if (!simulation->before && !(simulation->before = malloc(state_size(simulation->model))))
        return 0;
    copy_for_undo(simulation->model, simulation->before, simulation->state);
    save_by_host(simulation->state);
    simulation->work.n_tried = 0;
    return 1;
}

void simulation_undo(Simulation *simulation) {
    copy_for_undo(simulation->model, simulation->state, simulation->before);
    restore_by_host(simulation->state);
    if (simulation->work.events)
        simulation->work.events->resolves_contacts = 0;
}

/* whether all numbers of y are directions: a quaternion that is zero is none; then `result` describes it */
static int normalize(Simulation *simulation, Integration *result) {
    const Model *model = simulation->model;
    if (!model->n_quaternions)
        return 1;
    int no_direction = normalize_quaternions(model, simulation->state->w);
    invalidate(simulation->state, STAGE_POSITION);
    if (no_direction < 0)
        return 1;
    result->outcome = ZERO_QUATERNION;
    result->culprit = no_direction;
    return 0;
}

/* Project the state that was set onto the constraints. given: NULL, or [n_y] y before that, with what motions and locks determine */
static int satisfy(Simulation *simulation, double *given, Integration *result) {
    const Model *model = simulation->model;
    State *state = simulation->state;
    if (given) {
        realize(model, state, STAGE_VELOCITY);
        memcpy(given, state->w + model->y_at, (size_t)y_size(model) * sizeof(double));
    }
    if (has_constraints(model)) {
        Projection projection = project_what_was_set(model, state, simulation->work.events);
        if (!projection.is_done && !state->stopped) {
            result->outcome = NOT_PROJECTED;
            result->culprit = projection.constraint;
            result->value = projection.error;
        }
    }
    if (!state->stopped && result->outcome == INTEGRATED)
        state->was_set = 0;
    return result->outcome == INTEGRATED;
}

/* make the state that was set one from which steps can begin */
static int prepare(Simulation *simulation, double *given, Integration *result) {
    const Model *model = simulation->model;
    State *state = simulation->state;
    result->time = state->w[model->time_at];
    if (!normalize(simulation, result))
        return 0;
    if (!simulation->of_fixed_steps)
        return satisfy(simulation, given, result);
    if (is_at_end_of_fixed_step(model, state)) {
        state->was_set = 0;
        return 1;
    }
    if (!satisfy(simulation, given, result))
        return 0;
    result->outcome = begin_fixed_steps(model, state, &simulation->fixed_steps, simulation->of_fixed_steps, result);
    return result->outcome == INTEGRATED;
}

void simulation_prepare(Simulation *simulation, double *given, Progress *progress) {
    Integration result = {.outcome = INTEGRATED};
    memcpy(given, simulation->state->w + simulation->model->y_at, (size_t)y_size(simulation->model) * sizeof(double));
    if (simulation->state->was_set)
        prepare(simulation, given, &result);
    *progress = progress_of(simulation, result);
}

int count_down(void *observer, double t, double t_new, const Work *work) {
    Simulation *simulation = observer;
    (void)t;
    (void)t_new;
    (void)work;
    return --simulation->n_steps_left > 0 && !wants_tangents(simulation);
}

int begin_advance(Simulation *simulation, int n_steps, Integration *result) {
    simulation->n_rows = simulation->n_not_projected = 0;
    simulation->n_steps_left = n_steps;
    simulation->work.inside_from = INFINITY;
    *result = (Integration){.outcome = INTEGRATED};
    return !simulation->state->was_set || prepare(simulation, NULL, result);
}

Progress end_advance(Simulation *simulation, Integration result) {
    simulation->n_steps += result.n_steps;
    simulation->n_evaluations += result.n_evaluations;
    return progress_of(simulation, result);
}

int simulation_advance(Simulation *simulation, double t_end, int n_steps, Progress *progress) {
    const Model *model = simulation->model;
    State *state = simulation->state;
    double t = state->w[model->time_at];
    Integration result;
    if (begin_advance(simulation, n_steps, &result)) {
        if (simulation->of_fixed_steps)
            result = take_fixed_steps(model, state, &simulation->fixed_steps, simulation->of_fixed_steps, t, t_end, 1,
                                      count_fixed_steps(&simulation->fixed_steps, t, t_end));
        else
            result = integrate(model, state, &simulation->work, t_end, count_down, simulation);
    }
    *progress = end_advance(simulation, result);
    return !(progress->integration.outcome == INTEGRATED && state->w[model->time_at] == t_end &&
             simulation_has_reached(simulation, t_end) && !progress->is_at_event && !progress->wants_tangents);
}

int simulation_step(Simulation *simulation, double t_start, double t_end, int n_steps, Progress *progress) {
    if (simulation_time(simulation) != t_start || !(t_end > t_start) || !simulation_keep(simulation))
        return -1;
    return simulation_advance(simulation, simulation_end_near(simulation, t_end), n_steps, progress);
}

int simulation_output(const Simulation *simulation, int n_calls, const KernelCalls *calls, double *scratch, double *copy, int n_copied,
                      int n_out, const int *out_at, double *out) {
    const double *w = simulation->state->w;
    if (n_calls) {
        memcpy(copy, w, (size_t)n_copied * sizeof(double));
        w = copy;
    }
    for (int i = 0; i < n_calls; i++) {
        Call call = {.w = copy, .scratch = scratch};
        int status = call_kernels(calls[i].sweep, calls[i].kernels, &call, copy);
        if (status)
            return status;
    }
    for (int i = 0; i < n_out; i++)
        out[i] = w[out_at[i]];
    return 0;
}

double simulation_time(const Simulation *simulation) { return simulation->state->w[simulation->model->time_at]; }

size_t simulation_size(const Simulation *simulation) { return packed_size(simulation->model); }

void simulation_save(const Simulation *simulation, char *bytes) { pack_state(simulation->model, bytes, simulation->state); }

void simulation_restore(Simulation *simulation, const char *bytes) {
    State *state = simulation->state;
    uint64_t host = state->host, hooks = state->hooks; /* stay those of this simulation */
    unpack_state(simulation->model, state, bytes);
    state->host = host;
    state->hooks = hooks;
}
