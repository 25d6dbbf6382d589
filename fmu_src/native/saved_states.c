#include "saved_states.h"
#include "logging.h"

#include <stdlib.h>
#include <string.h>

static Status check(const Instance *instance, const void *bytes, size_t size) {
    if (!bytes)
        return log_error(instance, "the state is a null pointer.");
    const char *fault = why_not_a_state(bytes, size, instance->model, instance->interface);
    return fault ? log_error(instance, "the state cannot be used: %s.", fault) : STATUS_OK;
}

/* a copy of good bytes in *saved */
static Status keep(const Instance *instance, const void *bytes, void **saved) {
    size_t size = state_size(instance->model);
    if (!*saved && !(*saved = malloc(size)))
        return log_error(instance, "there is no memory for the state, %lu bytes.", (unsigned long)size);
    memcpy(*saved, bytes, size);
    return STATUS_OK;
}

Status save_state(Instance *instance, void **saved) {
    if (!saved)
        return log_error(instance, "the place for the state is a null pointer.");
    if (*saved && check(instance, *saved, state_size(instance->model)) != STATUS_OK)
        return STATUS_ERROR;
    return keep(instance, instance->state, saved);
}

Status restore_state(Instance *instance, const void *saved) {
    size_t size = state_size(instance->model);
    if (check(instance, saved, size) != STATUS_OK)
        return STATUS_ERROR;
    memcpy(instance->state, saved, size);
    return STATUS_OK;
}

Status free_saved_state(Instance *instance, void **saved) {
    if (!saved)
        return log_error(instance, "the place of the state is a null pointer.");
    if (*saved && check(instance, *saved, state_size(instance->model)) != STATUS_OK)
        return STATUS_ERROR;
    free(*saved);
    *saved = NULL;
    return STATUS_OK;
}

Status saved_state_size(Instance *instance, const void *saved, size_t *size) {
    if (!size)
        return log_error(instance, "the place for the size is a null pointer.");
    if (check(instance, saved, state_size(instance->model)) != STATUS_OK)
        return STATUS_ERROR;
    *size = state_size(instance->model);
    return STATUS_OK;
}

Status saved_state_to_bytes(Instance *instance, const void *saved, char *bytes, size_t size) {
    if (!bytes)
        return log_error(instance, "the place for the bytes is a null pointer.");
    if (check(instance, saved, state_size(instance->model)) != STATUS_OK)
        return STATUS_ERROR;
    if (size != state_size(instance->model))
        return log_error(instance, "room for %lu bytes was given, and %lu are needed.", (unsigned long)size,
                         (unsigned long)state_size(instance->model));
    memcpy(bytes, saved, size);
    return STATUS_OK;
}

Status saved_state_from_bytes(Instance *instance, const char *bytes, size_t size, void **saved) {
    if (!saved)
        return log_error(instance, "the place for the state is a null pointer.");
    if (check(instance, bytes, size) != STATUS_OK || (*saved && check(instance, *saved, state_size(instance->model)) != STATUS_OK))
        return STATUS_ERROR;
    return keep(instance, bytes, saved);
}
