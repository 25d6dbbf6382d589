/* A State as bytes that are valid after the end of the process, the same on all machines; and their checks when they are read.
 *
 * Words of 8 bytes, the least significant byte first: format, FMU, number of words, the numbers of State before w, the numbers of w that
 * SavedTable lists, and a checksum of all these. Values that are computed from them are not included. */
#ifndef MOBOD_SERIALIZED_STATE_H
#define MOBOD_SERIALIZED_STATE_H

#include "state.h"

#include <stddef.h>

/* bytes */
size_t serialized_size(const Model *model);

void serialize_state(const State *state, const Model *model, char *bytes);

/* NULL, or a description of the fault of the bytes; then `state`, with space for state_size(model), is undefined */
const char *deserialize_state(const char *bytes, size_t size, const Model *model, const Interface *interface, State *state);

#endif
