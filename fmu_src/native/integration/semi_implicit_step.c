#include "step.h"

#include "elementary.h"
#include "tree.h"

#include <string.h>

double try_semi_implicit_step(const Model *model, State *state, Work *work, double step, double t_new, Integration *trial) {
    const int n_q = model->n_q, n = y_size(model);
    double *y = state->w + model->y_at, *rates = work->slopes;

    /* speeds and auxiliary variables, with the rates of the start */
    for (int i = n_q; i < n; i++)
        y[i] = work->y[i] + step * rates[i];
    double *speeds = work->y_stage;
    memcpy(speeds, y, (size_t)n * sizeof(double));

    /* coordinates, with the new speeds */
    invalidate(state, STAGE_VELOCITY);
    if (realize(model, state, model->q_dot_stage)) {
        if (state->stopped == NO_VALUE)
            state->stopped = 0;
        trial->outcome = NOT_FINITE;
        trial->culprit = 0;
        trial->time = state->w[model->time_at];
        trial->value = NAN;
        return INFINITY;
    }
    for (int i = 0; i < n_q; i++)
        y[i] = work->y[i] + step * state->w[model->y_dot_at + i];
    memcpy(y + n_q, speeds + n_q, (size_t)(n - n_q) * sizeof(double));
    return finish_step(model, state, work, t_new, work->slopes + n, trial) ? 0 : INFINITY;
}
