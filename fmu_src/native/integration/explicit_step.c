#include "step.h"

#include "elementary.h"
#include "explicit_arithmetic.h"
#include "scales.h"
#include "step_control.h"

#include <string.h>

/* the stages of a step, and its end; returns 0, and describes the fault in `trial`, if one is not finite or the end is not projected */
static int take_stages(const Model *model, State *state, Work *work, const Method *method, double step, double t_new, Integration *trial) {
    const Tableau *pair = method->pair;
    const int n = y_size(model), n_stages = pair->n_stages;
    const size_t bytes = (size_t)n * sizeof(double);
    double t = state->w[model->time_at], *y_new = state->w + model->y_at;

    for (int stage = 1; stage < n_stages; stage++) {
        memcpy(y_new, work->y, bytes);
        add_slopes(n, y_new, step, stage, pair->a + stage * n_stages, work->slopes);
        double *slope = work->slopes + stage * n;
        if (stage == n_stages - 2)
            memcpy(work->y_stage, y_new, bytes);

        /* the end of the step is t_new to the last bit */
        double time = pair->c[stage] == 1 ? t_new : t + pair->c[stage] * step;
        if (!(stage == n_stages - 1 ? finish_step(model, state, work, t_new, slope, trial)
                                    : evaluate_stage(model, state, time, slope, trial)))
            return 0;
    }
    return 1;
}

int step_inside(const Model *model, State *state, Work *work, double t, double time, Integration *trial) {
    const Method *method = work->method;
    if (!method->pair)
        return 0;
    memcpy(state->w + model->y_at, work->y, (size_t)y_size(model) * sizeof(double));
    return evaluate_stage(model, state, t, work->slopes, trial) && take_stages(model, state, work, method, time - t, time, trial);
}

double try_explicit_step(const Model *model, State *state, Work *work, const Method *method, double step, double t_new,
                         Integration *trial) {
    const Tableau *pair = method->pair;
    const int n = y_size(model), n_stages = pair->n_stages;
    const size_t bytes = (size_t)n * sizeof(double);
    double *y_new = state->w + model->y_at;
    trial->step_size = step;
    if (!take_stages(model, state, work, method, step, t_new, trial))
        return INFINITY;
    if (!pair->error)
        return 0;
    memset(work->error, 0, bytes);
    add_slopes(n, work->error, step, n_stages, pair->error, work->slopes);
    remove_projected_error(model, state, work, work->error);
    trial->outcome = TOO_INACCURATE;
    trial->value = scaled_error(n, work->error, work->y, y_new, y_scales(model), state->tolerance, &trial->culprit);
    if (pair->error_below) {
        int worst;
        memset(work->error_below, 0, bytes);
        add_slopes(n, work->error_below, step, n_stages, pair->error_below, work->slopes);
        remove_projected_error(model, state, work, work->error_below);
        double below = scaled_error(n, work->error_below, work->y, y_new, y_scales(model), state->tolerance, &worst);
        trial->value = paired_error(trial->value, below);
    }
    return trial->value;
}
