/* The sweeps over lanes. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_trial.h"

#include "events.h"

#include <stdlib.h>
#include <string.h>

/* call a kernel of the model on the State of each lane */
static void call_in_each_lane(Lanes *lanes, int number, const int *at) {
    const Model *model = lanes->table->model;
    const LaneKernel *ranges = lanes->table->kernels + number;
    const Kernel *kernel = model->kernels + number;
    for (int lane = 0; lane < MOBOD_LANES; lane++) {
        if (!lanes->lanes[lane].run)
            continue;
        State *state = lanes->lanes[lane].run->simulation->state;
        double *w = state->w;
        Call call = {.w = w, .scratch = w + model->scratch_at, .host = (void *)(uintptr_t)state->host};
        for (int i = 0; i < ranges->n_inputs; i++)
            for (int k = ranges->inputs[2 * i]; k < ranges->inputs[2 * i] + ranges->inputs[2 * i + 1]; k++)
                w[k] = lanes->w[k][lane];
        if (kernel->run(kernel->context, &call, at))
            lanes->lanes[lane].is_unusual = 1;
        for (int i = 0; i < ranges->n_outputs; i++)
            for (int k = ranges->outputs[2 * i]; k < ranges->outputs[2 * i] + ranges->outputs[2 * i + 1]; k++)
                lanes->w[k][lane] = w[k];
    }
}

static int run_on_no_lanes(const void *context, Call *call, const int *at) {
    (void)context;
    (void)call;
    (void)at;
    return NOT_OVER_LANES;
}

void sweep_in_lanes(Lanes *lanes, const LaneSweep *sweep) {
    Call call = {.w = (double *)lanes->w, .scratch = (double *)lanes->scratch, .host = lanes};
    for (int i = 0; i < sweep->n_clear; i++)
        memset(lanes->w + sweep->clear[2 * i], 0, (size_t)sweep->clear[2 * i + 1] * sizeof(Number));
    for (const LaneCall *each = sweep->calls, *end = each + sweep->n_calls; each < end; each++) {
        const int result = each->run(each->context, &call, each->at);
        if (result == NOT_OVER_LANES)
            call_in_each_lane(lanes, each->number, each->at);
        else if (result)
            for (int lane = 0; lane < MOBOD_LANES; lane++)
                lanes->lanes[lane].is_unusual = 1;
    }
}

void realize_in_lanes(Lanes *lanes, int stage) {
    while (lanes->realized < stage)
        sweep_in_lanes(lanes, lanes->sweeps->of_stages + ++lanes->realized);
}

/* the calls of a sweep, written from `next` on, which is moved */
static LaneSweep calls_of(const LanesTable *table, const Sweep *sweep, LaneCall **next) {
    if (!sweep)
        return (LaneSweep){0, NULL, 0, NULL};
    LaneSweep result = {sweep->n_clear, sweep->clear, sweep->n_calls, *next};
    for (int call = 0; call < sweep->n_calls; call++) {
        const Kernel kernel = table->kernels[sweep->kernel[call]].kernel;
        *(*next)++ =
            (LaneCall){kernel.run ? kernel.run : run_on_no_lanes, kernel.context, sweep->at + sweep->first[call], sweep->kernel[call]};
    }
    return result;
}

static size_t size_of(const Sweep *sweep) { return sweep ? (size_t)sweep->n_calls : 0; }

LaneSweeps *create_lane_sweeps(const LanesTable *table) {
    const Model *model = table->model;
    const Sweep *const *before = model->events ? model->events->before_witnesses : NULL,
                       *of_witnesses = model->events ? model->events->witnesses : NULL;
    size_t n_calls = size_of(of_witnesses) + 1;
    for (int i = 0; i < N_STAGES; i++)
        n_calls += size_of(model->sweeps[i]);
    for (int i = 0; before && i < N_STAGES * N_STAGES; i++)
        n_calls += size_of(before[i]);
    LaneSweeps *sweeps = calloc(1, sizeof(LaneSweeps) + n_calls * sizeof(LaneCall));
    if (!sweeps)
        return NULL;
    LaneCall *next = (LaneCall *)(void *)(sweeps + 1);
    for (int i = 0; i < N_STAGES; i++)
        sweeps->of_stages[i] = calls_of(table, model->sweeps[i], &next);
    for (int i = 0; before && i < N_STAGES * N_STAGES; i++)
        sweeps->before_witnesses[i / N_STAGES][i % N_STAGES] = calls_of(table, before[i], &next);
    sweeps->of_witnesses = calls_of(table, of_witnesses, &next);
    return sweeps;
}
