#include "step.h"

#include "elementary.h"
#include "jacobian.h"
#include "lu.h"
#include "scales.h"
#include "step_control.h"

#include <string.h>

/* the factors of 1 / (h gamma) - J; -1, or the column where they end */
static int factor_step(int n, ImplicitWork *implicit, double step, double gamma) {
    size_t size = (size_t)n * (size_t)n;
    for (size_t i = 0; i < size; i++)
        implicit->W[i] = -implicit->J[i];
    for (int i = 0; i < n; i++)
        implicit->W[(size_t)i * ((size_t)n + 1)] += 1 / (step * gamma);
    return factor_lu(n, implicit->W, implicit->pivots);
}

/* y += the sum of weighted rows */
static void add_rows(int n, double *y, int n_rows, const double *weights, const double *rows) {
    for (int j = 0; j < n_rows; j++)
        for (int i = 0; weights[j] != 0 && i < n; i++)
            y[i] += weights[j] * rows[j * n + i];
}

double try_implicit_step(const Model *model, State *state, Work *work, const Method *method, double step, double t_new,
                         Integration *trial) {
    const RosenbrockTableau *tableau = method->rosenbrock;
    const int n = y_size(model), n_stages = tableau->n_stages;
    const size_t bytes = (size_t)n * sizeof(double);
    ImplicitWork *implicit = work->implicit;
    double t = state->w[model->time_at], *y_new = state->w + model->y_at, *us = work->slopes + n;
    trial->step_size = step;

    trial->culprit = factor_step(n, implicit, step, tableau->gamma);
    if (trial->culprit >= 0) {
        trial->outcome = NOT_FINITE;
        trial->time = t;
        trial->value = INFINITY;
        return INFINITY;
    }
    for (int stage = 0; stage < n_stages; stage++) {
        double *u = us + stage * n;
        if (stage == 0) {
            memcpy(u, work->slopes, bytes);
        } else {
            double time = tableau->c[stage] == 1 ? t_new : t + tableau->c[stage] * step;
            memcpy(y_new, work->y, bytes);
            add_rows(n, y_new, stage, tableau->a + stage * n_stages, us);
            if (!evaluate_stage(model, state, time, u, trial))
                return INFINITY;
        }
        for (int j = 0; j < stage; j++) {
            double weight = tableau->C[stage * n_stages + j] / step;
            for (int i = 0; i < n; i++)
                u[i] += weight * us[j * n + i];
        }
        for (int i = 0; i < n; i++)
            u[i] += step * tableau->d[stage] * implicit->f_t[i];
        solve_lu(n, implicit->W, implicit->pivots, u);
    }
    memcpy(y_new, work->y, bytes);
    add_rows(n, y_new, n_stages, tableau->a + n_stages * n_stages, us);
    if (!finish_step(model, state, work, t_new, work->slopes + method->last * n, trial))
        return INFINITY;

    memcpy(work->error, us + (n_stages - 1) * n, bytes);
    remove_projected_error(model, state, work, work->error);
    trial->outcome = TOO_INACCURATE;
    trial->value = scaled_error(n, work->error, work->y, y_new, y_scales(model), state->tolerance, &trial->culprit);
    return trial->value;
}
