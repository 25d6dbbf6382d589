#include "rates_of_step.h"

#include "elementary.h"
#include "rows.h"

#include <string.h>

static int has_prescribed_speeds(const RowTable *table, const double *w) {
    for (int j = 0; j < table->n_joints; j++)
        if (is_known(table->joints + j, w))
            return 1;
    return 0;
}

/* in the accelerations of the bodies, clear those that are prescribed, or all others */
static void clear_accelerations(const RowTable *table, const double *w, int are_prescribed, double *accelerations) {
    for (int j = 0; j < table->n_joints; j++) {
        const RowJoint *joint = table->joints + j;
        if (is_known(joint, w) == are_prescribed)
            memset(accelerations + joint->first, 0, (size_t)joint->nu * sizeof(double));
    }
}

/* find_free_rates with rows at the beginning */
static void find_rates_from_begin(const Model *model, const State *state, VelocityLevelWork *work, double h) {
    const RowTable *table = model->rows;
    const double *w = state->w, *u_dot = w + model->y_dot_at + (table->u - model->y_at);
    rates_along(table, w, u_dot, work->V, work->rates);
    memcpy(work->accelerations, u_dot, (size_t)table->nu * sizeof(double));
    clear_accelerations(table, w, 1, work->accelerations);
    rates_along(table, w, work->accelerations, work->V, work->drifts);
    for (int i = 0; i < table->n_blocks; i++)
        for (int row = 0; row < table->blocks[i].n; row++) {
            int line = table->blocks[i].first + row;
            work->drifts[line] = h * (work->drifts[line] + w[table->blocks[i].bias + row] - work->rates[line]);
            work->rates[line] *= h;
        }
    if (!work->compliant.has_removed)
        return;
    rates_along(table, w, work->compliant.removed, work->V, work->ahead);
    for (int k = 0; k < table->nu; k++)
        work->accelerations[k] = h * u_dot[k] + work->compliant.removed[k];
    rates_along(table, w, work->accelerations, work->V, work->rates);
}

/* find_free_rates with rows at the middle, where the speeds in w are not those of the start */
static void find_rates_from_middle(const Model *model, const State *state, VelocityLevelWork *work, double h) {
    const RowTable *table = model->rows;
    const double *w = state->w, *u_dot = w + model->y_dot_at + (table->u - model->y_at);
    const double *u = w + table->u, *u_start = work->start.y + (table->u - model->y_at);

    /* the bias of a row contains the prescribed accelerations, which the change of speeds contains, too */
    memset(work->drifts, 0, (size_t)table->n_rows * sizeof(double));
    if (has_prescribed_speeds(table, w)) {
        memcpy(work->accelerations, u_dot, (size_t)table->nu * sizeof(double));
        clear_accelerations(table, w, 0, work->accelerations);
        rates_along(table, w, work->accelerations, work->V, work->drifts);
    }
    for (int i = 0; i < table->n_blocks; i++)
        for (int row = 0; row < table->blocks[i].n; row++) {
            int line = table->blocks[i].first + row;
            work->drifts[line] = h / 2 * (w[table->blocks[i].bias + row] - work->drifts[line]);
        }
    for (int k = 0; k < table->nu; k++)
        work->accelerations[k] = u_start[k] - u[k] + h * u_dot[k] + work->compliant.removed[k];
    rates_along(table, w, work->accelerations, work->V, work->rates);

    /* rows of accelerations keep their accelerations; the others have a rate of 0 at the end */
    memset(work->ahead, 0, (size_t)table->n_rows * sizeof(double));
    if (work->compliant.has_removed)
        rates_along(table, w, work->compliant.removed, work->V, work->ahead);
    for (int i = 0; i < table->n_blocks; i++)
        for (int line = table->blocks[i].first, row = 0; row < table->blocks[i].n_position + table->blocks[i].n_velocity; row++, line++)
            work->ahead[line] = work->rates[line] + work->drifts[line];
}

void find_free_rates(const Model *model, const State *state, const FixedSteps *steps, VelocityLevelWork *work, double h) {
    (steps->constraints_at == CONSTRAINTS_AT_MIDDLE ? find_rates_from_middle : find_rates_from_begin)(model, state, work, h);
}
