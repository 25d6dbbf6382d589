#include "state.h"
#include "elementary.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

uint64_t hash_of_bytes(const char *bytes, size_t size) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_of_token(const Interface *interface) { return hash_of_bytes(interface->token, strlen(interface->token)); }

size_t state_size(const Model *model) { return sizeof(State) + (size_t)model->n_w * sizeof(double); }

int grow_numbers(double **numbers, size_t before, size_t after) {
    if (after <= before)
        return 1;
    double *grown = calloc(after, sizeof(double));
    if (!grown)
        return 0;
    memcpy(grown, *numbers, before * sizeof(double));
    free(*numbers);
    *numbers = grown;
    return 1;
}

void copy_numbers(const Model *model, double *to, const double *from) {
    for (int i = 0; i < model->n_copied; i++) {
        const int first = model->copied[2 * i];
        memcpy(to + first, from + first, (size_t)model->copied[2 * i + 1] * sizeof(double));
    }
}

int steps_change_all(const Model *model, const State *state) {
    return model->events || model->delays || model->auto_updates || state->hooks || state->inputs;
}

void copy_variables(const Model *model, State *to, const State *from) {
    const int all = steps_change_all(model, from), y_end = model->y_at + y_size(model);
    memcpy(to, from, sizeof(State) + (size_t)(all ? model->computed_at : y_end) * sizeof(double));
    if (all)
        memcpy(to->w + model->y_start_at, from->w + model->y_start_at, (size_t)(model->scratch_at - model->y_start_at) * sizeof(double));
    if (to->realized > STAGE_MODEL)
        to->realized = STAGE_MODEL;
}

size_t packed_size(const Model *model) {
    size_t n = 0;
    for (int i = 0; i < model->n_copied; i++)
        n += (size_t)model->copied[2 * i + 1];
    return sizeof(State) + n * sizeof(double);
}

void pack_state(const Model *model, char *bytes, const State *state) {
    memcpy(bytes, state, sizeof(State));
    bytes += sizeof(State);
    for (int i = 0; i < model->n_copied; i++) {
        const size_t size = (size_t)model->copied[2 * i + 1] * sizeof(double);
        memcpy(bytes, state->w + model->copied[2 * i], size);
        bytes += size;
    }
}

void unpack_state(const Model *model, State *state, const char *bytes) {
    memcpy(state, bytes, sizeof(State));
    bytes += sizeof(State);
    for (int i = 0; i < model->n_copied; i++) {
        const size_t size = (size_t)model->copied[2 * i + 1] * sizeof(double);
        memcpy(state->w + model->copied[2 * i], bytes, size);
        bytes += size;
    }
}

void copy_whole_state(const Model *model, State *to, const State *from) {
    memcpy(to, from, sizeof(State));
    copy_numbers(model, to->w, from->w);
}

void reset_state(State *state, const Model *model, const Interface *interface) {
    int32_t interface_type = state->interface_type;
    memset(state, 0, sizeof(State));
    state->interface_type = interface_type;
    state->format = STATE_FORMAT;
    state->token = hash_of_token(interface);
    state->size = state_size(model);
    state->mode = MODE_INSTANTIATED;
    state->realized = STAGE_EMPTY;
    state->experiment_tolerance = state->tolerance = interface->tolerance;
    state->constraint_tolerance = interface->tolerance / 10;
    state->largest_step = INFINITY;
    state->integrator = (int32_t)interface->numerics[NUMERICS_INTEGRATOR];
    state->impacts = interface->impacts;
    state->patience = LEAST_PATIENCE;
    state->event_time = -DBL_MAX;
    state->completed_step = DBL_MAX;
    memcpy(state->w, model->start, (size_t)model->n_w * sizeof(double));
    memcpy(state->w + interface->numerics_at, interface->numerics, N_NUMERICS * sizeof(double));
    memcpy(state->w + model->y_at, state->w + model->y_start_at, (size_t)y_size(model) * sizeof(double));
}

const char *interface_type_name(int interface_type) {
    static const char *const names[] = {[CO_SIMULATION] = "co-simulation",
                                        [CO_SIMULATION_WITH_EVENTS] = "co-simulation with event mode",
                                        [MODEL_EXCHANGE] = "model exchange"};
    return names[interface_type];
}

const char *fault_of_state(const State *state, const Model *model, const Interface *interface) {
    if (state->format != STATE_FORMAT)
        return "it is not a state";
    if (state->token != hash_of_token(interface))
        return "it is a state of another FMU";
    return state->size == state_size(model) ? NULL : "its size is not that of this FMU's states";
}
