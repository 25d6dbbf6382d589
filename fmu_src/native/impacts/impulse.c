#include "impulse.h"

#include "elementary.h"
#include "given_friction.h"
#include "multipliers.h"
#include "scales.h"
#include "tree.h"

#include <string.h>

/* largest remaining velocity error, relative to its scale, and to the largest change relative to the scales */
static const double LEFT = 1e-6;

/* whether each velocity error of the enabled constraints equals its wanted value up to `allowed`, in the order of constraint_errors */
static int errors_match(const Model *model, const double *w, const double *wanted, double allowed) {
    const RowTable *table = model->rows;
    const double *each = wanted;
    int all_match = 1;
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; w[block->enabled] != 0 && row < block->n_position + block->n_velocity; row++)
            all_match = all_match && fabs(w[block->velocity_errors + row] - *each++) <= allowed * scale_of_rate(model, block->first + row);
    }
    return all_match;
}

/* Set dw to the changes of the biases, and 0 elsewhere. Set `wanted` to the velocity errors after the impulse, in the order of
 * constraint_errors. `impacting`: number of the constraint with restitutions; -1: none. Returns the largest change of an error, relative to
 * its scale. */
static double set_bias_changes(const Model *model, const double *w, int impacting, const double *restitution, double *dw, double *wanted) {
    const RowTable *table = model->rows;
    double largest_change = 0;
    memset(dw, 0, (size_t)model->n_w * sizeof(double));
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        for (int row = 0; w[block->enabled] != 0 && row < block->n_position + block->n_velocity; row++) {
            double error = w[block->velocity_errors + row], factor = i == impacting ? 1 + restitution[row] : 1;
            dw[block->bias + row] = factor * error;
            *wanted++ = error - factor * error;
            largest_change = fmax(largest_change, fabs(factor * error) / scale_of_rate(model, block->first + row));
        }
    }
    return largest_change;
}

/* u [n] += w_dot [n], the changes of their rates with the biases; returns whether all are finite */
static int add_changes(const double *w_dot, int n, double *u) {
    int is_finite = 1;
    for (int i = 0; i < n; i++) {
        is_finite = is_finite && isfinite(w_dot[i]);
        u[i] += w_dot[i];
    }
    return is_finite;
}

int apply_impulse(const Model *model, State *state, int impacting, const double *restitution, double *dw) {
    const RowTable *table = model->rows;
    double *w = state->w, *u = w + model->y_at + model->n_q, was_enabled = w[table->blocks[impacting].enabled];
    w[table->blocks[impacting].enabled] = 1;
    if (was_enabled == 0)
        invalidate(state, STAGE_INSTANCE);
    give_no_friction(model, state); /* a force gives no impulse */
    realize(model, state, STAGE_ACCELERATION);

    RowWorkspace work = row_workspace(table, w);
    double largest_change = set_bias_changes(model, w, impacting, restitution, dw, work.errors);
    realize_changes(model, w, dw, STAGE_ACCELERATION, STAGE_ACCELERATION);
    int is_finite = add_changes(dw + model->y_dot_at + model->n_q, model->n_u, u);
    invalidate(state, STAGE_VELOCITY);
    realize(model, state, STAGE_VELOCITY);
    release_given_friction(model, state);
    int is_done = is_finite && errors_match(model, w, work.errors, LEFT * (1 + largest_change));
    w[table->blocks[impacting].enabled] = was_enabled;
    if (was_enabled == 0)
        invalidate(state, STAGE_INSTANCE);
    realize(model, state, STAGE_VELOCITY);
    return is_done;
}

int remove_errors_by_impulse(const Model *model, State *state, const double *u_before, double *dw) {
    const RowTable *table = model->rows;
    double *w = state->w, *u = w + table->u;
    size_t bytes = (size_t)table->nu * sizeof(double);
    RowWorkspace work = row_workspace(table, w);

    /* the errors that must become 0 */
    memcpy(work.kept, u, bytes);
    memcpy(u, u_before, bytes);
    invalidate(state, STAGE_VELOCITY);
    give_no_friction(model, state); /* a force gives no impulse */
    realize(model, state, STAGE_VELOCITY);
    double largest_change = set_bias_changes(model, w, -1, NULL, dw, work.errors);

    /* Redundant rows agree only if the velocity errors are 0, so the system is solved at the projected u. The effect of the biases on
     * the rates depends on q alone. */
    memcpy(u, work.kept, bytes);
    invalidate(state, STAGE_VELOCITY);
    realize(model, state, STAGE_ACCELERATION);
    realize_changes(model, w, dw, STAGE_ACCELERATION, STAGE_ACCELERATION);

    memcpy(u, u_before, bytes);
    int is_finite = add_changes(dw + model->y_dot_at + (table->u - model->y_at), table->nu, u);
    invalidate(state, STAGE_VELOCITY);
    realize(model, state, STAGE_VELOCITY);
    release_given_friction(model, state);
    memset(work.errors, 0, (size_t)table->n_rows * sizeof(double));
    return is_finite && errors_match(model, w, work.errors, LEFT * (1 + largest_change));
}
