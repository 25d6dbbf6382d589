#include "evaluation.h"

#include "elementary.h"
#include "input_signals.h"
#include "state_arithmetic.h"
#include "tree.h"

#include <string.h>

static int first_not_finite(int n, const double *values) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return i;
    return -1;
}

int normalize_quaternions(const Model *model, double *w) {
    for (int i = 0; i < model->n_quaternions; i++) {
        double *e = w + model->quaternions[i];
        const double before[4] = {e[0], e[1], e[2], e[3]}, largest = normalize_quaternion(e);
        if (!(largest > 0) || !isfinite(largest)) {
            memcpy(e, before, sizeof before);
            return i;
        }
    }
    return -1;
}

void set_time(const Model *model, State *state, double time) {
    state->w[model->time_at] = time;
    invalidate(state, STAGE_TIME);
    const InputSignals *inputs = (const InputSignals *)(uintptr_t)state->inputs;
    if (inputs)
        inputs->update(inputs->owner, time);
}

int evaluate(const Model *model, State *state, double *y_dot) {
    if (realize(model, state, STAGE_ACCELERATION)) {
        y_dot[0] = NAN;
        if (state->stopped == NO_VALUE)
            state->stopped = 0;
        return 0;
    }
    memcpy(y_dot, state->w + model->y_dot_at, (size_t)y_size(model) * sizeof(double));
    return first_not_finite(y_size(model), y_dot);
}
