#include "saved_states.h"
#include "logging.h"
#include "serialized_state.h"
#include "shown_start.h"
#include "undo.h"

#include <stdlib.h>
#include <string.h>

static Status check(const Instance *instance, const void *saved) {
    if (!saved)
        return log_error(instance, "the state is a null pointer.");
    const char *fault = fault_of_state(saved, instance->model, instance->interface);
    return fault ? log_error(instance, "the state cannot be used: %s.", fault) : STATUS_OK;
}

/* whether a State is for the same kind of instance: co-simulation, with event mode or without, or model exchange */
static Status check_type(const Instance *instance, const State *saved) {
    if (saved->interface_type == instance->state->interface_type)
        return STATUS_OK;
    return log_error(instance, "the state is that of an instance for %s, and this one is for %s.",
                     interface_type_name(saved->interface_type), interface_type_name(instance->state->interface_type));
}

static Status no_memory(const Instance *instance) {
    return log_error(instance, "there is no memory for the state, %lu bytes.", (unsigned long)state_size(instance->model));
}

Status save_state(Instance *instance, void **saved) {
    if (!saved)
        return log_error(instance, "the place for the state is a null pointer.");
    if (*saved && check(instance, *saved) != STATUS_OK)
        return STATUS_ERROR;
    hide_start(instance);
    if (!*saved && !(*saved = malloc(state_size(instance->model))))
        return no_memory(instance);
    copy_whole_state(instance->model, *saved, instance->state);
    return STATUS_OK;
}

Status restore_state(Instance *instance, const void *saved) {
    if (check(instance, saved) != STATUS_OK || check_type(instance, saved) != STATUS_OK)
        return STATUS_ERROR;
    hide_start(instance);
    uint64_t host = instance->state->host, hooks = instance->state->hooks; /* stay those of this instance */
    copy_whole_state(instance->model, instance->state, saved);
    instance->state->host = host;
    instance->state->hooks = hooks;
    instance->state->inputs = 0;
    return STATUS_OK;
}

Status free_saved_state(Instance *instance, void **saved) {
    if (!saved)
        return log_error(instance, "the place of the state is a null pointer.");
    if (*saved && check(instance, *saved) != STATUS_OK)
        return STATUS_ERROR;
    free(*saved);
    *saved = NULL;
    return STATUS_OK;
}

Status saved_state_size(Instance *instance, const void *saved, size_t *size) {
    if (!size)
        return log_error(instance, "the place for the size is a null pointer.");
    if (check(instance, saved) != STATUS_OK)
        return STATUS_ERROR;
    *size = serialized_size(instance->model);
    return STATUS_OK;
}

Status saved_state_to_bytes(Instance *instance, const void *saved, char *bytes, size_t size) {
    if (!bytes)
        return log_error(instance, "the place for the bytes is a null pointer.");
    if (check(instance, saved) != STATUS_OK)
        return STATUS_ERROR;
    if (size != serialized_size(instance->model))
        return log_error(instance, "room for %lu bytes was given, and %lu are needed.", (unsigned long)size,
                         (unsigned long)serialized_size(instance->model));
    serialize_state(saved, instance->model, bytes);
    return STATUS_OK;
}

Status saved_state_from_bytes(Instance *instance, const char *bytes, size_t size, void **saved) {
    if (!saved)
        return log_error(instance, "the place for the state is a null pointer.");
    if (!bytes)
        return log_error(instance, "the bytes are a null pointer.");
    if (*saved && check(instance, *saved) != STATUS_OK)
        return STATUS_ERROR;

    /* if the bytes are refused, *saved does not change */
    State *state = malloc(state_size(instance->model));
    if (!state)
        return no_memory(instance);
    const char *fault = deserialize_state(bytes, size, instance->model, instance->interface, state);
    if (fault) {
        free(state);
        return log_error(instance, "the state cannot be used: %s.", fault);
    }
    if (check_type(instance, state) != STATUS_OK) {
        free(state);
        return STATUS_ERROR;
    }
    if (!*saved) {
        *saved = state;
        return STATUS_OK;
    }
    memcpy(*saved, state, state_size(instance->model));
    free(state);
    return STATUS_OK;
}
