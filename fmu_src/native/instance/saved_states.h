/* Copies of an instance's State that the importer keeps: in memory, or as bytes that are valid after the end of the process. */
#ifndef MOBOD_SAVED_STATES_H
#define MOBOD_SAVED_STATES_H

#include "instance_data.h"

/* `*saved` is an earlier copy, which is overwritten, or NULL */
MOBOD_API Status save_state(Instance *instance, void **saved);
MOBOD_API Status restore_state(Instance *instance, const void *saved);
MOBOD_API Status free_saved_state(Instance *instance, void **saved);

/* for the same model, on any machine; damaged bytes are an error, which leaves *saved and the instance as they were */
MOBOD_API Status saved_state_size(Instance *instance, const void *saved, size_t *size);
MOBOD_API Status saved_state_to_bytes(Instance *instance, const void *saved, char *bytes, size_t size);
MOBOD_API Status saved_state_from_bytes(Instance *instance, const char *bytes, size_t size, void **saved);

#endif
