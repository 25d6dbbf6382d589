#include "bare_memory.h"

static unsigned char *memory;
static size_t room, taken;

enum { ALIGNED = sizeof(double) };

void bare_give_memory(void *bytes, size_t size) {
    memory = bytes;
    room = bytes ? size : 0;
    taken = 0;
}

size_t bare_taken(void) { return taken; }

void *bare_allocate(size_t n, size_t size) {
    if (size && n > SIZE_MAX / 2 / size)
        return NULL;
    const size_t bytes = (n * size + ALIGNED - 1) / ALIGNED * ALIGNED, start = taken;
    taken += bytes;
    if (taken > room)
        return NULL;
    return memset(memory + start, 0, bytes);
}

void *bare_move_bytes(void *to, const void *from, size_t n) {
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target < source)
        for (size_t i = 0; i < n; i++)
            target[i] = source[i];
    else
        while (n--)
            target[n] = source[n];
    return to;
}

int bare_compare_bytes(const void *a, const void *b, size_t n) {
    const unsigned char *one = a, *other = b;
    for (size_t i = 0; i < n; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    return 0;
}
