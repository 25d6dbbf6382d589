/* Instances of the same tables in several threads, each with its own: threads_driver FILE... Ends with 0 if all have the values of an
 * instance alone. Built with the thread sanitizer, it reports memory that they share. */
#define _POSIX_C_SOURCE 200809L

#include "tables_in_use.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { N_THREADS = 8, N_LIVES = 3 };

/* one thread; `start`: a state that all threads read */
typedef struct {
    const Blob *blob;
    const void *start;
    char *bytes; /* the state at its end; NULL if it failed */
    size_t size;
} Life;

static char *bytes_of(Instance *instance, size_t *size) {
    void *saved = NULL;
    char *bytes = NULL;
    if (save_state(instance, &saved) == STATUS_OK && saved_state_size(instance, saved, size) == STATUS_OK && (bytes = malloc(*size)))
        saved_state_to_bytes(instance, saved, bytes, *size);
    if (saved)
        free_saved_state(instance, &saved);
    return bytes;
}

static void *live(void *argument) {
    Life *life = argument;
    for (int k = 0; k < N_LIVES; k++) {
        free(life->bytes);
        life->bytes = NULL;
        Instance *instance = instance_of(life->blob);
        if (!instance)
            return NULL;
        if (initialize(instance) && restore_state(instance, life->start) == STATUS_OK) {
            for (int i = 0; i < N_STEPS; i++) {
                step_and_read(instance, i);
                save_and_restore(instance);
            }
            life->bytes = bytes_of(instance, &life->size);
        }
        free_instance(instance);
    }
    return NULL;
}

static Blob *tables_in(const char *name) {
    static char bytes[1 << 20];
    const char *fault = NULL;
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return read_blob(bytes, size, &fault);
}

/* whether all threads end where one alone does */
static int agree(const Blob *blob) {
    Instance *first = instance_of(blob);
    void *start = NULL;
    if (!first || !initialize(first) || save_state(first, &start) != STATUS_OK)
        return 0;
    Life alone = {blob, start, NULL, 0}, lives[N_THREADS];
    pthread_t threads[N_THREADS];
    live(&alone);
    for (int i = 0; i < N_THREADS; i++) {
        lives[i] = (Life){blob, start, NULL, 0};
        if (pthread_create(threads + i, NULL, live, lives + i) != 0)
            return 0;
    }
    int same = alone.bytes != NULL;
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        same = same && lives[i].bytes && lives[i].size == alone.size && memcmp(lives[i].bytes, alone.bytes, alone.size) == 0;
        free(lives[i].bytes);
    }
    free(alone.bytes);
    free_saved_state(first, &start);
    free_instance(first);
    return same;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        Blob *blob = tables_in(argv[i]);
        if (!blob || !agree(blob)) {
            fprintf(stderr, "%s: %s\n", argv[i], blob ? "threads disturb each other, or cannot run" : "no tables");
            return 1;
        }
        free_blob(blob);
    }
    return argc < 2;
}
