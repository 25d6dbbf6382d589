#include "inputs.h"
#include "instance.h"
#include "tree.h"

static double *numbers_of(const Instance *instance, int input) {
    return instance->state->w + instance->interface->input_derivatives_at + NUMBERS_OF_INPUT * input;
}

static const Variable *variable_of(const Instance *instance, int input) {
    return instance->interface->variables + instance->interface->inputs[input];
}

static int has_derivatives(const double *numbers) { return numbers[FIRST_DERIVATIVE] != 0 || numbers[SECOND_DERIVATIVE] != 0; }

static double time_in_step(const Instance *instance) { return instance->state->w[instance->model->time_at] - instance->start_of_step; }

static double rate(const Instance *instance, int input) {
    const double *numbers = numbers_of(instance, input);
    return numbers[FIRST_DERIVATIVE] + time_in_step(instance) * numbers[SECOND_DERIVATIVE];
}

static void update_inputs(void *owner, double time) {
    Instance *instance = owner;
    State *state = instance->state;
    double since = time_in_step(instance), ignored;
    for (int i = 0; i < instance->interface->n_inputs; i++) {
        const double *numbers = numbers_of(instance, i);
        const Variable *variable = variable_of(instance, i);
        if (!has_derivatives(numbers))
            continue;
        state->w[variable->at] =
            instance->inputs_at_start[i] + since * (numbers[FIRST_DERIVATIVE] + since / 2 * numbers[SECOND_DERIVATIVE]);
        invalidate(state, variable->invalidates);
    }
    if (instance->intermediate_update)
        instance->intermediate_update(instance, time, 0, &ignored);
}

static void set_rates(void *owner, double *dw) {
    const Instance *instance = owner;
    for (int i = 0; i < instance->interface->n_inputs; i++)
        dw[variable_of(instance, i)->at] = rate(instance, i);
}

static void clear_rates(void *owner, double *dw) {
    const Instance *instance = owner;
    for (int i = 0; i < instance->interface->n_inputs; i++)
        dw[variable_of(instance, i)->at] = 0;
}

void begin_inputs(Instance *instance) {
    int varies = instance->intermediate_update != NULL;
    for (int i = 0; i < instance->interface->n_inputs; i++) {
        instance->inputs_at_start[i] = instance->state->w[variable_of(instance, i)->at];
        varies = varies || has_derivatives(numbers_of(instance, i));
    }
    instance->start_of_step = instance->state->w[instance->model->time_at];
    instance->inputs = (InputSignals){update_inputs, set_rates, clear_rates, instance};
    instance->state->inputs = varies ? (uint64_t)(uintptr_t)&instance->inputs : 0;
}

void abandon_inputs(Instance *instance) { instance->state->inputs = 0; }

void end_inputs(Instance *instance) {
    abandon_inputs(instance);
    for (int i = 0; i < instance->interface->n_inputs; i++) {
        double *numbers = numbers_of(instance, i);
        numbers[RATE_AT_END] = rate(instance, i);
        numbers[FIRST_DERIVATIVE] = numbers[SECOND_DERIVATIVE] = 0;
    }
}
