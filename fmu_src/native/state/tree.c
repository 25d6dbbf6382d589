#include "tree.h"

int run_sweep(const Model *model, const Sweep *sweep, State *state) {
    if (!state->stopped) {
        Call call = {.w = state->w, .scratch = state->w + model->scratch_at, .host = (void *)(uintptr_t)state->host};
        state->stopped = call_kernels(sweep, model->kernels, &call, state->w);
    }
    return state->stopped;
}

int realize(const Model *model, State *state, int stage) {
    while (state->realized < stage) {
        const Sweep *sweep = model->sweeps[state->realized + 1];
        int result = sweep ? run_sweep(model, sweep, state) : 0;
        if (result)
            return result;
        state->realized++;
    }
    return 0;
}

int run_tangents(const Model *model, const Sweep *sweep, double *w, double *dw) {
    return call_kernels(sweep, model->tangents, &(Call){.w = w, .dw = dw, .scratch = w + model->scratch_at}, dw);
}

int realize_changes(const Model *model, double *w, double *dw, int first_stage, int last_stage) {
    int result = 0;
    for (int stage = first_stage; stage <= last_stage && !result; stage++)
        if (model->sweeps[stage])
            result = run_tangents(model, model->sweeps[stage], w, dw);
    return result;
}

int realize_adjoints(const Model *model, double *w, double *dw, int first_stage, int last_stage) {
    Call call = {.w = w, .dw = dw, .scratch = w + model->scratch_at};
    int result = 0;
    for (int stage = last_stage; stage >= first_stage && !result; stage--)
        if (model->sweeps[stage])
            result = call_adjoints(model->sweeps[stage], model->adjoints, &call);
    return result;
}

void invalidate(State *state, int stage) {
    if (state->realized >= stage)
        state->realized = stage - 1;
}
