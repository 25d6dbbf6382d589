#include "rates_of_step.h"

#include "step_arithmetic.h"

void find_free_rates(const Model *model, const State *state, const FixedSteps *steps, VelocityLevelWork *work, double h) {
    const RowTable *table = model->rows;
    const double *w = state->w, *u_dot = w + model->y_dot_at + (table->u - model->y_at);
    const FreeRates step = {.rates = work->rates,
                            .drifts = work->drifts,
                            .ahead = work->ahead,
                            .V = work->V,
                            .accelerations = work->accelerations,
                            .u_start = work->start.y + (table->u - model->y_at),
                            .removed = work->compliant.removed,
                            .has_removed = work->compliant.has_removed};
    (steps->constraints_at == CONSTRAINTS_AT_MIDDLE ? find_rates_from_middle : find_rates_from_begin)(table, w, u_dot, h, &step);
}
