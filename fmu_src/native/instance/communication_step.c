#include "communication_step.h"
#include "elementary.h"
#include "event_times.h"
#include "events.h"
#include "failure_messages.h"
#include "inputs.h"
#include "instance.h"
#include "logging.h"
#include "numerics.h"
#include "run_warnings.h"
#include "step_grid.h"
#include "undo.h"

#include <float.h>

static Status log_termination(const Instance *instance) {
    const EventTable *events = instance->model->events;
    const double *w = instance->state->w, number = w[events->shared + SHARED_TERMINATED];
    const char *name = number >= 1 && number <= events->n_names ? events->names[(int)number - 1] : "";
    return log_discard(instance, "event '%s' has ended the simulation, at %.15g s.", name, w[instance->model->time_at]);
}

typedef struct {
    Instance *instance;
    double end_time; /* s, the end of the communication step, which may become earlier */
} Target;

/* a StepTaken: call the importer back, which may request an earlier end */
static int call_back(void *observer, double t, double t_new, const Work *work) {
    Target *target = observer;
    (void)t;
    (void)work;
    double requested = INFINITY;
    if (!target->instance->intermediate_update(target->instance, t_new, 1, &requested) || !(requested < target->end_time))
        return 1;
    target->end_time = fmax(requested, t_new);
    return 0;
}

/* integrate under error control to the end of a communication step, or to an earlier end that the importer requests */
static Integration integrate_to(Instance *instance, double end_time) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (!instance->intermediate_update)
        return integrate(model, state, &instance->work, end_time, NULL, NULL);
    Target target = {instance, end_time};
    Integration sum = {.outcome = INTEGRATED};
    do {
        double earlier_end = target.end_time;
        Integration part = integrate(model, state, &instance->work, earlier_end, call_back, &target);
        part.n_steps += sum.n_steps;
        part.n_refused += sum.n_refused;
        part.n_evaluations += sum.n_evaluations;
        sum = part;
        if (target.end_time == earlier_end)
            break;
    } while (sum.outcome == INTEGRATED && state->w[model->time_at] < target.end_time && !(state->pending & PENDING_EVENTS) &&
             !is_terminated(model, state));
    return sum;
}

/* Integrate to the end of a communication step. After the importer has set values, first normalize quaternions and project the state, as
 * SteppedRun does. */
static Integration advance_to(Instance *instance, double end_time, Status *status) {
    const Model *model = instance->model;
    const FixedSteps *steps = instance->interface->fixed_steps;
    State *state = instance->state;
    const char *state_name = "state at the start of the step";
    *status = state->was_set ? normalize_state(instance, "") : STATUS_OK;
    if (*status != STATUS_OK)
        return (Integration){.outcome = INTEGRATED};
    *status = !state->was_set ? STATUS_OK : steps ? start_fixed_steps(instance, state_name) : satisfy_constraints(instance, state_name);
    if (*status != STATUS_OK)
        return (Integration){.outcome = INTEGRATED};
    if (!steps)
        return integrate_to(instance, end_time);
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

/* describe the end of a step that succeeded */
static Status end_step(Instance *instance, double end_time, StepEnd *end) {
    const State *state = instance->state;
    double time = state->w[instance->model->time_at];
    int has_terminated = is_terminated(instance->model, state);
    if (!end)
        return has_terminated ? log_termination(instance) : STATUS_OK;
    *end = (StepEnd){(state->pending & PENDING_EVENTS) != 0, has_terminated, time < end_time,
                     fmin(time, end_time)}; /* a time event may be round-off later */
    return STATUS_OK;
}

/* end a failed step that no shorter step can replace */
static Status fail_step(Instance *instance, Status status) {
    abandon_inputs(instance);
    restore_w(instance);
    instance->state->mode = MODE_ERROR;
    return status;
}

/* do_step, where the end is known too */
static Status take_step(Instance *instance, double start_time, double step, double end_time, StepEnd *end) {
    const Model *model = instance->model;
    State *state = instance->state;
    const double time = state->w[model->time_at];

    /* check the start and the end */
    if (!isfinite(start_time) || !(step > 0) || !isfinite(end_time))
        return log_error(instance, "a step of %g s from %.15g s is not possible; give finite numbers, and a step above zero.", step,
                         start_time);
    if (is_terminated(model, state))
        return end_step(instance, time, end);
    if (fabs(start_time - time) > fmax(time_slack(time, fmax(step, state->fixed_step)), location_of_roots(model, time)))
        return log_error(instance, "the step begins at %.15g s, but the model is at %.15g s.", start_time, time);
    if (end_time > start_time && time > start_time && !(end_time > time))
        return end_step(instance, end_time, end); /* the last step has included an event that is round-off after its end */
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

    begin_inputs(instance);
    save_w(instance);
    if (apply_numerics(instance) != STATUS_OK) {
        abandon_inputs(instance);
        return STATUS_ERROR;
    }
    double end_on_grid =
        instance->of_fixed_steps ? time_on_grid_of(state, instance->interface->fixed_steps->step, end_time) : time_on_grid(state, end_time);
    end_time = end_on_grid > time ? end_on_grid : end_time;
    if (instance->work.events)
        instance->work.events->leaves_at_end_alone = !instance->may_return_early;
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
        warn_of_depths(instance);
        double reached = reached_time(instance, &integration);
        if (!(reached > time) || !depends_on_step(integration.outcome))
            return fail_step(instance, log_failure(instance, &integration, log_error));
        log_failure(instance, &integration, log_failed_step);
        abandon_inputs(instance);
        restore_w(instance);
        if (!end) {
            state->mode = MODE_STEP_FAILED;
            state->last_good_time = reached;
        }
        return log_failed_step(instance, "a step to %.15g s is possible, from a state that was saved before this step.", reached);
    }
    if (log_noted_impacts(instance) != STATUS_OK)
        return fail_step(instance, STATUS_ERROR);
    warn_of_deformations(instance);
    warn_of_depths(instance);
    warn_of_jams(instance);
    if (check_not_stopped(instance) != STATUS_OK)
        return fail_step(instance, STATUS_ERROR);
    if (logs(instance, LOG_STEPS) && (instance->of_fixed_steps || has_fixed_steps(state)))
        log_steps(instance, "to %.15g s in %d steps.", state->w[model->time_at], integration.n_steps);
    else if (logs(instance, LOG_STEPS))
        log_steps(instance, "to %.15g s in %d steps with %d evaluations, %d refused; the next one is %g s.", state->w[model->time_at],
                  integration.n_steps, integration.n_evaluations, integration.n_refused, state->step_size);
    end_inputs(instance);
    show_step_results(instance);
    return end_step(instance, end_time, end);
}

Status do_step(Instance *instance, double start_time, double step, StepEnd *end) {
    return take_step(instance, start_time, step, start_time + step, end);
}

Status step_to(Instance *instance, double start_time, double end_time, StepEnd *end) {
    return take_step(instance, start_time, end_time - start_time, end_time, end);
}
