#include "values.h"
#include "elementary.h"
#include "events.h"
#include "instance.h"
#include "logging.h"
#include "model_exchange.h"
#include "numerics.h"
#include "set_between_steps.h"
#include "shown_start.h"
#include "start_values.h"
#include "tree.h"
#include "undo.h"

#include <string.h>

const Variable *find_variable(const Instance *instance, unsigned reference, Type type) {
    static const char *const a_type[] = {
        [TYPE_REAL] = "a Real", [TYPE_BOOLEAN] = "a Boolean", [TYPE_INTEGER] = "an Integer", [TYPE_ENUMERATION] = "an enumeration"};
    const Interface *interface = instance->interface;
    if (reference >= (unsigned)interface->n_variables) {
        log_error(instance, "no variable has value reference %u; the last is %d.", reference, interface->n_variables - 1);
        return NULL;
    }
    const Variable *variable = interface->variables + reference;
    if (variable->n == 0) {
        log_error(instance, "value reference %u is that of variable '%s', an entry of an array. Give that of the array.", reference,
                  variable->name);
        return NULL;
    }
    if (variable->type != type) {
        log_error(instance, "variable '%s' is %s.", variable->name, a_type[variable->type]);
        return NULL;
    }
    return variable;
}

/* check that the references are those of variables of this type, with n_values entries in total */
static Status check_arrays(const Instance *instance, const unsigned *references, size_t n, const void *values, size_t n_values, Type type) {
    const Interface *interface = instance->interface;
    size_t needed = 0;
    if ((n && !references) || (n_values && !values))
        return log_error(instance, "an array is a null pointer.");
    for (size_t i = 0; i < n; i++) {
        int is_variable = references[i] < (unsigned)interface->n_variables && interface->variables[references[i]].type == type;
        int size = is_variable ? interface->variables[references[i]].n : 0;
        if (!size) {
            find_variable(instance, references[i], type); /* logs why there is none */
            return STATUS_ERROR;
        }
        needed += (size_t)size;
    }
    if (needed == n_values)
        return STATUS_OK;
    return log_error(instance, "an array of %lu values was given, and the variables have %lu.", (unsigned long)n_values,
                     (unsigned long)needed);
}

/* ------------------------------------------------------------------------------------------------------------------------------- get */

static int is_state(const Model *model, const Variable *variable) {
    int entry = variable->at - model->y_at;
    return entry >= 0 && entry < y_size(model);
}

/* whether the model determines its value: states, what is computed from them, and discrete variables that no importer sets */
static int is_computed(const Instance *instance, const Variable *variable) {
    const Model *model = instance->model;
    return is_state(model, variable) || (variable->settable == SET_NEVER && variable->at != model->time_at);
}

/* Check the references, and compute the values of their variables. A warning if they are not those of the start. */
static Status prepare_to_get(Instance *instance, const unsigned *references, size_t n, const void *values, size_t n_values, Type type) {
    if (check_arrays(instance, references, n, values, n_values, type) != STATUS_OK)
        return STATUS_ERROR;
    Entries entries;
    const int n_indicators = n_event_indicators(instance->model), first_indicator = indicators_at(instance->interface);
    int stage = STAGE_EMPTY, any_indicator = 0, any_of_start = 0;
    begin_entries(&entries, instance, references, n);
    for (const Variable *variable; (variable = next_entry(&entries));) {
        stage = variable->stage > stage ? variable->stage : stage;
        any_of_start |= is_computed(instance, variable);
        any_indicator |= variable->at >= first_indicator && variable->at - first_indicator < n_indicators;
    }
    Status status = any_of_start ? show_start(instance) : STATUS_OK;
    if (stage > instance->state->realized)
        realize(instance->model, instance->state, stage);
    if (check_not_stopped(instance) != STATUS_OK)
        return STATUS_ERROR;
    Status of_indicators =
        any_indicator ? get_event_indicators(instance, instance->state->w + first_indicator, (size_t)n_indicators) : STATUS_OK;
    return of_indicators == STATUS_OK ? status : of_indicators;
}

static double number_of(const Instance *instance, const Variable *variable) {
    return is_computed(instance, variable) ? instance->state->w[variable->at] : number_as_set(instance, variable->at);
}

Status get_reals(Instance *instance, const unsigned *references, size_t n, double *values, size_t n_values) {
    Status status = prepare_to_get(instance, references, n, values, n_values, TYPE_REAL);
    if (status > STATUS_WARNING)
        return status;
    const Variable *not_finite = NULL;
    const double *w = instance->state->w;
    Entries entries;
    begin_entries(&entries, instance, references, n);
    for (const Variable *variable; (variable = next_entry(&entries));) {
        *values = number_of(instance, variable);
        if (!isfinite(*values++) && !not_finite)
            not_finite = variable;
    }
    if (not_finite)
        return log_error(instance, "at time %.15g s variable '%s' is %g.", w[instance->model->time_at], not_finite->name,
                         w[not_finite->at]);
    return status;
}

Status get_booleans(Instance *instance, const unsigned *references, size_t n, int *values, size_t n_values) {
    Status status = prepare_to_get(instance, references, n, values, n_values, TYPE_BOOLEAN);
    Entries entries;
    begin_entries(&entries, instance, references, status <= STATUS_WARNING ? n : 0);
    for (const Variable *variable; (variable = next_entry(&entries));)
        *values++ = number_of(instance, variable) != 0;
    return status;
}

Status get_integers(Instance *instance, const unsigned *references, size_t n, int *values, size_t n_values, Type type) {
    Status status = prepare_to_get(instance, references, n, values, n_values, type);
    Entries entries;
    begin_entries(&entries, instance, references, status <= STATUS_WARNING ? n : 0);
    for (const Variable *variable; (variable = next_entry(&entries));)
        *values++ = (int)number_of(instance, variable);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------------------------- set */

int is_before_start(const Instance *instance) { return (instance->state->mode & (MODE_INSTANTIATED | MODE_INITIALIZATION)) != 0; }

/* whether it is a Real input */
static int is_input(const Interface *interface, const Variable *variable) {
    for (int i = 0; i < interface->n_inputs; i++)
        if (interface->inputs[i] == (int)(variable - interface->variables))
            return 1;
    return 0;
}

static Status check_settable(const Instance *instance, const Variable *variable) {
    const State *state = instance->state;
    if (is_state(instance->model, variable) && state->interface_type == MODEL_EXCHANGE && !is_before_start(instance))
        return STATUS_OK; /* some importers set states like other variables */
    if (state->mode == MODE_CONTINUOUS && !is_input(instance->interface, variable))
        return log_error(instance, "variable '%s' is no input, and can only be set in Event Mode.", variable->name);
    if (state->mode == MODE_INTERMEDIATE && !is_input(instance->interface, variable))
        return log_error(instance, "variable '%s' is no input, and cannot be set within a communication step.", variable->name);
    if (variable->settable == SET_NEVER)
        return log_error(instance, "variable '%s' is computed by the model and cannot be set.", variable->name);
    if (variable->settable == SET_BEFORE_START && !is_before_start(instance))
        return log_error(instance, "variable '%s' can only be set before initialization ends.", variable->name);
    return STATUS_OK;
}

static Status check_bounds(const Instance *instance, const Variable *variable, double value) {
    if (value < variable->least)
        return log_error(instance, "variable '%s' cannot be set to %.15g; the least value is %g.", variable->name, value, variable->least);
    if (value > variable->greatest)
        return log_error(instance, "variable '%s' cannot be set to %.15g; the greatest value is %g.", variable->name, value,
                         variable->greatest);
    const char *fault = fault_of_setting(instance, variable, value);
    return fault ? log_error(instance, "variable '%s' cannot be set to %.15g: %s.", variable->name, value, fault) : STATUS_OK;
}

static void set(Instance *instance, const Variable *variable, double value) {
    const Model *model = instance->model;
    State *state = instance->state;
    if (is_before_start(instance) && is_start_value(model, variable)) {
        set_start_value(instance, variable, value);
        return;
    }

    const double before = number_as_set(instance, variable->at);
    if (memcmp(&before, &value, sizeof value) == 0)
        return;
    hide_start(instance);
    set_number(model, state, variable->at, value, variable->invalidates);
    int is_integrated = state->mode == MODE_CONTINUOUS && is_state(model, variable); /* as by set_continuous_states */
    if (variable->invalidates <= STAGE_VELOCITY && state->mode != MODE_INTERMEDIATE && !is_integrated)
        state->was_set = 1;
    if (state->interface_type == MODEL_EXCHANGE && state->mode == MODE_EVENT && is_state(model, variable))
        state->pending |= PENDING_SET_STATES;
}

Status set_reals(Instance *instance, const unsigned *references, size_t n, const double *values, size_t n_values) {
    if (check_arrays(instance, references, n, values, n_values, TYPE_REAL) != STATUS_OK)
        return STATUS_ERROR;
    Entries entries;
    const double *value = values;
    begin_entries(&entries, instance, references, n);
    for (const Variable *variable; (variable = next_entry(&entries)); value++) {
        if (check_settable(instance, variable) != STATUS_OK)
            return STATUS_ERROR;
        if (!isfinite(*value))
            return log_error(instance, "variable '%s' cannot be set to %g; give a finite number.", variable->name, *value);
        if (check_bounds(instance, variable, *value) != STATUS_OK)
            return STATUS_ERROR;
    }
    begin_entries(&entries, instance, references, n);
    for (const Variable *variable; (variable = next_entry(&entries));)
        set(instance, variable, *values++);
    return STATUS_OK;
}

Status set_booleans(Instance *instance, const unsigned *references, size_t n, const int *values, size_t n_values) {
    if (check_arrays(instance, references, n, values, n_values, TYPE_BOOLEAN) != STATUS_OK)
        return STATUS_ERROR;
    Entries entries;
    const int *value = values;
    begin_entries(&entries, instance, references, n);
    for (const Variable *variable; (variable = next_entry(&entries)); value++) {
        if (check_settable(instance, variable) != STATUS_OK)
            return STATUS_ERROR;
        if (*value != 0 && *value != 1)
            return log_error(instance, "variable '%s' cannot be set to %d; give 0 (false) or 1 (true).", variable->name, *value);
    }
    begin_entries(&entries, instance, references, n);
    for (const Variable *variable; (variable = next_entry(&entries));)
        set(instance, variable, *values++);
    return STATUS_OK;
}

Status set_integers(Instance *instance, const unsigned *references, size_t n, const int *values, size_t n_values, Type type) {
    if (check_arrays(instance, references, n, values, n_values, type) != STATUS_OK)
        return STATUS_ERROR;
    Entries entries;
    const int *value = values;
    begin_entries(&entries, instance, references, n);
    for (const Variable *variable; (variable = next_entry(&entries)); value++)
        if (check_settable(instance, variable) != STATUS_OK || check_bounds(instance, variable, *value) != STATUS_OK)
            return STATUS_ERROR;
    begin_entries(&entries, instance, references, n);
    for (const Variable *variable; (variable = next_entry(&entries));)
        set(instance, variable, *values++);
    return STATUS_OK;
}

/* ---------------------------------------------------------------------------------------------------------------- derivatives of inputs */

Status set_input_derivatives(Instance *instance, const unsigned *references, size_t n, const int *orders, const double *values) {
    const Interface *interface = instance->interface;
    double *w = instance->state->w;
    if (n && !orders)
        return log_error(instance, "an array is a null pointer.");
    if (check_arrays(instance, references, n, values, n, TYPE_REAL) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = interface->variables + references[i];
        if (!is_input(interface, variable))
            return log_error(instance, "variable '%s' is no input.", variable->name);
        if (orders[i] != 1 && orders[i] != 2)
            return log_error(instance, "input '%s' can have derivatives of order 1 and 2, not %d.", variable->name, orders[i]);
        if (!isfinite(values[i]))
            return log_error(instance, "derivative %d of input '%s' cannot be %g; give a finite number.", orders[i], variable->name,
                             values[i]);
    }
    hide_start(instance);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < interface->n_inputs; k++)
            if (interface->inputs[k] == (int)references[i])
                w[interface->input_derivatives_at + NUMBERS_OF_INPUT * k + (orders[i] == 1 ? FIRST_DERIVATIVE : SECOND_DERIVATIVE)] =
                    values[i];
    return STATUS_OK;
}
