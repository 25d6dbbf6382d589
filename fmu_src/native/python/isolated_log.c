/* What the FMU logs and prints: the last of it is kept. */
#include "isolated_memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the log, a ring of lines: size, status, category, text ---- */

typedef struct {
    uint32_t size; /* of all, bytes */
    int32_t status;
} Line;

/* A thread of the FMU may hold the log for a moment. A process that has ended holds it for ever: then the lines are checked. */
static void take_log(SharedMemory *memory) {
    for (int i = 0; i < 100000 && __atomic_exchange_n(&memory->log_is_taken, 1, __ATOMIC_ACQUIRE); i++)
        yield_processor();
}

static void leave_log(SharedMemory *memory) { __atomic_store_n(&memory->log_is_taken, 0, __ATOMIC_RELEASE); }

static void copy_in(SharedMemory *memory, const void *from, size_t size) {
    for (size_t i = 0; i < size; i++)
        memory->log[memory->log_end++ % LOG_ROOM] = ((const char *)from)[i];
}

static void copy_out(const SharedMemory *memory, uint64_t at, void *to, size_t size) {
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = memory->log[(at + i) % LOG_ROOM];
}

/* The oldest line. Returns 0 if there is none, or if the process that wrote it has spoilt it. */
static int oldest_line(SharedMemory *memory, Line *line) {
    uint64_t used = memory->log_end - memory->log_first;
    if (used >= sizeof *line && used <= LOG_ROOM) {
        copy_out(memory, memory->log_first, line, sizeof *line);
        if (line->size >= sizeof *line + 2 && line->size <= sizeof *line + LONGEST_LINE && line->size <= used)
            return 1;
    }
    memory->log_first = memory->log_end = 0;
    return 0;
}

static size_t length(const char *text, size_t most) {
    size_t n = 0;
    while (text && n < most && text[n])
        n++;
    return n;
}

/* count a line that is overwritten */
static void count_lost(SharedMemory *memory, const Line *line) {
    char category[LONGEST_LOST];
    size_t size = line->size - sizeof *line;
    int k = 0;
    copy_out(memory, memory->log_first + sizeof *line, category, size < sizeof category ? size : sizeof category);
    category[sizeof category - 1] = 0;
    while (k < N_LOST - 1 && memory->lost[k].n && strcmp(memory->lost[k].category, category) != 0)
        k++;
    if (!memory->lost[k].n++)
        strcpy(memory->lost[k].category, k < N_LOST - 1 ? category : "(others)");
}

/* Take a count of overwritten lines. Returns the size of the category with its 0, 0 if there is none. */
static size_t take_lost(SharedMemory *memory, char *category, uint64_t *n) {
    for (int k = 0; k < N_LOST; k++) {
        Lost *lost = &memory->lost[k];
        if (lost->n) {
            size_t size = length(lost->category, LONGEST_LOST - 1);
            memcpy(category, lost->category, size);
            category[size] = 0;
            *n = lost->n;
            lost->n = 0;
            return size + 1;
        }
    }
    return 0;
}

void keep_logged(SharedMemory *memory, int status, const char *category, const char *message) {
    size_t of_category = length(category, LONGEST_LINE / 8), of_message = length(message, LONGEST_LINE - of_category - 2);
    Line line = {(uint32_t)(sizeof line + of_category + of_message + 2), status}, oldest;
    take_log(memory);
    while (memory->log_end - memory->log_first + line.size > LOG_ROOM && oldest_line(memory, &oldest)) {
        count_lost(memory, &oldest);
        memory->log_first += oldest.size;
    }
    copy_in(memory, &line, sizeof line);
    copy_in(memory, category, of_category);
    copy_in(memory, "", 1);
    copy_in(memory, message, of_message);
    copy_in(memory, "", 1);
    leave_log(memory);
}

void isolated_log_fmi3(void *environment, int status, const char *category, const char *message) {
    (void)environment;
    keep_logged(side_of_child->memory, status, category, message);
}

void isolated_log_fmi2(void *environment, const char *instance, int status, const char *category, const char *message, ...) {
    char text[LONGEST_LINE];
    va_list arguments;
    (void)environment, (void)instance;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message ? message : "", arguments);
    va_end(arguments);
    keep_logged(side_of_child->memory, status, category, text);
}

size_t isolated_log_line(Side *side, int *status, char *text, uint64_t *n_lost) {
    SharedMemory *memory = side->memory;
    Line line;
    *n_lost = 0;
    if (memory->log_first == memory->log_end)
        return 0;
    take_log(memory);
    size_t size = take_lost(memory, text, n_lost);
    *status = 0;
    if (!size && oldest_line(memory, &line)) {
        size = line.size - sizeof line;
        copy_out(memory, memory->log_first + sizeof line, text, size);
        memory->log_first += line.size;
        *status = line.status;
    }
    leave_log(memory);
    return size;
}

/* ---- the output ---- */

size_t isolated_printed(Side *side, char *text, size_t size) {
    read_output(side);
    if (side->n_printed - side->n_read > PRINTED_ROOM)
        side->n_read = side->n_printed - PRINTED_ROOM;
    size_t n = 0;
    while (n < size && side->n_read < side->n_printed)
        text[n++] = side->printed[side->n_read++ % PRINTED_ROOM];
    return n;
}
