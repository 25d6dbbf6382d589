/* A State as bytes that outlive the process, the same on all machines; and what they must hold to be taken back.
 *
 * Words of 8 bytes, the least significant first: what the bytes are and of which FMU, how many words there are, the numbers of State before
 * w, those of w that SavedTable names, and a checksum of all that. What is computed from these is not among them. */
#ifndef MOBOD_SERIALIZED_STATE_H
#define MOBOD_SERIALIZED_STATE_H

#include "state.h"

#include <stddef.h>

/* bytes */
size_t serialized_size(const Model *model);

void serialize_state(const State *state, const Model *model, char *bytes);

/* NULL, or what is wrong with the bytes; then `state`, with room for state_size(model), is in an undefined condition */
const char *deserialize_state(const char *bytes, size_t size, const Model *model, const Interface *interface, State *state);

#endif
