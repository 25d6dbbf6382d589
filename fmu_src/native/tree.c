#include "tree.h"

#include <string.h>

static void clear(const Sweep *sweep, double *w) {
    for (int i = 0; i < sweep->n_clear; i++)
        memset(w + sweep->clear[2 * i], 0, (size_t)sweep->clear[2 * i + 1] * sizeof(double));
}

/* call the kernels of a sweep in order, until one stops it */
static int call_kernels(const Kernel *kernels, const Sweep *sweep, Call *call) {
    int result = 0;
    for (int row = 0; row < sweep->n_rows && !result; row++) {
        const Kernel *kernel = kernels + sweep->kernel[row];
        result = kernel->run(kernel->context, call, sweep->at + sweep->first[row]);
    }
    return result;
}

int run_sweep(const Model *model, const Sweep *sweep, double *w) {
    clear(sweep, w);
    return call_kernels(model->kernels, sweep, &(Call){.w = w});
}

int realize(const Model *model, State *state, int stage) {
    while (state->realized < stage) {
        const Sweep *sweep = model->sweeps[state->realized + 1];
        int result = sweep ? run_sweep(model, sweep, state->w) : 0;
        if (result)
            return result;
        state->realized++;
    }
    return 0;
}

int run_tangents(const Model *model, const Sweep *sweep, double *w, double *dw) {
    clear(sweep, dw);
    return call_kernels(model->tangents, sweep, &(Call){.w = w, .dw = dw});
}

int realize_changes(const Model *model, double *w, double *dw, int first_stage, int last_stage) {
    int result = 0;
    for (int stage = first_stage; stage <= last_stage && !result; stage++)
        if (model->sweeps[stage])
            result = run_tangents(model, model->sweeps[stage], w, dw);
    return result;
}

void invalidate(State *state, int stage) {
    if (state->realized >= stage)
        state->realized = stage - 1;
}
