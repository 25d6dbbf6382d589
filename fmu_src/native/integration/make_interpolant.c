/* The interpolant of a step, in the form of method.h.
 *
 * Sources: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993), II.6, and their codes DOPRI5 and DOP853; Hairer &
 * Wanner II (1996), IV.7 */
#include "step.h"

#include "elementary.h"
#include "evaluation.h"
#include "explicit_arithmetic.h"
#include "projection.h"
#include "scales.h"
#include "slips_at_end.h"
#include "tree.h"

#include <string.h>

int project_stage(const Model *model, State *state, double time, Integration *trial) {
    trial->time = time;
    set_time(model, state, time);
    if (!has_constraints(model))
        return 1;
    trial->culprit = normalize_quaternions(model, state->w);
    if (trial->culprit >= 0) {
        trial->outcome = ZERO_QUATERNION;
        return 0;
    }
    realize(model, state, STAGE_VELOCITY); /* sets prescribed coordinates and speeds */
    const Projection projection = project(model, state, state->constraint_tolerance);
    trial->outcome = projection.is_done ? trial->outcome : NOT_PROJECTED;
    trial->culprit = projection.constraint;
    trial->value = projection.error;
    return projection.is_done;
}

/* evaluate the stages that only the interpolant needs; w is restored afterwards */
static int evaluate_inside(const Model *model, State *state, Work *work, const Tableau *pair, double step, Integration *trial) {
    const int n = y_size(model), n_all = pair->n_stages + pair->n_inner;
    double t_new = state->w[model->time_at], *y = state->w + model->y_at;
    int is_done = 1;
    if (pair->n_inner == 0)
        return 1;

    /* a copy of w costs less than realizing it again */
    copy_numbers(model, work->w, state->w);
    for (int k = 0; k < pair->n_inner && is_done; k++) {
        int stage = pair->n_stages + k;
        for (int i = 0; i < n; i++)
            y[i] = work->y[i] + step * weighted(stage, pair->inner_a + k * n_all, work->slopes, n, i);
        is_done = project_stage(model, state, t_new - (1 - pair->inner_c[k]) * step, trial) &&
                  evaluate_realized(model, state, work->slopes + stage * n, trial);
    }
    copy_numbers(model, state->w, work->w);
    state->realized = STAGE_ACCELERATION;
    return is_done;
}

void make_explicit_interpolant(int n, const Work *work, const Method *method, double step, const double *y_new) {
    find_explicit_interpolant(n, work->dense, method, step, work->y, work->slopes, y_new);
}

/* from Rodas's form: y + x (change + (1 - x) (k1 + x (k2 + x k3))) */
static void make_implicit(int n, const Work *work, const Method *method, const double *y_new) {
    const RosenbrockTableau *tableau = method->rosenbrock;
    const double *us = work->slopes + n;
    for (int i = 0; i < n; i++) {
        double *r = work->dense + i, k[3] = {0, 0, 0};
        for (int j = 0; j < tableau->n_dense; j++)
            k[j] = weighted(tableau->n_stages, tableau->dense + j * tableau->n_stages, us, n, i);
        r[0] = y_new[i] - work->y[i];
        r[n] = k[0];
        r[2 * n] = k[1] + k[2];
        r[3 * n] = -k[2];
    }
}

int make_interpolant(const Model *model, State *state, Work *work, const Method *method, double step, Integration *trial) {
    const int n = y_size(model);
    const double *y_new = state->w + model->y_at;
    if (method->pair && !evaluate_before_stops(model, state, work, method, step, trial))
        return 0;
    if (method->pair && !evaluate_inside(model, state, work, method->pair, step, trial))
        return 0;
    if (method->rosenbrock)
        make_implicit(n, work, method, y_new);
    else if (method->pair)
        make_explicit_interpolant(n, work, method, step, y_new);
    else
        find_semi_implicit_interpolant(n, work->dense, step, work->y, work->slopes, y_new);
    return 1;
}
