#include "table_checks.h"

#include "auto_updates.h"
#include "change_of_procedure.h"
#include "contact_table.h"
#include "delays.h"
#include "elementary.h"
#include "event_table.h"
#include "factor.h"
#include "interpreter.h"
#include "kernel_functions.h"
#include "own_errors.h"
#include "rows.h"
#include "scales.h"
#include "velocity_level.h"

/* ---- the model ---- */

static const char *fault_of_numbers(const Checks *checks) {
    const Model *model = checks->model;
    if (!has_items(checks, model->start, model->n_w) || model->n_q < 0 || model->n_u < 0 || model->n_z < 0)
        return "w is cut off";
    const int64_t n_y = (int64_t)model->n_q + model->n_u + model->n_z;
    if (!are_in_w(checks, model->time_at, 1) || !are_in_w(checks, model->y_at, n_y) || !are_in_w(checks, model->y_dot_at, n_y) ||
        !are_in_w(checks, model->y_start_at, n_y) || !are_in_w(checks, model->scratch_at, 0) || !is_stage(model->q_dot_stage))
        return "states that are not in w";
    if (model->computed_at < 0 || model->computed_at > model->y_start_at || model->y_start_at > model->scratch_at)
        return "computed numbers that are not in w";
    if (!has_items(checks, model->copied, 2 * (int64_t)model->n_copied))
        return "ranges of copies that are cut off";
    for (int i = 0, end = 0; i < model->n_copied; end = model->copied[2 * i] + model->copied[2 * i + 1], i++)
        if (model->copied[2 * i] < end || !are_in_w(checks, model->copied[2 * i], model->copied[2 * i + 1]))
            return "ranges of copies that are not in w, or not in order";
    if (overlap(model->y_at, model->y_start_at, (int)n_y) || overlap(model->y_at, model->y_dot_at, (int)n_y))
        return "states in the place of others";
    if (!has_items(checks, model->y_names, n_y) || !has_items(checks, model->y_units, n_y) ||
        !has_items(checks, model->quaternions, model->n_quaternions))
        return "states that are cut off";
    for (int i = 0; i < model->n_quaternions; i++)
        if (model->quaternions[i] < model->y_at || model->quaternions[i] > model->y_at + model->n_q - 4)
            return "a quaternion that is not among the coordinates";
    return NULL;
}

static const char *fault_of_sweeps(const Checks *checks) {
    const Model *model = checks->model;
    const char *fault = fault_of_kernels(checks, model->kernels, model->n_kernels, 0, 0);
    if (!fault)
        fault = fault_of_kernels(checks, model->tangents, model->n_kernels, 1, 0);
    if (!fault && model->adjoints)
        fault = fault_of_kernels(checks, model->adjoints, model->n_kernels, 0, 1);
    if (!fault && !has_items(checks, model->sweeps, N_STAGES))
        fault = "fewer sweeps than stages";
    for (int i = 0; i < N_STAGES && !fault; i++) {
        const Sweep *sweep = model->sweeps[i];
        if (sweep && !(fault = has_items(checks, sweep, 1) ? NULL : "a sweep that is cut off"))
            fault = fault_of_sweep(checks, sweep, model->kernels, model->n_kernels);
        if (sweep && !fault)
            fault = fault_of_sweep(checks, sweep, model->tangents, model->n_kernels);
        if (sweep && !fault && model->adjoints)
            fault = fault_of_sweep(checks, sweep, model->adjoints, model->n_kernels);
    }
    return fault;
}

static int are_sizes(const double *values, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!(values[i] > 0) || !isfinite(values[i]))
            return 0;
    return 1;
}

static const char *fault_of_scales(const Checks *checks, const Model *model) {
    const Scales *scales = model->scales;
    const int64_t n_y = (int64_t)model->n_q + model->n_u + model->n_z, n_rows = model->rows ? model->rows->n_rows : 0;
    if (!has_items(checks, scales, 1) || !has_items(checks, scales->y, n_y) || !has_items(checks, scales->rows, n_rows))
        return "scales that are cut off";
    const double own[] = {scales->length, scales->time, scales->mass};
    return are_sizes(own, 3) && are_sizes(scales->y, n_y) && are_sizes(scales->rows, n_rows) ? NULL : "a scale that is not positive";
}

static const char *fault_of_own_errors(const Checks *checks, const OwnErrorTable *table) {
    if (!has_items(checks, table, 1) || !has_items(checks, table->blocks, table->n_blocks))
        return "errors of subsystems that are cut off";
    const Model *model = checks->model;
    for (int i = 0; i < table->n_blocks; i++) {
        const OwnErrors *block = table->blocks + i;
        const int64_t n = block->n, m = block->m;
        if (!are_in_w(checks, block->errors, n) || !are_in_w(checks, block->unknowns, m) || !are_in_w(checks, block->jacobian, n * m) ||
            !are_in_w(checks, block->workspace, n * n + n * m + 8 * n + 2 * m) || (block->of_velocity & ~1))
            return "errors of subsystems that are not in w";
        if (block->unknowns < model->y_at || block->unknowns + m > model->y_at + model->n_q + model->n_u)
            return "errors of subsystems over what are no states";
    }
    return NULL;
}

static const char *fault_of_delays(const Checks *checks, const DelayTable *table) {
    if (!has_items(checks, table, 1) || !has_items(checks, table->delays, table->n_delays) || !is_stage(table->stage) ||
        !(table->longest_step > 0))
        return "delays that are cut off";
    const char *fault = NULL;
    int64_t moment_size = 0;
    for (int i = 0; i < table->n_delays && !fault; i++) {
        fault = fault_of_delay(checks, table->delays + i);
        moment_size += 1 + 2 * (int64_t)table->delays[i].n;
    }
    return fault ? fault : moment_size == table->moment_size ? NULL : "delays of another size";
}

/* whether the range of n numbers from `at` on contains the time or a state */
static int hold_states(const Model *model, int at, int n) {
    const int n_y = model->n_q + model->n_u + model->n_z;
    return (at <= model->time_at && model->time_at < at + n) || (at < model->y_at + n_y && model->y_at < at + n);
}

static const char *fault_of_auto_updates(const Checks *checks, const AutoUpdateTable *table) {
    if (!has_items(checks, table, 1) || !has_items(checks, table->updates, table->n))
        return "variables that are updated are cut off";
    for (int i = 0; i < table->n; i++) {
        const AutoUpdate *update = table->updates + i;
        if (!has_items(checks, update->name, 1) || (update->is_boolean & ~1))
            return "a variable that is updated of no kind";
        if (!are_in_w(checks, update->at, update->n) || !are_in_w(checks, update->next, update->n) || !are_in_w(checks, update->used, 1))
            return "a variable that is updated outside of w";
        if (hold_states(checks->model, update->at, update->n) || hold_states(checks->model, update->used, 1))
            return "a variable that is updated in the place of a state";
        if (!is_stage(update->stage) || !is_stage(update->invalidates))
            return "a variable that is updated at a stage that does not exist";
    }
    return NULL;
}

static const char *fault_of_saved(const Checks *checks, const SavedTable *saved) {
    if (!has_items(checks, saved, 1) || !has_items(checks, saved->ranges, saved->n))
        return "what saved states hold is cut off";
    for (int i = 0; i < saved->n; i++) {
        const SavedRange *range = saved->ranges + i;
        if (!are_in_w(checks, range->first, range->count) || (int)range->kind < ANY_NUMBER || range->kind > WHOLE_NUMBER)
            return "what saved states hold is not in w";
    }
    return NULL;
}

static const char *fault_of_model(const Checks *checks) {
    const Model *model = checks->model;
    const char *fault = fault_of_numbers(checks);
    if (!fault)
        fault = fault_of_sweeps(checks);
    if (!fault && model->rows)
        fault = fault_of_rows(checks, model->rows);
    if (!fault && model->scales)
        fault = fault_of_scales(checks, model);
    if (!fault && model->own_errors)
        fault = fault_of_own_errors(checks, model->own_errors);
    if (!fault && model->delays)
        fault = fault_of_delays(checks, model->delays);
    if (!fault && model->events)
        fault = fault_of_events(checks, model->events);
    if (!fault && model->contacts)
        fault = fault_of_contacts(checks, model->contacts);
    if (!fault && model->frictions)
        fault = fault_of_frictions(checks, model->frictions);
    if (!fault && model->contacts)
        fault = fault_of_pairs(checks, model->contacts);
    if (!fault && model->auto_updates)
        fault = fault_of_auto_updates(checks, model->auto_updates);
    return fault ? fault : fault_of_saved(checks, model->saved);
}

/* ---- the interface ---- */

static const char *fault_of_fixed_steps(const Checks *checks, const FixedSteps *steps) {
    if (!has_items(checks, steps, 1) || !has_items(checks, steps->tolerances, n_contacts(checks->model)))
        return "fixed steps that are cut off";
    return steps->step > 0 && isfinite(steps->step) && steps->position_iterations >= 0 && steps->engagement >= ENGAGEMENT_ARTISYNTH &&
                   steps->engagement <= ENGAGEMENT_AUTOMATIC && steps->constraints_at >= CONSTRAINTS_AT_BEGIN &&
                   steps->constraints_at <= CONSTRAINTS_AT_MIDDLE
               ? NULL
               : "fixed steps that are none";
}

/* whether a number lies in this range; a NaN does not */
static int is_from(double least, double value, double greatest) { return value >= least && value <= greatest; }

static int are_settings(const double *numerics) {
    int is_valid = is_from(1, numerics[NUMERICS_MAX_STEPS], LARGEST_MAX_STEPS) &&
                   is_from(INTEGRATOR_AUTO, numerics[NUMERICS_INTEGRATOR], N_INTEGRATORS - 1) &&
                   numerics[NUMERICS_INTEGRATOR] == floor(numerics[NUMERICS_INTEGRATOR]);
    for (int i = NUMERICS_TOLERANCE; i < N_NUMERICS; i++)
        is_valid = is_valid && is_from(0, numerics[i], DBL_MAX);
    return is_valid;
}

static const char *fault_of_interface(const Checks *checks, const Interface *interface) {
    if (!has_items(checks, interface->variables, interface->n_variables))
        return "variables that are cut off";
    if (!(interface->tolerance >= 1e-14 && interface->tolerance < 1))
        return "a tolerance that is none";
    if (interface->impacts != IMPACTS_SIMULTANEOUS && interface->impacts != IMPACTS_SEQUENTIAL)
        return "a law of impacts that is none";
    if (!are_in_w(checks, interface->numerics_at, N_NUMERICS) || !has_items(checks, interface->numerics, N_NUMERICS))
        return "settings of the integration that are cut off";
    if (!are_settings(interface->numerics))
        return "settings of the integration that are none";
    if (!has_items(checks, interface->inputs, interface->n_inputs) ||
        !are_in_w(checks, interface->input_derivatives_at, (int64_t)NUMBERS_OF_INPUT * interface->n_inputs) ||
        !are_in_w(checks, indicators_at(interface), n_event_indicators(checks->model)))
        return "inputs that are cut off";
    if (!are_in_w(checks, own_starts_at(checks->model), y_size(checks->model)))
        return "start values that are cut off";
    if (!has_items(checks, interface->deformations, interface->n_deformations))
        return "deformations that are cut off";
    for (int i = 0; i < interface->n_deformations; i++)
        if (!are_in_w(checks, interface->deformations[i].at, 6))
            return "a deformation that is not in w";
    if (!has_items(checks, interface->spins, interface->n_spins))
        return "spins that are cut off";
    for (int i = 0; i < interface->n_spins; i++)
        if (!are_in_w(checks, interface->spins[i].at, 3) || !are_in_w(checks, interface->spins[i].scale_at, 1))
            return "a spin that is not in w";
    if (!has_items(checks, interface->depths, interface->n_depths))
        return "depths that are cut off";
    for (int i = 0; i < interface->n_depths; i++)
        if (!are_in_w(checks, interface->depths[i].at, 2))
            return "a depth that is not in w";
    for (int i = 0; i < interface->n_inputs; i++)
        if (interface->inputs[i] < 0 || interface->inputs[i] >= interface->n_variables)
            return "an input that does not exist";
    for (int i = 0; i < interface->n_variables; i++) {
        const Variable *variable = interface->variables + i;
        if (variable->n < 0 || variable->n > interface->n_variables - i)
            return "an array that is cut off";
        if (!are_in_w(checks, variable->at, 1))
            return "a variable that is not in w";
        if (!is_stage(variable->stage) || !is_stage(variable->invalidates))
            return "a variable of a stage that does not exist";
        if (variable->settable > SET_ANY_TIME || variable->type > TYPE_ENUMERATION)
            return "a variable of no kind";
    }
    return interface->fixed_steps ? fault_of_fixed_steps(checks, interface->fixed_steps) : NULL;
}

const char *fault_of_tables(const Blob *blob, const Model *model, const Interface *interface) {
    const Checks checks = {blob, model, model->n_w};
    if (!has_items(&checks, model, 1) || !has_items(&checks, interface, 1) || model->n_w < 0)
        return "there is no model";
    const char *fault = fault_of_model(&checks);
    return fault ? fault : fault_of_interface(&checks, interface);
}
