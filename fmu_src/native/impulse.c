#include "impulse.h"

#include "elementary.h"
#include "multipliers.h"
#include "tree.h"

#include <string.h>

/* of the velocity errors that were to be changed, and 1: what may remain of them */
static const double LEFT = 1e-6;

/* whether no velocity error of an enabled constraint differs by more from what is wanted, in the order of constraint_errors */
static int errors_are(const RowTable *table, const double *w, const double *wanted, double allowed) {
    const double *each = wanted;
    int are = 1;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; w[block->enabled] != 0 && row < block->n_position + block->n_velocity; row++)
            are = are && fabs(w[block->velocity_errors + row] - *each++) <= allowed;
    }
    return are;
}

int apply_impulse(const Model *model, State *state, int impacting, const double *restitution, double *dw) {
    const RowTable *table = model->rows;
    double *w = state->w, *u = w + model->y_at + model->n_q, was_enabled = w[table->blocks[impacting].enabled], largest = 0;
    w[table->blocks[impacting].enabled] = 1;
    if (was_enabled == 0)
        invalidate(state, STAGE_INSTANCE);
    realize(model, state, STAGE_ACCELERATION);

    /* the changes of the biases, and what the velocity errors are to become */
    RowWorkspace work = row_workspace(table, w);
    memset(dw, 0, (size_t)model->n_w * sizeof(double));
    double *wanted = work.errors;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; w[block->enabled] != 0 && row < block->n_position + block->n_velocity; row++) {
            double error = w[block->velocity_errors + row], factor = i == impacting ? 1 + restitution[row] : 1;
            dw[block->bias + row] = factor * error;
            *wanted++ = error - factor * error;
            largest = fmax(largest, fabs(factor * error));
        }
    }

    realize_changes(model, w, dw, STAGE_ACCELERATION, STAGE_ACCELERATION);
    int is_finite = 1;
    for (int i = 0; i < model->n_u; i++) {
        double du = dw[model->y_dot_at + model->n_q + i];
        is_finite = is_finite && isfinite(du);
        u[i] += du;
    }
    invalidate(state, STAGE_VELOCITY);
    realize(model, state, STAGE_VELOCITY);
    int is_done = is_finite && errors_are(table, w, work.errors, LEFT * (1 + largest));
    w[table->blocks[impacting].enabled] = was_enabled;
    if (was_enabled == 0)
        invalidate(state, STAGE_INSTANCE);
    realize(model, state, STAGE_VELOCITY);
    return is_done;
}
