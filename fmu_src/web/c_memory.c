/* Memory for WebAssembly, in place of a C library, which zig would compile in half a minute: the functions of stdlib.h and string.h that
 * the runtime calls. The heap is all memory after the data and the stack; it grows as is needed and does not shrink. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 65536, LEAST_GROWTH = 16, LEAST_SPLIT = 32 }; /* bytes, pages, bytes */

/* A piece of the heap, and after it the memory that a caller gets. It is as long as the largest alignment. */
typedef struct Piece {
    size_t size;        /* bytes, with the piece itself */
    struct Piece *next; /* the next free one, at a higher address; NULL: the last one, and while it is in use */
    uint64_t filling;
} Piece;

extern unsigned char __heap_base; /* where the linker lets the heap begin */

static Piece *first_free;
static uintptr_t heap_end; /* 0 before the first call */

static size_t rounded_up(size_t size) { return (size + sizeof(Piece) - 1) / sizeof(Piece) * sizeof(Piece); }

/* puts a piece among the free ones, joined with its neighbours */
static void release(Piece *piece) {
    Piece *before = NULL, *after = first_free;
    while (after && after < piece) {
        before = after;
        after = after->next;
    }
    piece->next = after;
    if (after && (uintptr_t)piece + piece->size == (uintptr_t)after) {
        piece->size += after->size;
        piece->next = after->next;
    }
    if (!before) {
        first_free = piece;
        return;
    }
    before->next = piece;
    if ((uintptr_t)before + before->size == (uintptr_t)piece) {
        before->size += piece->size;
        before->next = piece->next;
    }
}

/* adds at least `size` bytes to the heap. Returns 0 if the host has no more memory */
static int grow(size_t size) {
    if (!heap_end)
        heap_end = rounded_up((uintptr_t)&__heap_base);
    uintptr_t memory_end = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
    if (memory_end - heap_end < size) {
        size_t n_pages = (size - (memory_end - heap_end) + PAGE - 1) / PAGE;
        n_pages = n_pages < LEAST_GROWTH ? LEAST_GROWTH : n_pages;
        if (__builtin_wasm_memory_grow(0, n_pages) == SIZE_MAX)
            return 0;
        memory_end += n_pages * PAGE;
    }
    Piece *piece = (Piece *)heap_end;
    *piece = (Piece){.size = memory_end - heap_end};
    heap_end = memory_end;
    release(piece);
    return 1;
}

/* the first free piece that is large enough, cut to the size. NULL: there is none */
static Piece *take(size_t size) {
    for (Piece **place = &first_free; *place; place = &(*place)->next) {
        Piece *piece = *place;
        if (piece->size < size)
            continue;
        *place = piece->next;
        if (piece->size - size >= LEAST_SPLIT) {
            Piece *rest = (Piece *)((uintptr_t)piece + size);
            *rest = (Piece){.size = piece->size - size, .next = piece->next};
            *place = rest;
            piece->size = size;
        }
        piece->next = NULL;
        return piece;
    }
    return NULL;
}

static void *allocate(size_t size) {
    if (size > SIZE_MAX / 2)
        return NULL;
    size_t whole = rounded_up(size) + sizeof(Piece);
    Piece *piece = take(whole);
    if (!piece && grow(whole))
        piece = take(whole);
    return piece ? piece + 1 : NULL;
}

void *malloc(size_t size) { return allocate(size); }

void *calloc(size_t n, size_t size) {
    if (size && n > SIZE_MAX / size)
        return NULL;
    void *memory = allocate(n * size);
    return memory ? memset(memory, 0, n * size) : NULL;
}

void free(void *memory) {
    if (memory)
        release((Piece *)memory - 1);
}

int memcmp(const void *left, const void *right, size_t n) {
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}
