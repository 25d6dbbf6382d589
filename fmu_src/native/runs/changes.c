#include "changes.h"

#include "delays.h"
#include "elementary.h"
#include "events.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

static size_t size_of_jump_work(const Model *model, int n, int n_known) {
    return 6 * (size_t)y_size(model) + 3 * (size_t)n_known + (size_t)model->n_w + (size_t)n;
}

JumpWork jump_work_of(const Sensitivity *changes) {
    const int n_y = y_size(changes->model), n_known = changes->n_known;
    double *next = changes->jump_work;
    JumpWork own = {
        .v = next, .f = next + n_y, .f_after = next + 2 * n_y, .y = next + 3 * n_y, .plus = next + 4 * n_y, .minus = next + 5 * n_y};
    next += 6 * n_y;
    own.known = next;
    own.known_plus = next + n_known;
    own.known_minus = next + 2 * n_known;
    own.dw = next + 3 * n_known;
    own.tau = own.dw + changes->model->n_w;
    return own;
}

Sensitivity *create_sensitivity(const Model *model, const Kernel *tangents, int n_scratch, int n, int n_known, const int *known,
                                const double *changes, const double *y_changes) {
    size_t n_y = (size_t)y_size(model), each = 3 + MOST_SLOPES + MOST_DEGREES;
    Sensitivity *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    *made = (Sensitivity){.model = model, .n = n, .n_known = n_known, .tangents = tangents, .first_slopes = NO_SLOPES};
    made->known = calloc((size_t)n_known + 1, sizeof(int));
    made->scratch = calloc((size_t)n_scratch + 1, sizeof(double));
    made->y = calloc((size_t)n * (n_y * each + 4) + n_y + 1, sizeof(double));
    made->jump_work = calloc(size_of_jump_work(model, n, n_known), sizeof(double));
    made->dw = calloc((size_t)n * (size_t)model->n_w + 1, sizeof(double));
    made->state = calloc(1, state_size(model));
    made->moments = calloc(moments_size(model), sizeof(double));
    made->events = model->events && made->moments ? create_event_work(model, made->moments) : NULL;
    if (!made->known || !made->scratch || !made->y || !made->jump_work || !made->dw || !made->state || (model->events && !made->events)) {
        free_sensitivity(made);
        return NULL;
    }
    made->y_start = made->y + (size_t)n * n_y;
    made->y_end = made->y_start + (size_t)n * n_y;
    made->slopes = made->y_end + (size_t)n * n_y;
    made->dense = made->slopes + (size_t)n * MOST_SLOPES * n_y;
    made->raw = made->dense + (size_t)n * MOST_DEGREES * n_y;
    made->errors = made->raw + n_y;
    made->error_steps = made->errors + n;
    made->error_orders = made->error_steps + n;
    made->sizes = made->error_orders + n;
    memcpy(made->known, known, (size_t)n_known * sizeof(int));
    memcpy(made->y, y_changes, (size_t)n * n_y * sizeof(double));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n_known; i++)
            dw_of(made, k)[known[i]] = changes[k * n_known + i];
    return made;
}

void free_sensitivity(Sensitivity *changes) {
    if (!changes)
        return;
    free(changes->known);
    free(changes->scratch);
    free(changes->y);
    free(changes->jump_work);
    free(changes->dw);
    free(changes->state);
    free(changes->moments);
    free_event_work(changes->events);
    free(changes);
}

int use_kernels_for_changes(Sensitivity *changes, const Model *model, const Kernel *tangents, int n_scratch) {
    const size_t before = (size_t)changes->model->n_w, after = (size_t)model->n_w, n = (size_t)changes->n;
    double *scratch = calloc((size_t)n_scratch + 1, sizeof(double)), *dw = calloc(n * after + 1, sizeof(double));
    double *jump_work = calloc(size_of_jump_work(model, changes->n, changes->n_known), sizeof(double));
    State *state = calloc(1, state_size(model)); /* each use begins with a copy */
    if (!scratch || !dw || !jump_work || !state || !grow_event_work(changes->events, changes->model, model)) {
        free(scratch);
        free(dw);
        free(jump_work);
        free(state);
        return 0;
    }
    for (size_t k = 0; k < n; k++)
        memcpy(dw + k * after, changes->dw + k * before, (after < before ? after : before) * sizeof(double));
    free(changes->scratch);
    free(changes->dw);
    free(changes->jump_work);
    free(changes->state);
    changes->scratch = scratch;
    changes->dw = dw;
    changes->jump_work = jump_work;
    changes->state = state;
    changes->model = model;
    changes->tangents = tangents;
    return 1;
}

void note_fault(Sensitivity *changes, ChangesFault fault, double time) {
    if (changes->fault != CHANGES_FOLLOWED)
        return;
    changes->fault = fault;
    changes->fault_at = time;
}

void copy_state(Sensitivity *changes, const State *state, const InputRamps *ramps) {
    copy_whole_state(changes->model, changes->state, state);
    share_ramps(ramps, changes->state, &changes->ramps);
}

int tangents_of_stages(Sensitivity *changes, int k, int first_stage, int last_stage) {
    const Model *model = changes->model;
    State *state = changes->state;
    double *dw = dw_of(changes, k);
    Call call = {.w = state->w, .dw = dw, .scratch = changes->scratch, .host = (void *)(uintptr_t)state->host};
    int result = 0;
    for (int stage = first_stage; stage <= last_stage && !result; stage++)
        if (model->sweeps[stage])
            result = call_kernels(model->sweeps[stage], changes->tangents, &call, dw);
    for (int i = 0; !result && last_stage == STAGE_ACCELERATION && i < y_size(model); i++)
        result = !isfinite(dw[model->y_dot_at + i]);
    return !result;
}
