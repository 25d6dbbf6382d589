#include "tree.h"

#include <string.h>

static void run(const Model *model, const Sweep *sweep, double *w) {
    for (int i = 0; i < sweep->n_clear; i++)
        memset(w + sweep->clear[2 * i], 0, (size_t)sweep->clear[2 * i + 1] * sizeof(double));
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

void invalidate(State *state, int stage) {
    if (state->realized >= stage)
        state->realized = stage - 1;
}
