#include "state.h"
#include "delays.h"
#include "elementary.h"

#include <string.h>

/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv) */
static uint64_t token_hash(const char *token) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *token; token++)
        hash = (hash ^ (unsigned char)*token) * UINT64_C(0x100000001b3);
    return hash;
}

void set_tolerance(State *state, double tolerance) {
    state->tolerance = tolerance;
    state->constraint_tolerance = tolerance / 10;
}

size_t state_size(const Model *model) { return sizeof(State) + (size_t)model->n_w * sizeof(double); }

void reset_state(State *state, const Model *model, const Interface *interface) {
    memset(state, 0, sizeof(State));
    state->format = STATE_FORMAT;
    state->token = token_hash(interface->token);
    state->size = state_size(model);
    state->mode = MODE_INSTANTIATED;
    state->realized = STAGE_EMPTY;
    set_tolerance(state, interface->tolerance);
    state->largest_step = INFINITY;
    memcpy(state->w, model->start, (size_t)model->n_w * sizeof(double));
    show_initial_conditions(model, state->w);
}

void show_initial_conditions(const Model *model, double *w) {
    memcpy(w + model->y_at, w + model->y_start_at, (size_t)y_size(model) * sizeof(double));
}

static int is_mode(int32_t mode) {
    return mode == MODE_INSTANTIATED || mode == MODE_INITIALIZATION || mode == MODE_STEP || mode == MODE_TERMINATED || mode == MODE_ERROR;
}

const char *why_not_a_state(const void *bytes, size_t size, const Model *model, const Interface *interface) {
    /* bytes may lie anywhere: look at a copy of the header */
    State header;
    if (size < sizeof header)
        return "it is too short for a state";
    memcpy(&header, bytes, sizeof header);
    if (header.format != STATE_FORMAT)
        return "it is not a state, or one of another version or byte order";
    if (header.token != token_hash(interface->token))
        return "it is a state of another FMU";
    if (header.size != state_size(model) || header.size != size)
        return "its size is not that of this FMU's states";

    /* what the runtime would index or loop by */
    if (!is_mode(header.mode) || header.realized < STAGE_EMPTY || header.realized >= N_STAGES || !(header.step_size >= 0) ||
        !isfinite(header.step_size) || !(header.largest_step > 0) || !(header.tolerance > 0) || !(header.constraint_tolerance > 0) ||
        !(header.error_before >= 0) || !delays_are_sound(model, (const char *)bytes + offsetof(State, w)))
        return "it is damaged";
    return NULL;
}
