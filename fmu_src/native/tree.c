#include "tree.h"

#include <string.h>

static void clear(const Sweep *sweep, double *w) {
    for (int i = 0; i < sweep->n_clear; i++)
        memset(w + sweep->clear[2 * i], 0, (size_t)sweep->clear[2 * i + 1] * sizeof(double));
}

void run_sweep(const Model *model, const Sweep *sweep, double *w) {
    clear(sweep, w);
    for (int row = 0; row < sweep->n_rows; row++)
        model->kernels[sweep->kernel[row]](w, sweep->at + sweep->first[row]);
}

void realize(const Model *model, State *state, int stage) {
    while (state->realized < stage) {
        const Sweep *sweep = model->sweeps[state->realized + 1];
        if (sweep)
            run_sweep(model, sweep, state->w);
        state->realized++;
    }
}

void run_tangents(const Model *model, const Sweep *sweep, const double *w, double *dw) {
    clear(sweep, dw);
    for (int row = 0; row < sweep->n_rows; row++)
        model->tangents[sweep->kernel[row]](w, dw, sweep->at + sweep->first[row]);
}

void realize_changes(const Model *model, const double *w, double *dw, int first_stage, int last_stage) {
    for (int stage = first_stage; stage <= last_stage; stage++)
        if (model->sweeps[stage])
            run_tangents(model, model->sweeps[stage], w, dw);
}

void invalidate(State *state, int stage) {
    if (state->realized >= stage)
        state->realized = stage - 1;
}
