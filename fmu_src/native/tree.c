#include "tree.h"

#include <string.h>

static void clear(const Sweep *sweep, double *w) {
    for (int i = 0; i < sweep->n_clear; i++)
        memset(w + sweep->clear[2 * i], 0, (size_t)sweep->clear[2 * i + 1] * sizeof(double));
}

static void run(const Model *model, const Sweep *sweep, double *w) {
    clear(sweep, w);
    for (int row = 0; row < sweep->n_rows; row++)
        model->kernels[sweep->kernel[row]](w, sweep->at + sweep->first[row]);
}

void realize(const Model *model, State *state, int stage) {
    while (state->realized < stage) {
        const Sweep *sweep = model->sweeps[state->realized + 1];
        if (sweep)
            run(model, sweep, state->w);
        state->realized++;
    }
}

void realize_changes(const Model *model, const double *w, double *dw, int first_stage, int last_stage) {
    for (int stage = first_stage; stage <= last_stage; stage++) {
        const Sweep *sweep = model->sweeps[stage];
        if (!sweep)
            continue;
        clear(sweep, dw);
        for (int row = 0; row < sweep->n_rows; row++)
            model->tangents[sweep->kernel[row]](w, dw, sweep->at + sweep->first[row]);
    }
}

void invalidate(State *state, int stage) {
    if (state->realized >= stage)
        state->realized = stage - 1;
}
