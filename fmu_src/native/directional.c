#include "directional.h"
#include "elementary.h"
#include "logging.h"
#include "tree.h"
#include "values.h"

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

Status directional_derivative(Instance *instance, const unsigned *unknowns, size_t n_unknown, const unsigned *knowns, size_t n_known,
                              const double *d_known, double *d_unknown) {
    const Model *model = instance->model;
    double *dw = instance->dw;
    if ((n_unknown && (!unknowns || !d_unknown)) || (n_known && (!knowns || !d_known)))
        return log_error(instance, "an array is a null pointer.");
    if (!model->tangents)
        return log_error(instance, "this model has no derivatives.");

    int first_stage = STAGE_REPORT, last_stage = STAGE_EMPTY;
    for (size_t i = 0; i < n_unknown; i++) {
        const Variable *variable = find_variable(instance, unknowns[i], TYPE_REAL);
        if (!variable)
            return STATUS_ERROR;
        if (variable->stage > last_stage)
            last_stage = variable->stage;
    }
    for (size_t i = 0; i < n_known; i++) {
        const Variable *variable = find_variable(instance, knowns[i], TYPE_REAL);
        if (!variable)
            return STATUS_ERROR;
        Source source = source_of(instance, variable);
        if (!source.stage)
            return log_error(instance, "variable '%s' is computed: there is no derivative with respect to it.", variable->name);
        if (!isfinite(d_known[i]))
            return log_error(instance, "the change of variable '%s' is %g; give a finite number.", variable->name, d_known[i]);
        if (source.stage < first_stage)
            first_stage = source.stage;
    }
    realize(model, instance->state, last_stage);
    if (check_not_stopped(instance) != STATUS_OK)
        return STATUS_ERROR;

    /* recompute the stages in which earlier changes were computed */
    if (instance->dw_stage && instance->dw_stage < first_stage)
        first_stage = instance->dw_stage;
    instance->dw_stage = first_stage;
    for (size_t i = 0; i < n_known; i++)
        dw[source_of(instance, instance->interface->variables + knowns[i]).at] += d_known[i];
    realize_changes(model, instance->state->w, dw, first_stage, last_stage);

    const Variable *not_finite = NULL;
    for (size_t i = 0; i < n_unknown; i++) {
        const Variable *variable = instance->interface->variables + unknowns[i];
        d_unknown[i] = dw[variable->at];
        if (!isfinite(d_unknown[i]) && !not_finite)
            not_finite = variable;
    }
    for (size_t i = 0; i < n_known; i++)
        dw[source_of(instance, instance->interface->variables + knowns[i]).at] = 0;
    if (not_finite)
        return log_error(instance, "the derivative of variable '%s' is %g.", not_finite->name, dw[not_finite->at]);
    return STATUS_OK;
}
