#include "isolated_memory.h"

#include <stdlib.h>

void keep_printed(Side *side, const char *text, size_t size) {
    if (!side->printed && !(side->printed = malloc(PRINTED_ROOM)))
        return;
    for (size_t i = 0; i < size; i++)
        side->printed[side->n_printed++ % PRINTED_ROOM] = text[i];
}
