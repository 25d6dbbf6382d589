#include "directional.h"
#include "changes_at_start.h"
#include "contact_slots.h"
#include "differentiable_start.h"
#include "elementary.h"
#include "instance.h"
#include "logging.h"
#include "shown_start.h"
#include "tree.h"
#include "values.h"

#include <string.h>

/* the least number of knowns for which one backward sweep costs less than a forward sweep for each of them */
enum { FEWEST_BACKWARDS = 2 };

/* the place of the change of a known variable, and the first stage that depends on it */
typedef struct {
    int at, stage; /* stage 0: the variable is computed, not known */
} Source;

static Source source_of(const Instance *instance, const Variable *variable) {
    const Model *model = instance->model;
    int at = variable->at, start = at - model->y_start_at;

    /* until initialization ends, an initial condition is the state itself; afterwards nothing depends on it */
    if (start >= 0 && start < y_size(model)) {
        if (!is_before_start(instance))
            return (Source){at, STAGE_REPORT};
        at = model->y_at + start;
    }

    int entry = at - model->y_at;
    if (at == model->time_at)
        return (Source){at, STAGE_TIME};
    if (entry >= 0 && entry < y_size(model))
        return (Source){at, entry < model->n_q ? STAGE_POSITION : entry < model->n_q + model->n_u ? STAGE_VELOCITY : STAGE_DYNAMICS};
    return (Source){at, variable->settable == SET_NEVER ? 0 : variable->invalidates};
}

/* check the variables, and find the first stage that depends on the knowns and the last one that the unknowns need */
static Status check(Instance *instance, Derivatives of, size_t n_d_known, size_t n_d_unknown, int *first_stage, int *last_stage) {
    const Model *model = instance->model;
    Entries entries;
    size_t n_unknown = 0, n_known = 0;
    *first_stage = STAGE_REPORT;
    *last_stage = STAGE_EMPTY;
    if ((of.n_unknown && !of.unknowns) || (of.n_known && !of.knowns))
        return log_error(instance, "an array is a null pointer.");
    if (!model->tangents)
        return log_error(instance, "this model has no derivatives.");
    if (has_slots(model))
        return log_error(instance, "contact '%s': its points are decided once a step, and have no derivatives.", name_of_slots(model));
    for (size_t i = 0; i < of.n_unknown; i++)
        if (!find_variable(instance, of.unknowns[i], TYPE_REAL))
            return STATUS_ERROR;
    for (size_t i = 0; i < of.n_known; i++)
        if (!find_variable(instance, of.knowns[i], TYPE_REAL))
            return STATUS_ERROR;
    begin_entries(&entries, instance, of.unknowns, of.n_unknown);
    for (const Variable *variable; (variable = next_entry(&entries)); n_unknown++) {
        if (variable->at >= indicators_at(instance->interface) &&
            variable->at < indicators_at(instance->interface) + n_event_indicators(model))
            return log_error(instance, "variable '%s' is an event indicator, which has no derivatives.", variable->name);
        if (variable->stage > *last_stage)
            *last_stage = variable->stage;
    }
    begin_entries(&entries, instance, of.knowns, of.n_known);
    for (const Variable *variable; (variable = next_entry(&entries)); n_known++) {
        Source source = source_of(instance, variable);
        if (!source.stage)
            return log_error(instance, "variable '%s' is computed: there is no derivative with respect to it.", variable->name);
        if (source.stage < *first_stage)
            *first_stage = source.stage;
    }
    if (n_unknown != n_d_unknown || n_known != n_d_known)
        return log_error(instance, "arrays of %lu unknowns and %lu knowns were given, and the variables have %lu and %lu.",
                         (unsigned long)n_d_unknown, (unsigned long)n_d_known, (unsigned long)n_unknown, (unsigned long)n_known);
    return STATUS_OK;
}

/* the changes of the unknowns; not_finite: the first variable whose change is not finite, or NULL */
static const Variable *read_changes(const Instance *instance, Entries *entries, double *d_unknown) {
    const Variable *not_finite = NULL;
    for (const Variable *variable; (variable = next_entry(entries)); d_unknown++) {
        *d_unknown = instance->dw[variable->at] + 0.0; /* which sign a zero has depends on earlier calls */
        if (!isfinite(*d_unknown) && !not_finite)
            not_finite = variable;
    }
    return not_finite;
}

static Status log_not_finite(const Instance *instance, const Variable *variable) {
    return log_error(instance, "the derivative of variable '%s' is %g.", variable->name, instance->dw[variable->at]);
}

Status directional_derivative(Instance *instance, Derivatives of, const double *d_known, size_t n_d_known, double *d_unknown,
                              size_t n_d_unknown) {
    const Model *model = instance->model;
    double *dw = instance->dw;
    int first_stage, last_stage;
    Entries entries;
    if ((n_d_unknown && !d_unknown) || (n_d_known && !d_known))
        return log_error(instance, "an array is a null pointer.");
    if (check(instance, of, n_d_known, n_d_unknown, &first_stage, &last_stage) != STATUS_OK)
        return STATUS_ERROR;
    begin_entries(&entries, instance, of.knowns, of.n_known);
    const double *change = d_known;
    for (const Variable *variable; (variable = next_entry(&entries)); change++)
        if (!isfinite(*change))
            return log_error(instance, "the change of variable '%s' is %g; give a finite number.", variable->name, *change);
    Status status = show_start(instance);
    realize(model, instance->state, last_stage);
    if (check_not_stopped(instance) != STATUS_OK)
        return STATUS_ERROR;
    if (check_start(instance, first_stage) != STATUS_OK)
        return STATUS_DISCARD;

    const int first_known = first_stage;
    begin_tangents(instance, &first_stage);
    begin_entries(&entries, instance, of.knowns, of.n_known);
    for (const Variable *variable; (variable = next_entry(&entries));)
        dw[source_of(instance, variable).at] += *d_known++;
    const Moves moves = find_changes_of_all(instance, first_stage, last_stage);
    begin_entries(&entries, instance, of.unknowns, of.n_unknown);
    const Variable *not_finite = read_changes(instance, &entries, d_unknown);
    begin_entries(&entries, instance, of.knowns, of.n_known);
    for (const Variable *variable; (variable = next_entry(&entries));)
        dw[source_of(instance, variable).at] = 0;
    memset(dw + model->y_at, 0, (size_t)y_size(model) * sizeof(double));
    if (check_moves(instance, moves) != STATUS_OK)
        return STATUS_DISCARD;
    if (last_stage >= STAGE_ACCELERATION && check_contacts(instance, first_known, dw + model->y_dot_at + model->n_q) != STATUS_OK)
        return STATUS_DISCARD;
    return not_finite ? log_not_finite(instance, not_finite) : status;
}

/* One column of the Jacobian after the other: the change of all unknowns with one known. Each begins at the first stage that depends on its
 * known. Returns NULL, or the first known whose derivative is not finite, or with which contacts move that allow none: those in `moves`. */
static const Variable *adjoint_by_columns(Instance *instance, Derivatives of, const double *d_unknown, double *d_known, int last_stage,
                                          Moves *moves) {
    double *dw = instance->dw;
    Entries knowns, unknowns;
    begin_entries(&knowns, instance, of.knowns, of.n_known);
    for (const Variable *known; (known = next_entry(&knowns)); d_known++) {
        const double *seed = d_unknown;
        Source source = source_of(instance, known);
        begin_tangents(instance, &source.stage);
        dw[source.at] = 1;
        *moves = find_changes_of_all(instance, source.stage, last_stage);
        *d_known = 0;
        begin_entries(&unknowns, instance, of.unknowns, of.n_unknown);
        for (const Variable *unknown; (unknown = next_entry(&unknowns));)
            *d_known += *seed++ * dw[unknown->at];
        dw[source.at] = 0;
        memset(dw + instance->model->y_at, 0, (size_t)y_size(instance->model) * sizeof(double));
        if (!isfinite(*d_known) || (moves->opening && moves->closing))
            return known;
    }
    return NULL;
}

/* All at once, by the adjoints of the sweeps. Returns whether all are finite. */
static int adjoint_backwards(Instance *instance, Derivatives of, const double *d_unknown, double *d_known, int first_stage,
                             int last_stage) {
    const Model *model = instance->model;
    const size_t bytes = (size_t)model->n_w * sizeof(double);
    double *dw = instance->dw;
    Entries entries;
    memset(dw, 0, bytes);
    begin_entries(&entries, instance, of.unknowns, of.n_unknown);
    for (const Variable *unknown; (unknown = next_entry(&entries));)
        dw[unknown->at] += *d_unknown++;
    int are_finite = realize_adjoints(model, instance->state->w, dw, first_stage, last_stage) == 0;
    begin_entries(&entries, instance, of.knowns, of.n_known);
    for (const Variable *known; (known = next_entry(&entries)); d_known++) {
        *d_known = dw[source_of(instance, known).at];
        are_finite = are_finite && isfinite(*d_known);
    }
    memset(dw, 0, bytes);
    instance->dw_stage = 0;
    return are_finite;
}

Status adjoint_derivative(Instance *instance, Derivatives of, const double *d_unknown, size_t n_d_unknown, double *d_known,
                          size_t n_d_known) {
    const Model *model = instance->model;
    int first_stage, last_stage;
    if ((n_d_unknown && !d_unknown) || (n_d_known && !d_known))
        return log_error(instance, "an array is a null pointer.");
    if (check(instance, of, n_d_known, n_d_unknown, &first_stage, &last_stage) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n_d_unknown; i++)
        if (!isfinite(d_unknown[i]))
            return log_error(instance, "a seed is %g; give finite numbers.", d_unknown[i]);
    Status status = show_start(instance);
    realize(model, instance->state, last_stage);
    if (check_not_stopped(instance) != STATUS_OK)
        return STATUS_ERROR;
    if (check_start(instance, first_stage) != STATUS_OK ||
        (last_stage >= STAGE_ACCELERATION &&
         check_contacts(instance, STAGE_TIME, instance->dw + model->y_dot_at + model->n_q) != STATUS_OK))
        return STATUS_DISCARD;

    /* backwards, infinite numbers may cancel that columns do not contain */
    if (model->adjoints && n_d_known >= FEWEST_BACKWARDS && !are_of_start(instance, first_stage) &&
        adjoint_backwards(instance, of, d_unknown, d_known, first_stage, last_stage))
        return status;
    Moves moves = {NULL, NULL};
    const Variable *not_finite = adjoint_by_columns(instance, of, d_unknown, d_known, last_stage, &moves);
    if (check_moves(instance, moves) != STATUS_OK)
        return STATUS_DISCARD;
    return not_finite ? log_error(instance, "the derivative with respect to variable '%s' is not finite.", not_finite->name) : status;
}

/* the rates of the inputs, or zeros */
static void set_input_rates(Instance *instance, int are_zero, int *first_stage) {
    const Interface *interface = instance->interface;
    for (int i = 0; i < interface->n_inputs; i++) {
        const Variable *variable = interface->variables + interface->inputs[i];
        double rate = instance->state->w[interface->input_derivatives_at + NUMBERS_OF_INPUT * i + RATE_AT_END];
        instance->dw[variable->at] = are_zero ? 0 : rate;
        if (rate != 0 && variable->invalidates < *first_stage)
            *first_stage = variable->invalidates;
    }
}

Status output_derivatives(Instance *instance, const unsigned *references, size_t n, const int *orders, double *values, size_t n_values) {
    const Model *model = instance->model;
    double *dw = instance->dw;
    int first_stage = STAGE_TIME, ignored, last_stage;
    Entries entries;
    if ((n && !orders) || (n_values && !values))
        return log_error(instance, "an array is a null pointer.");
    if (check(instance, (Derivatives){references, n, NULL, 0}, 0, n_values, &ignored, &last_stage) != STATUS_OK)
        return STATUS_ERROR;
    for (size_t i = 0; i < n; i++)
        if (orders[i] != 1)
            return log_error(instance, "outputs have derivatives of order 1 alone, not %d.", orders[i]);
    realize(model, instance->state, STAGE_REPORT);
    if (check_not_stopped(instance) != STATUS_OK)
        return STATUS_ERROR;

    set_input_rates(instance, 0, &first_stage);
    begin_tangents(instance, &first_stage);
    dw[model->time_at] = 1;
    memcpy(dw + model->y_at, instance->state->w + model->y_dot_at, (size_t)y_size(model) * sizeof(double));
    realize_changes(model, instance->state->w, dw, first_stage, last_stage);
    begin_entries(&entries, instance, references, n);
    const Variable *not_finite = read_changes(instance, &entries, values);
    dw[model->time_at] = 0;
    memset(dw + model->y_at, 0, (size_t)y_size(model) * sizeof(double));
    set_input_rates(instance, 1, &first_stage);
    return not_finite ? log_not_finite(instance, not_finite) : STATUS_OK;
}
