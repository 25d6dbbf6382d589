#include "instance.h"
#include "auto_updates.h"
#include "consistency.h"
#include "contacts.h"
#include "delays.h"
#include "elementary.h"
#include "events.h"
#include "handler_actions.h"
#include "host.h"
#include "logging.h"
#include "projection.h"
#include "rows.h"
#include "tree.h"

#include <float.h>
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
    if (!allocate_work(&instance->work, model, interface->integrator) || !instance->name || !instance->w_before || !instance->dw ||
        !instance->state || (interface->fixed_steps && !instance->of_fixed_steps)) {
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

/* the allowed difference of two values of the same time: the host may sum up steps while the instance does not */
static const double TIME_ROUND_OFF = 1e-9; /* relative to a step */
static double time_slack(double time, double step) { return 64 * DBL_EPSILON * fabs(time) + TIME_ROUND_OFF * step; }

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
    set_tolerance(state, tolerance ? *tolerance : instance->interface->tolerance);
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

/* log_error; or log_failed_step, if a shorter step can succeed */
typedef Status LogFailure(const Instance *instance, const char *format, ...);

/* log which constraints contradict each other in the last evaluation, if any do */
static Status log_contradictions(const Instance *instance, double time, LogFailure *log_as) {
    const RowTable *rows = instance->model->rows;
    char names[512];
    double miss;
    if (!rows || !contradictions(rows, instance->state->w, names, sizeof names, &miss))
        return STATUS_OK;
    return log_as(instance,
                  "at time %.15g s constraints contradict each other: no accelerations satisfy all of %s; the nearest accelerations "
                  "violate them by %.3g "
                  "in the unit of the error per s^2. Remove or disable one of them, or make their prescribed motions agree.",
                  time, names, miss);
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

/* log the failure of an event */
static Status log_event_failure(const Instance *instance, const Integration *failure) {
    const Model *model = instance->model;
    const char *event = model->events->events[failure->culprit].name;
    double time = failure->time, value = failure->value;
    switch (failure->outcome) {
    case CONTACT_OUTSIDE:
        return log_error(instance,
                         "at time %.15g s '%s' is outside its limit: its distance is %g, and must not be below zero. Start from a state "
                         "without distances below "
                         "zero, and let event handlers set only such states.",
                         time, event, value);
    case CONTACT_UNSOLVED:
        return log_error(instance,
                         "at time %.15g s the impulses or forces of unilateral constraints cannot be computed: '%s' contradicts other "
                         "constraints. Look for a motion or a lock that drives its distance below zero.",
                         time, event);
    case CONTACT_NOT_PROJECTED:
        return log_error(
            instance,
            "at time %.15g s constraint '%s' cannot be satisfied together with the active unilateral constraints: an error of %g "
            "remains. Look for constraints that contradict the active limits.",
            time, constraint_name(model, failure->constraint), value);
    case CONTACT_CHATTERING:
        return log_error(
            instance,
            "at time %.15g s contact '%s' chatters: it opens and closes again and again, and a larger capture speed does not stop "
            "it. Give it a restitution of 0 or a compliance.",
            time, event);
    case WITNESS_NOT_A_NUMBER:
        return contact_of(model, failure->culprit)
                   ? log_error(instance,
                               "at time %.15g s the distance or the force of '%s' is not a number. Look for a joint at a singularity of "
                               "its coordinates.",
                               time, event)
                   : log_error(
                         instance,
                         "at time %.15g s the witness of event '%s' is not a number. Look for a division by zero or a value outside of "
                         "a function's domain.",
                         time, event);
    case EVENT_CHATTERING:
        return log_error(
            instance,
            "at time %.15g s event '%s' chatters: it occurs again and again, last after %g s. Let its handler stop the repetition "
            "when the changes become small.",
            time, event, value);
    case HANDLER_OUT_OF_BOUNDS:
        return log_error(instance, "at time %.15g s the handler of event '%s' sets '%s' to %g. Its value must be from %g to %g.", time,
                         event, model->events->bounds[failure->constraint].name, value, model->events->bounds[failure->constraint].least,
                         model->events->bounds[failure->constraint].greatest);
    case HANDLER_NOT_PROJECTED:
        return log_error(
            instance,
            "at time %.15g s the state after the handler of event '%s' does not satisfy constraint '%s', and the projection leaves "
            "an error of %g. Let the handler set values that nearly satisfy the constraints.",
            time, event, constraint_name(model, failure->constraint), value);
    case HANDLER_IMPULSE:
        return log_error(instance,
                         "at time %.15g s no impulse by event '%s' along constraint '%s' gives the velocity errors that its restitution "
                         "requires. The constraint contradicts other ones, or its bodies have prescribed motions or no mass.",
                         time, event, constraint_name(model, failure->constraint));
    case HANDLER_SCHEDULES_PAST:
        return log_error(instance, "at time %.15g s event '%s' schedules its next time at %.15g s, which is not later than now.", time,
                         event, value);
    default:
        return log_error(instance,
                         "at time %.15g s the handler of event '%s' sets a value that is not finite: %g. Look for a division by zero or a "
                         "value outside of a function's domain.",
                         time, event, value);
    }
}

#define STATE_IS_KEPT "The state from before this call, at %.15g s, is kept."

/* log why an integration failed */
static Status log_failure(const Instance *instance, const Integration *failure, LogFailure *log_as) {
    const Model *model = instance->model;
    double time = failure->time, kept = instance->w_before[model->time_at];
    int culprit = failure->culprit;
    Status contradiction;
    if (instance->state->stopped)
        return STATUS_ERROR; /* see check_not_stopped */
    if (failure->outcome >= WITNESS_NOT_A_NUMBER)
        return log_event_failure(instance, failure);
    switch (failure->outcome) {
    case NOT_FINITE:
        if ((contradiction = log_contradictions(instance, time, log_as)) != STATUS_OK)
            return contradiction;
        return log_as(instance,
                      "at time %.15g s the derivative of '%s' is %g, even with the smallest step. " STATE_IS_KEPT
                      " Look for a division by zero or a value outside of a function's domain.",
                      time, model->y_names[culprit], failure->value, kept);
    case TOO_INACCURATE:
        return log_as(instance,
                      "at time %.15g s even a step of %g s is not accurate enough: the error of '%s' is %g times the limit of the "
                      "tolerance %g. " STATE_IS_KEPT " Look for a discontinuity or a very stiff element, or use a larger tolerance.",
                      time, failure->step_size, model->y_names[culprit], failure->value, instance->state->tolerance, kept);
    case NOT_PROJECTED:
        return log_as(
            instance,
            "at time %.15g s constraint '%s' is not satisfied, even with the smallest step: an error of %g remains. " STATE_IS_KEPT
            " Look for constraints that contradict each other, or for a closed loop that is blocked.",
            time, constraint_name(model, culprit), failure->value, kept);
    case MOVED_TOO_FAR:
        return log_as(instance,
                      "at time %.15g s constraint '%s' changes '%s' by %g after a step, even after the smallest one. This is too "
                      "inaccurate. " STATE_IS_KEPT
                      " Look for a configuration where a closed loop can continue in several ways, such as all bars in line. "
                      "Near it, speeds are accurate only to about 1e-8. Use a tolerance of 1e-8 or larger, or keep the loop away from this "
                      "configuration by bars of other lengths or by a limit.",
                      time, model->rows->blocks[failure->constraint].name, model->y_names[culprit], failure->value, kept);
    case HISTORY_FULL:
        return log_as(instance,
                      "at time %.15g s the record of delay '%s' is full: it has %d entries for %g s. Export the model with a larger "
                      "capacity, Delay(..., capacity=%d), or use a larger tolerance.",
                      time, model->delays->delays[culprit].name, model->delays->delays[culprit].capacity,
                      model->delays->delays[culprit].delay, 2 * model->delays->delays[culprit].capacity);
    case UPDATE_NOT_FINITE:
        return log_as(instance,
                      "at time %.15g s the next value of '%s' is %g. " STATE_IS_KEPT
                      " Look for a division by zero or a value outside of a function's domain.",
                      time, model->auto_updates->updates[culprit].name, failure->value, kept);
    case TOO_MANY_STEPS:
        return log_as(
            instance,
            "%.0f integration steps were tried, up to %.15g s, and 'max_steps' allows no more. The next step would be %.3g s long; "
            "the error of '%s' is the largest. " STATE_IS_KEPT " Look for stiffness, damping or events that require short steps. Use "
            "shorter communication steps or a larger tolerance, or increase 'max_steps'.",
            failure->value, time, failure->step_size, culprit < y_size(model) ? model->y_names[culprit] : "", kept);
    case STEP_NOT_FINITE:
        if ((contradiction = log_contradictions(instance, time, log_as)) != STATUS_OK)
            return contradiction;
        return log_as(instance,
                      "at time %.15g s '%s' is %g after a step. " STATE_IS_KEPT
                      " Look for forces that are not finite. Stiff forces need shorter steps: export the FMU with shorter ones.",
                      time, model->y_names[culprit], failure->value, kept);
    case STEP_UNSOLVED:
        return log_as(instance,
                      "at time %.15g s the impulses of constraints cannot be computed, because of round-off at constraint '%s'. Look for "
                      "constraints that nearly depend on each other.",
                      time, model->rows->blocks[culprit].name);
    default:
        return log_as(instance, "at time %.15g s the quaternion that begins with '%s' is zero. " STATE_IS_KEPT, time,
                      model->y_names[model->quaternions[culprit] - model->y_at], kept);
    }
}

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

/* log the impacts of unknown order since the call began, as warnings or as an error */
static Status log_ambiguous_impacts(const Instance *instance) {
    double time = -INFINITY;
    char names[512];
    while (next_ambiguous_impacts(instance->model, instance->w_before, instance->state->w, &time, names, sizeof names)) {
        int is_error = instance->interface->ambiguous_is_an_error;
        (is_error ? log_error : log_warning)(
            instance,
            "at time %.15g s impacts of %s follow each other too fast to tell their order. The later motion depends on this order, and so "
            "it may "
            "depend on the tolerance. Compare with a run at another tolerance. The motion is unique with a restitution of 0 or with "
            "compliant limits.",
            time, names);
        if (is_error)
            return STATUS_ERROR;
    }
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
    if (fabs(start_time - time) > time_slack(time, step))
        return log_error(instance, "the step begins at %.15g s, but the model is at %.15g s.", start_time, time);
    if (!(end_time > time))
        return log_error(instance, "a step of %g s is too short to change the time, %.15g s.", step, time);
    const double max_steps = state->w[instance->interface->max_steps_at];
    if (instance->of_fixed_steps && !(step / instance->interface->fixed_steps->step <= max_steps * (1 + TIME_ROUND_OFF)))
        return log_error(instance,
                         "a communication step of %g s needs %.15g fixed steps of %g s, and 'max_steps' allows %.0f. Use shorter "
                         "communication steps, or "
                         "increase 'max_steps'.",
                         step, ceil(step / instance->interface->fixed_steps->step), instance->interface->fixed_steps->step, max_steps);
    if (state->has_stop && end_time - state->stop_time > time_slack(state->stop_time, step))
        return log_error(instance, "the step ends at %.15g s, after the stop time, %.15g s.", end_time, state->stop_time);

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
    if (logs(instance, LOG_STEPS) && instance->of_fixed_steps)
        log_steps(instance, "to %.15g s in %d steps.", state->w[model->time_at], integration.n_steps);
    else if (logs(instance, LOG_STEPS))
        log_steps(instance, "to %.15g s in %d steps, %d refused; the next one is %g s.", state->w[model->time_at], integration.n_steps,
                  integration.n_refused, state->step_size);
    return is_terminated(model, state) ? log_termination(instance) : STATUS_OK;
}
