#include "values.h"
#include "auto_updates.h"
#include "elementary.h"
#include "logging.h"
#include "numerics.h"
#include "tree.h"

#include <string.h>

const Variable *find_variable(const Instance *instance, unsigned reference, Type type) {
    static const char *const a_type[] = {[TYPE_REAL] = "a Real", [TYPE_BOOLEAN] = "a Boolean", [TYPE_INTEGER] = "an Integer"};
    const Interface *interface = instance->interface;
    if (reference >= (unsigned)interface->n_variables) {
        log_error(instance, "no variable has value reference %u; the last is %d.", reference, interface->n_variables - 1);
        return NULL;
    }
    const Variable *variable = interface->variables + reference;
    if (variable->type != type) {
        log_error(instance, "variable '%s' is %s.", variable->name, a_type[variable->type]);
        return NULL;
    }
    return variable;
}

static Status check_arrays(const Instance *instance, const void *references, size_t n, const void *values) {
    return n && (!references || !values) ? log_error(instance, "an array is a null pointer.") : STATUS_OK;
}

/* ------------------------------------------------------------------------------------------------------------------------------- get */

/* check the references, and compute the values of their variables */
static Status prepare_to_get(Instance *instance, const unsigned *references, size_t n, const void *values, Type type) {
    if (check_arrays(instance, references, n, values) != STATUS_OK)
        return STATUS_ERROR;
    int stage = STAGE_EMPTY;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = find_variable(instance, references[i], type);
        if (!variable)
            return STATUS_ERROR;
        if (variable->stage > stage)
            stage = variable->stage;
    }
    realize(instance->model, instance->state, stage);
    return check_not_stopped(instance);
}

Status get_reals(Instance *instance, const unsigned *references, size_t n, double *values) {
    if (prepare_to_get(instance, references, n, values, TYPE_REAL) != STATUS_OK)
        return STATUS_ERROR;
    const Variable *not_finite = NULL;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = instance->interface->variables + references[i];
        values[i] = instance->state->w[variable->at];
        if (!isfinite(values[i]) && !not_finite)
            not_finite = variable;
    }
    if (not_finite)
        return log_error(instance, "at time %.15g s variable '%s' is %g.", instance->state->w[instance->model->time_at], not_finite->name,
                         instance->state->w[not_finite->at]);
    return STATUS_OK;
}

Status get_booleans(Instance *instance, const unsigned *references, size_t n, int *values) {
    if (prepare_to_get(instance, references, n, values, TYPE_BOOLEAN) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n; i++)
        values[i] = instance->state->w[instance->interface->variables[references[i]].at] != 0;
    return STATUS_OK;
}

Status get_integers(Instance *instance, const unsigned *references, size_t n, int *values) {
    if (prepare_to_get(instance, references, n, values, TYPE_INTEGER) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n; i++)
        values[i] = (int)instance->state->w[instance->interface->variables[references[i]].at];
    return STATUS_OK;
}

/* ------------------------------------------------------------------------------------------------------------------------------- set */

int is_before_start(const Instance *instance) { return (instance->state->mode & (MODE_INSTANTIATED | MODE_INITIALIZATION)) != 0; }

static Status check_settable(const Instance *instance, const Variable *variable) {
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

    /* the same bits again change nothing; compared as bits, since 0 == -0 */
    if (memcmp(state->w + variable->at, &value, sizeof value) == 0)
        return;
    state->w[variable->at] = value;
    note_change(model, state, variable->invalidates);
    if (variable->invalidates <= STAGE_VELOCITY)
        state->was_set_by_host = 1;

    /* until initialization ends the coordinates show their initial conditions */
    int entry = variable->at - model->y_start_at;
    if (entry >= 0 && entry < y_size(model) && is_before_start(instance))
        state->w[model->y_at + entry] = value;
}

Status set_reals(Instance *instance, const unsigned *references, size_t n, const double *values) {
    if (check_arrays(instance, references, n, values) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = find_variable(instance, references[i], TYPE_REAL);
        if (!variable || check_settable(instance, variable) != STATUS_OK)
            return STATUS_ERROR;
        if (!isfinite(values[i]))
            return log_error(instance, "variable '%s' cannot be set to %g; give a finite number.", variable->name, values[i]);
        if (check_bounds(instance, variable, values[i]) != STATUS_OK)
            return STATUS_ERROR;
    }
    for (size_t i = 0; i < n; i++)
        set(instance, instance->interface->variables + references[i], values[i]);
    return STATUS_OK;
}

Status set_booleans(Instance *instance, const unsigned *references, size_t n, const int *values) {
    if (check_arrays(instance, references, n, values) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = find_variable(instance, references[i], TYPE_BOOLEAN);
        if (!variable || check_settable(instance, variable) != STATUS_OK)
            return STATUS_ERROR;
        if (values[i] != 0 && values[i] != 1)
            return log_error(instance, "variable '%s' cannot be set to %d; give 0 (false) or 1 (true).", variable->name, values[i]);
    }
    for (size_t i = 0; i < n; i++)
        set(instance, instance->interface->variables + references[i], values[i]);
    return STATUS_OK;
}

Status set_integers(Instance *instance, const unsigned *references, size_t n, const int *values) {
    if (check_arrays(instance, references, n, values) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = find_variable(instance, references[i], TYPE_INTEGER);
        if (!variable || check_settable(instance, variable) != STATUS_OK || check_bounds(instance, variable, values[i]) != STATUS_OK)
            return STATUS_ERROR;
    }
    for (size_t i = 0; i < n; i++)
        set(instance, instance->interface->variables + references[i], values[i]);
    return STATUS_OK;
}
