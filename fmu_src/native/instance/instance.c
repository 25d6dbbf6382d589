#include "instance.h"
#include "elementary.h"
#include "evaluation.h"
#include "events.h"
#include "failure_messages.h"
#include "logging.h"
#include "numerics.h"
#include "projection.h"
#include "rows.h"
#include "scales.h"
#include "set_between_steps.h"
#include "shown_start.h"
#include "start_changes.h"
#include "start_values.h"
#include "step_grid.h"
#include "tree.h"
#include "undo.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------------------ birth and death */

Instance *create_instance(const Model *model, const Interface *interface, const char *name, Importer importer) {
    Instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return NULL;
    instance->model = model;
    instance->interface = interface;
    instance->importer = importer;
    instance->log_categories = LOG_ALWAYS;
    instance->name = malloc(strlen(name) + 1);
    instance->w_before = calloc((size_t)model->n_w, sizeof(double));
    instance->state_before = calloc(1, sizeof(State));
    instance->dw = calloc((size_t)model->n_w, sizeof(double));
    instance->state = calloc(1, state_size(model));
    instance->whole_numbers = calloc((size_t)interface->n_variables + 1, sizeof(int));
    instance->inputs_at_start = calloc((size_t)interface->n_inputs + 1, sizeof(double));
    instance->given = calloc((size_t)y_size(model) + 1, sizeof(double));
    instance->flags = calloc((size_t)(model->rows ? model->rows->n_blocks : 0) + 1, sizeof(double));
    instance->of_fixed_steps = interface->fixed_steps ? create_velocity_level_work(model) : NULL;
    int integrator = (int)interface->numerics[NUMERICS_INTEGRATOR];
    /* the importer may choose an implicit integrator later */
    if (!allocate_work(&instance->work, model, is_implicit((Integrator)integrator) ? integrator : INTEGRATOR_AUTO) || !instance->name ||
        !instance->w_before || !instance->state_before || !instance->dw || !instance->whole_numbers || !instance->inputs_at_start ||
        !instance->given || !instance->flags || !instance->state || (interface->fixed_steps && !instance->of_fixed_steps)) {
        free_instance(instance);
        return NULL;
    }
    strcpy(instance->name, name);
    reset_state(instance->state, model, interface);
    return instance;
}

void set_interface_type(Instance *instance, InterfaceType type) {
    instance->state->interface_type = (int32_t)type;
    if (instance->work.events) {
        instance->work.events->leaves_events = type == CO_SIMULATION_WITH_EVENTS;
        instance->work.events->has_indicators = type == MODEL_EXCHANGE;
    }
}

void free_instance(Instance *instance) {
    free(instance->name);
    free(instance->w_before);
    free(instance->state_before);
    free(instance->dw);
    free(instance->whole_numbers);
    free(instance->inputs_at_start);
    free(instance->given);
    free(instance->flags);
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

/* remember y, with the coordinates and speeds that motions and locks determine */
static void note_given(Instance *instance) {
    realize(instance->model, instance->state, STAGE_VELOCITY);
    memcpy(instance->given, instance->state->w + instance->model->y_at, (size_t)y_size(instance->model) * sizeof(double));
}

/* Log a warning if coordinates, or else speeds that were given, have changed by more than `least` since note_given. fault: what was wrong
 * with them */
static void warn_if_changed(const Instance *instance, int of_speeds, double least, const char *fault) {
    const Model *model = instance->model;
    const int first = of_speeds ? model->n_q : 0, n = of_speeds ? model->n_u : model->n_q;
    const double *given = instance->given + first, *now = instance->state->w + model->y_at + first;
    const int i = largest_change(n, given, now, model->scales ? model->scales->y + first : NULL, least, of_speeds);
    if (i < 0)
        return;
    const char *unit = model->y_units[first + i];
    const int has_unit = strcmp(unit, "1") != 0;
    log_warning(instance, "the start %s, and was changed: '%s' from %.6g to %.6g%s%s.", fault, model->y_names[first + i], given[i], now[i],
                has_unit ? " " : "", has_unit ? unit : "");
}

Status normalize_state(Instance *instance, const char *advice) {
    const Model *model = instance->model;
    int no_direction = normalize_quaternions(model, instance->state->w);
    if (no_direction >= 0)
        return log_error(instance, "the quaternion that begins with '%s' is zero.%s",
                         model->y_names[model->quaternions[no_direction] - model->y_at], advice);
    if (model->n_quaternions)
        invalidate(instance->state, STAGE_POSITION);
    return STATUS_OK;
}

Status satisfy_constraints(Instance *instance, const char *state_name) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (!has_constraints(model)) {
        state->was_set = 0;
        return STATUS_OK;
    }
    const int is_start = state->mode == MODE_INITIALIZATION;
    if (is_start)
        note_given(instance);
    Projection projection = project_what_was_set(model, state, instance->work.events);
    if (state->stopped)
        return STATUS_ERROR;
    if (!projection.is_done)
        return log_error(instance,
                         "the %s does not satisfy constraint '%s': its %s error is %g, and no projection reduces it below %g. "
                         "Give values that nearly satisfy it.",
                         state_name, constraint_name(model, projection.constraint), projection.of_velocity ? "velocity" : "position",
                         projection.error, projection.allowed);
    state->was_set = 0;
    realize(model, state, STAGE_ACCELERATION);
    for (int of_speeds = 0; is_start && of_speeds <= 1; of_speeds++)
        warn_if_changed(instance, of_speeds, LEAST_CHANGE * state->constraint_tolerance, "did not satisfy the constraints");
    return log_contradictions(instance, state->w[model->time_at], log_error);
}

Status start_fixed_steps(Instance *instance, const char *state_name) {
    const Model *model = instance->model;
    if (is_at_end_of_fixed_step(model, instance->state))
        instance->state->was_set = 0;
    else if (satisfy_constraints(instance, state_name) != STATUS_OK)
        return STATUS_ERROR;
    note_given(instance);
    Integration result = {.outcome = INTEGRATED};
    result.outcome = begin_fixed_steps(model, instance->state, instance->interface->fixed_steps, instance->of_fixed_steps, &result);
    if (result.outcome != INTEGRATED)
        return log_failure(instance, &result, log_error);
    warn_if_changed(instance, 0, 1.0 / LARGE_CHANGE, "was outside of its limits");
    return STATUS_OK;
}

/* the active contacts at the start, and what handlers of CAUSE_INITIALIZATION do */
static Status start_events(Instance *instance) {
    Integration result = {.outcome = INTEGRATED};
    result.outcome = begin_events(instance->model, instance->state, instance->work.events, &result);
    if (instance->state->stopped)
        result.outcome = KERNEL_STOPPED;
    return result.outcome == INTEGRATED ? STATUS_OK : log_failure(instance, &result, log_error);
}

/* the events that are due at the start */
static Status process_first_events(Instance *instance) {
    Integration result = {.outcome = INTEGRATED};
    result.outcome = process_events(instance->model, instance->state, instance->work.events, 0, &result);
    if (instance->state->stopped)
        result.outcome = KERNEL_STOPPED;
    return result.outcome == INTEGRATED ? log_noted_impacts(instance) : log_failure(instance, &result, log_error);
}

static int has_events_in_steps(const Instance *instance) { return instance->work.events && !instance->of_fixed_steps; }

Status find_start(Instance *instance) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (check_start_values(instance) != STATUS_OK || apply_numerics(instance) != STATUS_OK)
        return STATUS_ERROR;
    if (normalize_state(instance, " Give its start values a direction.") != STATUS_OK)
        return STATUS_ERROR;
    Status status = instance->of_fixed_steps ? start_fixed_steps(instance, "start") : satisfy_constraints(instance, "start");
    if (status == STATUS_OK && has_events_in_steps(instance)) {
        note_given(instance);
        status = start_events(instance);
    }
    instance->start_jumps = (instance->of_fixed_steps || has_events_in_steps(instance)) &&
                            largest_change(y_size(model), instance->given, state->w + model->y_at, y_scales(model),
                                           LEAST_CHANGE * state->constraint_tolerance, 0) >= 0;
    if (status == STATUS_OK)
        realize(model, state, STAGE_VELOCITY); /* sets prescribed coordinates and speeds, those of locks too */
    return status;
}

Status exit_initialization(Instance *instance) {
    const Model *model = instance->model;
    State *state = instance->state;
    hide_start(instance);
    instance->has_warned_of_late_impacts = instance->has_warned_of_deformations = 0;
    instance->has_warned_of_spins = instance->has_warned_of_jams = instance->has_warned_of_depths = 0;
    instance->close_events = (CloseEvents){0};
    save_w(instance);
    Status status = find_start(instance);
    if (status == STATUS_OK && has_events_in_steps(instance))
        status = process_first_events(instance);
    if (status == STATUS_OK)
        realize(model, state, STAGE_VELOCITY);
    if (check_not_stopped(instance) != STATUS_OK || status != STATUS_OK) {
        restore_w(instance);
        show_start_values(model, state->w);
        return STATUS_ERROR;
    }
    state->mode = state->interface_type == CO_SIMULATION ? MODE_STEP : MODE_EVENT;
    state->is_bounded = instance->interface->is_bounded && state->interface_type != MODEL_EXCHANGE;
    return STATUS_OK;
}

Status terminate(Instance *instance) {
    Integration result = {.outcome = INTEGRATED};
    save_w(instance);
    if (instance->work.events)
        result.outcome = end_events(instance->model, instance->state, instance->work.events, &result);
    Status status = check_not_stopped(instance);
    if (status == STATUS_OK && result.outcome != INTEGRATED)
        status = log_failure(instance, &result, log_error);
    if (status != STATUS_OK)
        restore_w(instance);
    instance->state->mode = MODE_TERMINATED;
    return status;
}
