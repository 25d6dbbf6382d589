#include "input_ramps.h"
#include "set_between_steps.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

static void update(void *owner, double time) {
    const InputRamps *ramps = owner;
    for (int i = 0; i < ramps->n; i++)
        if (ramps->rates[i] != 0 || ramps->curvatures[i] != 0) {
            double since = time - ramps->start;
            ramps->state->w[ramps->at[i]] = ramps->values[i] + since * (ramps->rates[i] + since / 2 * ramps->curvatures[i]);
            invalidate(ramps->state, ramps->stages[i]);
        }
}

static void set_rates(void *owner, double *dw) {
    const InputRamps *ramps = owner;
    for (int i = 0; i < ramps->n; i++)
        dw[ramps->at[i]] = ramps->rates[i] + (ramps->state->w[ramps->time_at] - ramps->start) * ramps->curvatures[i];
}

static void clear_rates(void *owner, double *dw) {
    const InputRamps *ramps = owner;
    for (int i = 0; i < ramps->n; i++)
        dw[ramps->at[i]] = 0;
}

static void attach(InputRamps *ramps, State *state) {
    ramps->state = state;
    ramps->signals = (InputSignals){update, set_rates, clear_rates, ramps};
    state->inputs = ramps->n ? (uint64_t)(uintptr_t)&ramps->signals : 0;
}

int set_ramps(InputRamps *ramps, const Model *model, State *state, int n, const int *at, const int *stages, const double *values,
              const double *rates, const double *curvatures) {
    if (n != ramps->n) {
        free_ramps(ramps);
        ramps->values = calloc(3 * (size_t)n + 1, sizeof(double));
        ramps->at = calloc(2 * (size_t)n + 1, sizeof(int));
        if (!ramps->values || !ramps->at)
            return 0;
        ramps->rates = ramps->values + n;
        ramps->curvatures = ramps->rates + n;
        ramps->stages = ramps->at + n;
        ramps->n = n;
    }
    memcpy(ramps->at, at, (size_t)n * sizeof(int));
    memcpy(ramps->stages, stages, (size_t)n * sizeof(int));
    memcpy(ramps->values, values, (size_t)n * sizeof(double));
    memcpy(ramps->rates, rates, (size_t)n * sizeof(double));
    memcpy(ramps->curvatures, curvatures, (size_t)n * sizeof(double));
    ramps->time_at = model->time_at;
    ramps->start = state->w[model->time_at];
    for (int i = 0; i < n; i++)
        set_number(model, state, at[i], values[i], stages[i]);
    attach(ramps, state);
    return 1;
}

void share_ramps(const InputRamps *ramps, State *of, InputRamps *copy) {
    *copy = *ramps;
    attach(copy, of);
}

void free_ramps(InputRamps *ramps) {
    free(ramps->values);
    free(ramps->at);
    *ramps = (InputRamps){0};
}
