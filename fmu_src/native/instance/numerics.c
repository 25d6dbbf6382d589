#include "numerics.h"

#include "elementary.h"
#include "logging.h"
#include "step_grid.h"

static double setting(const Instance *instance, Numerics number) {
    return instance->state->w[instance->interface->numerics_at + (int)number];
}

/* its name, for messages */
static const char *name_of(const Interface *interface, Numerics number) {
    for (int i = 0; i < interface->n_variables; i++)
        if (interface->variables[i].at == interface->numerics_at + (int)number)
            return interface->variables[i].name;
    return "";
}

/* what w holds may be any number, where tables are wrong */
static int is_integrator(double number) { return number >= INTEGRATOR_AUTO && number <= N_INTEGRATORS - 1 && number == floor(number); }

/* whether it lacks the memory that implicit steps need */
static int lacks_implicit_work(const Instance *instance, double integrator) {
    return is_implicit((Integrator)integrator) && !instance->work.implicit;
}

static const char *const too_many_states = "the model has too many states for implicit steps, unless it is exported with this integrator";

const char *fault_of_setting(const Instance *instance, const Variable *variable, double value) {
    int number = variable->at - instance->interface->numerics_at;
    if (number == NUMERICS_TOLERANCE && value > 0 && value < LEAST_TOLERANCE)
        return "round-off is larger; give 0, or at least 1e-14";
    if (number == NUMERICS_INTEGRATOR && !is_integrator(value))
        return "there is no such integrator";
    if (number == NUMERICS_INTEGRATOR && lacks_implicit_work(instance, value))
        return too_many_states;
    return NULL;
}

void show_step_results(Instance *instance) {
    const State *state = instance->state;
    double *shown = instance->state->w + instance->interface->numerics_at;
    shown[NUMERICS_JAMMED_STEPS] = state->jammed_steps;
    if (!state->is_bounded)
        return;
    shown[NUMERICS_OVERRUN] = state->overrun;
    shown[NUMERICS_LATE] = state->late;
    for (int i = 0; i < N_LEFT; i++)
        shown[NUMERICS_LEFT_LENGTH + i] = state->left[i];
}

static int is_in_effect(const State *state, const State *next) {
    return state->integrator == next->integrator && state->tolerance == next->tolerance &&
           state->constraint_tolerance == next->constraint_tolerance && state->largest_step == next->largest_step &&
           state->fixed_step == next->fixed_step;
}

static void log_numerics(const Instance *instance) {
    const State *state = instance->state;
    const Integrator integrator = (Integrator)state->integrator;
    const char *name = integrator == INTEGRATOR_AUTO ? "auto" : method_of(integrator)->name;
    if (!logs(instance, LOG_STEPS))
        return;
    if (instance->of_fixed_steps)
        log_steps(instance, "fixed steps of %g s at velocity level, tolerance %g, constraint tolerance %g.",
                  instance->interface->fixed_steps->step, state->tolerance, state->constraint_tolerance);
    else if (has_fixed_steps(state))
        log_steps(instance, "integrator %s, fixed steps of %g s, tolerance %g, constraint tolerance %g.", name, state->fixed_step,
                  state->tolerance, state->constraint_tolerance);
    else
        log_steps(instance, "integrator %s, tolerance %g, constraint tolerance %g, largest step %g s.", name, state->tolerance,
                  state->constraint_tolerance, state->largest_step);
}

Status apply_numerics(Instance *instance) {
    State *state = instance->state, next = *state;
    double tolerance = setting(instance, NUMERICS_TOLERANCE), of_constraints = setting(instance, NUMERICS_CONSTRAINT_TOLERANCE);
    double largest_step = setting(instance, NUMERICS_LARGEST_STEP), fixed_step = setting(instance, NUMERICS_FIXED_STEP);
    double time = state->w[instance->model->time_at];

    if (!is_integrator(setting(instance, NUMERICS_INTEGRATOR)))
        return log_error(instance, "there is no integrator number %g.", setting(instance, NUMERICS_INTEGRATOR));

    /* 0 stands for the default */
    next.integrator = (int32_t)setting(instance, NUMERICS_INTEGRATOR);
    next.tolerance = tolerance > 0 ? tolerance : state->experiment_tolerance;
    next.constraint_tolerance = of_constraints > 0 ? of_constraints : next.tolerance / 10;
    next.largest_step = largest_step > 0 ? largest_step : INFINITY;
    if (lacks_implicit_work(instance, next.integrator))
        return log_error(instance, "%s.", too_many_states);
    if (has_fixed_steps(&next) && !(fixed_step > 0))
        return log_error(instance, "this integrator takes fixed steps; give '%s' their size in s.",
                         name_of(instance->interface, NUMERICS_FIXED_STEP));
    count_steps_from(&next, has_fixed_steps(&next) ? fixed_step : 0, time);
    if (instance->of_fixed_steps && state->mode == MODE_INITIALIZATION)
        next.steps_from = time;
    int is_new = !is_in_effect(state, &next) || state->mode == MODE_INITIALIZATION;
    state->integrator = next.integrator;
    state->tolerance = next.tolerance;
    state->constraint_tolerance = next.constraint_tolerance;
    state->largest_step = next.largest_step;
    state->step_size = fmin(state->step_size, next.largest_step);
    state->fixed_step = next.fixed_step;
    state->steps_from = next.steps_from;
    if (is_new)
        log_numerics(instance);
    return STATUS_OK;
}
