/* Messages between the two sides. */
#include "isolated_memory.h"

#include <stdlib.h>
#include <string.h>

/* Pass the turn with a message, and wait for the answer. A long message goes in pieces, each at a turn. */
static int send_message(Side *side, const char *message, uint64_t size) {
    SharedMemory *memory = side->memory;
    uint64_t sent = 0, here;
    do {
        here = size - sent < AREA ? size - sent : AREA;
        memory->request = CHILD_MESSAGE;
        memory->n = size;
        memory->here = here;
        memcpy(memory->area, message + sent, (size_t)here);
        if (!pass_turn(side))
            return 0;
        sent += here;
    } while (sent < size);
    return 1;
}

static int64_t fail(Side *side) {
    side->end = SIDE_HAS_ENDED;
    return -1;
}

/* The memory of a process that failed may have any content. */
static int64_t receive_message(Side *side) {
    SharedMemory *memory = side->memory;
    uint64_t size = memory->n, received = 0;
    if (memory->request != CHILD_MESSAGE)
        return fail(side);
    if (size > side->room) {
        char *more = size < INT64_MAX ? realloc(side->received, (size_t)size) : NULL;
        if (!more)
            return fail(side);
        side->received = more;
        side->room = (size_t)size;
    }
    for (;;) {
        uint64_t here = memory->here;
        if (here > AREA || here > size - received || (here == 0 && received < size))
            return fail(side);
        memcpy(side->received + received, memory->area, (size_t)here);
        received += here;
        if (received == size)
            return (int64_t)size;
        memory->request = CHILD_MORE;
        if (!pass_turn(side))
            return -1;
    }
}

int64_t isolated_exchange(Side *side, const char *message, int64_t size) {
    if (!side->is_child)
        forget_values(side->memory);
    if (size >= 0 ? !send_message(side, message, (uint64_t)size) : !wait_for_turn(side))
        return -1;
    while (side->is_child && side->memory->request != CHILD_MESSAGE) {
        serve_step(side);
        if (!pass_turn(side))
            return -1;
    }
    if (side->is_child)
        side->memory->doing = CHILD_MESSAGE;
    return receive_message(side);
}

const char *isolated_received(const Side *side) { return side->received; }
