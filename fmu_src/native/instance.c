#include "instance.h"
#include "elementary.h"
#include "events.h"
#include "failure_messages.h"
#include "host.h"
#include "logging.h"
#include "numerics.h"
#include "projection.h"
#include "step_grid.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------------------ birth and death */

Instance *create_instance(const Model *model, const Interface *interface, const char *name, Host host) {
    Instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return NULL;
    instance->model = model;
    instance->interface = interface;
    instance->host = host;
    instance->log_categories = LOG_ALWAYS;
    instance->name = malloc(strlen(name) + 1);
    instance->w_before = calloc((size_t)model->n_w, sizeof(double));
    instance->dw = calloc((size_t)model->n_w, sizeof(double));
    instance->state = malloc(state_size(model));
    instance->of_fixed_steps = interface->fixed_steps ? create_velocity_level_work(model) : NULL;
    int integrator = (int)interface->numerics[NUMERICS_INTEGRATOR];
    /* the host may choose an implicit integrator later */
    if (!allocate_work(&instance->work, model, integrator == INTEGRATOR_RODAS5P ? integrator : INTEGRATOR_AUTO) || !instance->name ||
        !instance->w_before || !instance->dw || !instance->state || (interface->fixed_steps && !instance->of_fixed_steps)) {
        free_instance(instance);
        return NULL;
    }
    strcpy(instance->name, name);
    reset_state(instance->state, model, interface);
    return instance;
}

void free_instance(Instance *instance) {
    free(instance->name);
    free(instance->w_before);
    free(instance->dw);
    free_work(&instance->work);
    free_velocity_level_work(instance->of_fixed_steps);
    free(instance->state);
    free(instance);
}

/* ------------------------------------------------------------------------------------------------------------------- initialization */

Status set_up_experiment(Instance *instance, double start_time, const double *stop_time, const double *tolerance) {
    State *state = instance->state;
    if (!isfinite(start_time))
        return log_error(instance, "the start time is %g s; give a finite one.", start_time);
    if (stop_time && !(isfinite(*stop_time) && *stop_time > start_time))
        return log_error(instance, "the stop time, %.15g s, is not after the start time, %.15g s.", *stop_time, start_time);
    if (tolerance && !(*tolerance >= LEAST_TOLERANCE && *tolerance < 1))
        return log_error(instance, "the tolerance is %g; give one from 1e-14, below which round-off is larger, to below 1.", *tolerance);

    state->w[instance->model->time_at] = start_time;
    invalidate(state, STAGE_TIME);
    state->has_start = 1;
    state->has_stop = stop_time != NULL;
    state->stop_time = stop_time ? *stop_time : 0;
    state->experiment_tolerance = tolerance ? *tolerance : instance->interface->tolerance;
    return STATUS_OK;
}

Status enter_initialization(Instance *instance) {
    if (!instance->state->has_start)
        return log_error(instance, "the start time is not set; set up the experiment first.");
    instance->state->mode = MODE_INITIALIZATION;
    return STATUS_OK;
}

Status check_not_stopped(Instance *instance) {
    State *state = instance->state;
    if (!state->stopped)
        return STATUS_OK;
    state->stopped = 0;
    return log_error(instance, "at time %.15g s a callback function of the model has failed.", state->w[instance->model->time_at]);
}

/* project the state onto the constraints after the host has set values; state_name: for messages */
static Status satisfy_constraints(Instance *instance, const char *state_name) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (!has_constraints(model))
        return STATUS_OK;
    if (model->contacts) {
        release_contacts(model, state);
        instance->work.events->resolves_contacts = 1;
    }
    Projection projection = project(model, state, state->constraint_tolerance);
    if (state->stopped)
        return STATUS_ERROR;
    if (!projection.is_done)
        return log_error(instance,
                         "the %s does not satisfy constraint '%s': its %s error is %g, and no projection reduces it below %g. "
                         "Give values that nearly satisfy it.",
                         state_name, constraint_name(model, projection.constraint), projection.of_velocity ? "velocity" : "position",
                         projection.error, state->constraint_tolerance);
    state->was_set_by_host = 0;
    realize(model, state, STAGE_ACCELERATION);
    return log_contradictions(instance, state->w[model->time_at], log_error);
}

/* ------------------------------------------------------------------------------------------------------------------------------ step */

/* whether a step changes more of w than time and y: events, records of delays, updated variables, or a host */
static int changes_all_of_w(const Instance *instance) {
    const Model *model = instance->model;
    return model->events || model->delays || model->auto_updates || instance->state->hooks;
}

/* save time and y, or all of w if more of it may change */
static void save_w(Instance *instance) {
    const Model *model = instance->model;
    const double *w = instance->state->w;
    size_t n = (size_t)(changes_all_of_w(instance) ? model->n_w : y_size(model));
    memcpy(instance->w_before + (changes_all_of_w(instance) ? 0 : model->y_at), w + (changes_all_of_w(instance) ? 0 : model->y_at),
           n * sizeof(double));
    instance->w_before[model->time_at] = w[model->time_at];
    save_by_host(instance->state);
}

static void restore_w(Instance *instance) {
    const Model *model = instance->model;
    double *w = instance->state->w;
    size_t n = (size_t)(changes_all_of_w(instance) ? model->n_w : y_size(model));
    memcpy(w + (changes_all_of_w(instance) ? 0 : model->y_at), instance->w_before + (changes_all_of_w(instance) ? 0 : model->y_at),
           n * sizeof(double));
    w[model->time_at] = instance->w_before[model->time_at];
    invalidate(instance->state, changes_all_of_w(instance) ? STAGE_INSTANCE : STAGE_TIME);
    restore_by_host(instance->state);
}

/* relative to 1 + |q|: a start that is moved further was not close to its limits; as in engine/mobod/simulate/projection.py */
static const double MOVED = 0.01;

/* log a warning if limits have moved coordinates far from their start values, q [n_q] */
static void warn_if_moved(const Instance *instance, const double *q) {
    const double *now = instance->state->w + instance->model->y_at;
    double furthest = MOVED;
    int worst = -1;
    for (int i = 0; i < instance->model->n_q; i++) {
        double moved = fabs(now[i] - q[i]) / (1 + fabs(q[i]));
        if (moved > furthest) {
            furthest = moved;
            worst = i;
        }
    }
    if (worst >= 0)
        log_warning(instance, "the start was outside of its limits, and was moved: '%s' from %.6g to %.6g.",
                    instance->model->y_names[worst], q[worst], now[worst]);
}

/* Begin fixed steps, at the start or after a value was set. A state at the end of a fixed step is not changed. */
static Status start_fixed_steps(Instance *instance, const char *state_name) {
    const Model *model = instance->model;
    if (is_at_end_of_fixed_step(model, instance->state))
        instance->state->was_set_by_host = 0;
    else if (satisfy_constraints(instance, state_name) != STATUS_OK)
        return STATUS_ERROR;
    double *q = instance->of_fixed_steps->y;
    memcpy(q, instance->state->w + model->y_at, (size_t)model->n_q * sizeof(double));
    Integration result = {.outcome = INTEGRATED};
    result.outcome = begin_fixed_steps(model, instance->state, instance->interface->fixed_steps, instance->of_fixed_steps, &result);
    if (result.outcome != INTEGRATED)
        return log_failure(instance, &result, log_error);
    warn_if_moved(instance, q);
    return STATUS_OK;
}

static Status start_events(Instance *instance) {
    Integration result = {.outcome = INTEGRATED};
    result.outcome = begin_events(instance->model, instance->state, instance->work.events, &result);
    if (result.outcome == INTEGRATED)
        result.outcome = process_events(instance->model, instance->state, instance->work.events, 0, &result);
    if (instance->state->stopped)
        result.outcome = KERNEL_STOPPED;
    return result.outcome == INTEGRATED ? log_ambiguous_impacts(instance) : log_failure(instance, &result, log_error);
}

Status exit_initialization(Instance *instance) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (apply_numerics(instance) != STATUS_OK)
        return STATUS_ERROR;
    int no_direction = normalize_quaternions(model, state->w);
    if (no_direction >= 0) {
        show_initial_conditions(model, state->w);
        const char *first = model->y_names[model->quaternions[no_direction] - model->y_at];
        return log_error(instance, "the quaternion that begins with '%s' is zero. Give its start values a direction.", first);
    }
    if (model->n_quaternions)
        invalidate(state, STAGE_POSITION);
    save_w(instance);
    Status status = instance->of_fixed_steps ? start_fixed_steps(instance, "start") : satisfy_constraints(instance, "start");
    if (status == STATUS_OK && instance->work.events && !instance->of_fixed_steps)
        status = start_events(instance);
    if (check_not_stopped(instance) != STATUS_OK || status != STATUS_OK) {
        restore_w(instance);
        show_initial_conditions(model, state->w);
        return status;
    }
    state->mode = MODE_STEP;
    return STATUS_OK;
}

Status terminate(Instance *instance) {
    Integration result = {.outcome = INTEGRATED};
    if (instance->work.events)
        result.outcome = end_events(instance->model, instance->state, instance->work.events, &result);
    instance->state->mode = MODE_TERMINATED;
    if (check_not_stopped(instance) != STATUS_OK)
        return STATUS_ERROR;
    return result.outcome == INTEGRATED ? STATUS_OK : log_failure(instance, &result, log_error);
}

static Status log_termination(const Instance *instance) {
    const EventTable *events = instance->model->events;
    const double *w = instance->state->w, number = w[events->shared + SHARED_TERMINATED];
    const char *name = number >= 1 && number <= events->n_names ? events->names[(int)number - 1] : "";
    return log_discard(instance, "event '%s' has ended the simulation, at %.15g s.", name, w[instance->model->time_at]);
}

/* integrate to the end of a communication step; after the host has set values, project the state first */
static Integration advance_to(Instance *instance, double end_time, Status *status) {
    const Model *model = instance->model;
    const FixedSteps *steps = instance->interface->fixed_steps;
    State *state = instance->state;
    const char *state_name = "state at the start of the step";
    *status = !state->was_set_by_host ? STATUS_OK
              : steps                 ? start_fixed_steps(instance, state_name)
                                      : satisfy_constraints(instance, state_name);
    if (*status != STATUS_OK)
        return (Integration){.outcome = INTEGRATED};
    if (!steps)
        return integrate(model, state, &instance->work, end_time, NULL, NULL);
    double time = state->w[model->time_at];
    return take_fixed_steps(model, state, steps, instance->of_fixed_steps, time, end_time, 1, count_fixed_steps(steps, time, end_time));
}

/* the time that a failed integration reached */
static double reached_time(const Instance *instance, const Integration *integration) {
    const FixedSteps *steps = instance->interface->fixed_steps;
    double start = instance->w_before[instance->model->time_at];
    return steps ? start + (integration->n_steps - 1) * steps->step : instance->state->w[instance->model->time_at];
}

/* Whether a step that ends before the failure can succeed. Errors of handlers, witnesses and unilateral rows are not of this kind; a
 * full record of a delay requires another export. */
static int depends_on_step(Outcome outcome) { return outcome < WITNESS_NOT_A_NUMBER && outcome != HISTORY_FULL; }

/* end a failed step that no shorter step can replace */
static Status fail_step(Instance *instance, Status status) {
    restore_w(instance);
    instance->state->mode = MODE_ERROR;
    return status;
}

Status do_step(Instance *instance, double start_time, double step) {
    const Model *model = instance->model;
    State *state = instance->state;
    double time = state->w[model->time_at], end_time = start_time + step;

    /* check the start and the end */
    if (!isfinite(start_time) || !(step > 0) || !isfinite(end_time))
        return log_error(instance, "a step of %g s from %.15g s is not possible; give finite numbers, and a step above zero.", step,
                         start_time);
    if (is_terminated(model, state))
        return log_termination(instance);
    if (fabs(start_time - time) > time_slack(time, fmax(step, state->fixed_step)))
        return log_error(instance, "the step begins at %.15g s, but the model is at %.15g s.", start_time, time);
    if (!(end_time > time))
        return log_error(instance, "a step of %g s is too short to change the time, %.15g s.", step, time);
    const double max_steps = state->w[instance->interface->numerics_at + NUMERICS_MAX_STEPS];
    if (instance->of_fixed_steps && !(step / instance->interface->fixed_steps->step <= max_steps * (1 + TIME_ROUND_OFF)))
        return log_error(instance,
                         "a communication step of %g s needs %.15g fixed steps of %g s, and 'max_steps' allows %.0f. Use shorter "
                         "communication steps, or "
                         "increase 'max_steps'.",
                         step, ceil(step / instance->interface->fixed_steps->step), instance->interface->fixed_steps->step, max_steps);
    if (state->has_stop && end_time - state->stop_time > time_slack(state->stop_time, step))
        return log_error(instance, "the step ends at %.15g s, after the stop time, %.15g s.", end_time, state->stop_time);

    if (apply_numerics(instance) != STATUS_OK)
        return STATUS_ERROR;
    double end_on_grid = time_on_grid(state, end_time);
    end_time = end_on_grid > time ? end_on_grid : end_time;
    save_w(instance);
    instance->work.n_tried = 0;
    instance->work.max_steps = (int64_t)max_steps;

    /* a constraint may have been enabled since the last step */
    Status status;
    Integration integration = advance_to(instance, end_time, &status);
    if (check_not_stopped(instance) != STATUS_OK)
        return fail_step(instance, STATUS_ERROR);
    if (status != STATUS_OK || integration.outcome != INTEGRATED) {
        if (status != STATUS_OK)
            return fail_step(instance, status);
        double reached = reached_time(instance, &integration);
        if (!(reached > time) || !depends_on_step(integration.outcome))
            return fail_step(instance, log_failure(instance, &integration, log_error));
        log_failure(instance, &integration, log_failed_step);
        restore_w(instance);
        state->mode = MODE_STEP_FAILED;
        state->last_good_time = reached;
        return log_failed_step(instance, "a step to %.15g s is possible, from a state that was saved before this step.", reached);
    }
    if (log_ambiguous_impacts(instance) != STATUS_OK)
        return fail_step(instance, STATUS_ERROR);
    if (logs(instance, LOG_STEPS) && (instance->of_fixed_steps || has_fixed_steps(state)))
        log_steps(instance, "to %.15g s in %d steps.", state->w[model->time_at], integration.n_steps);
    else if (logs(instance, LOG_STEPS))
        log_steps(instance, "to %.15g s in %d steps, %d refused; the next one is %g s.", state->w[model->time_at], integration.n_steps,
                  integration.n_refused, state->step_size);
    return is_terminated(model, state) ? log_termination(instance) : STATUS_OK;
}
