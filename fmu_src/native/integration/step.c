#include "step.h"

#include "elementary.h"
#include "evaluation.h"
#include "projection.h"
#include "projection_arithmetic.h"
#include "rows.h"
#include "scales.h"
#include "step_grid.h"
#include "tree.h"

#include <string.h>

int evaluate_realized(const Model *model, State *state, double *y_dot, Integration *trial) {
    trial->n_evaluations++;
    trial->culprit = evaluate(model, state, y_dot);
    if (trial->culprit < 0)
        return 1;
    trial->outcome = NOT_FINITE;
    trial->value = y_dot[trial->culprit];
    return 0;
}

int evaluate_stage(const Model *model, State *state, double time, double *y_dot, Integration *trial) {
    trial->time = time;
    set_time(model, state, time);
    return evaluate_realized(model, state, y_dot, trial);
}

int project_step(const Model *model, State *state, int is_inside, double *before, Integration *trial) {
    const int n = y_size(model);
    const RowTable *rows = model->rows;
    double *y = state->w + model->y_at;
    realize(model, state, STAGE_VELOCITY); /* sets prescribed coordinates and speeds */
    memcpy(before, y, (size_t)n * sizeof(double));
    Projection projection = project(model, state, state->constraint_tolerance);
    if (!projection.is_done) {
        trial->outcome = NOT_PROJECTED;
        trial->culprit = projection.constraint;
        trial->value = projection.error;
        return 0;
    }
    if (has_fixed_steps(state))
        return 1;
    double furthest = most_moved(is_inside ? MOST_MOVED_INSIDE : MOST_MOVED, state->tolerance, state->constraint_tolerance);

    /* the error of an interpolant is that of the fastest coordinate, and the projection distributes it over the others */
    double largest_q = is_inside && rows ? 1 + largest_in_scales(model, before, rows->q - model->y_at, rows->nq) : 0;
    double largest_u = is_inside && rows ? 1 + largest_in_scales(model, before, rows->u - model->y_at, rows->nu) : 0;
    int is_near = 1;
    for (int i = 0; rows && i < n; i++) {
        int is_q = i >= rows->q - model->y_at && i < rows->q - model->y_at + rows->nq;
        int is_u = i >= rows->u - model->y_at && i < rows->u - model->y_at + rows->nu;
        double moved = is_q || is_u ? fabs(y[i] - before[i]) : 0;
        double scale = scale_of_y(model, i), size = fmax(scale + fabs(before[i]), scale * (is_u ? largest_u : largest_q));
        if (moved > furthest * size) {
            furthest = moved / size;
            trial->outcome = MOVED_TOO_FAR;
            trial->culprit = i;
            trial->constraint = projection.first[is_u];
            trial->value = moved;
            is_near = 0;
        }
    }
    return is_near;
}

int nearly_satisfies(const Model *model, State *state, double time, const double *y) {
    memcpy(state->w + model->y_at, y, (size_t)y_size(model) * sizeof(double));
    set_time(model, state, time);
    return largest_constraint_error(model, state) <= most_moved(MOST_MOVED_INSIDE, state->tolerance, state->constraint_tolerance);
}

int finish_step(const Model *model, State *state, Work *work, double t_new, double *y_dot, Integration *trial) {
    trial->time = t_new;
    set_time(model, state, t_new);
    trial->culprit = normalize_quaternions(model, state->w);
    if (trial->culprit >= 0) {
        trial->outcome = ZERO_QUATERNION;
        return 0;
    }
    if (has_constraints(model) && !project_step(model, state, 0, work->error, trial))
        return 0;
    return evaluate_realized(model, state, y_dot, trial);
}

void remove_projected_error(const Model *model, State *state, Work *work, double *error) {
    if (!has_constraints(model))
        return;
    /* a copy of w costs less than realizing it again */
    copy_numbers(model, work->w, state->w);
    remove_normal_part(model, state, error);
    copy_numbers(model, state->w, work->w);
    state->realized = STAGE_ACCELERATION;
}
