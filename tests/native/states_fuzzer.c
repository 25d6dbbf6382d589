/* For libFuzzer: bytes as a saved state of the model whose tables are in the file MOBOD_TABLES. They are refused and change nothing, or the
 * instance goes on from there within its memory.
 *
 * The checksum is made to fit, since nothing random would get past it. */
#include "late_calls.h"

#include "random_words.h"
#include "tables_in_use.h"

#include <stdio.h>

enum { N_GOOD = 4, WORD = 8 };

static Blob *blob;
static char *good[N_GOOD]; /* states of a run, and */
static size_t good_size;   /* their size */

static void check(int is_right, const char *what) {
    if (!is_right) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void seal(char *bytes, size_t size) {
    const uint64_t hash = hash_of_bytes(bytes, size - WORD);
    for (int i = 0; i < WORD; i++)
        bytes[size - WORD + (size_t)i] = (char)(unsigned char)(hash >> (8 * i) & 0xff);
}

/* the bytes of the present state, which the caller frees */
static char *bytes_of(Instance *instance, size_t *size) {
    void *saved = NULL;
    check(save_state(instance, &saved) == STATUS_OK && saved_state_size(instance, saved, size) == STATUS_OK, "a state is saved");
    char *bytes = malloc(*size);
    check(bytes && saved_state_to_bytes(instance, saved, bytes, *size) == STATUS_OK, "and written");
    free_saved_state(instance, &saved);
    return bytes;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static char bytes[1 << 20];
    const char *fault = NULL, *name = getenv("MOBOD_TABLES");
    FILE *file = name ? fopen(name, "rb") : NULL;
    check(file != NULL, "MOBOD_TABLES names the file with the tables of a model");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    blob = read_blob(bytes, size, &fault);
    check(blob != NULL, fault);
    watch_for_late_calls();

    /* states of a good run */
    Instance *instance = instance_of(blob);
    check(instance && initialize(instance), "the model starts");
    for (int i = 0; i < N_GOOD; i++) {
        good[i] = bytes_of(instance, &good_size);
        if (i < N_STEPS)
            step_and_read(instance, i);
    }
    free_instance(instance);
    return 0;
}

static void go_on(Instance *instance) {
    set_timer(MOST_MICROSECONDS);
    if (!sigsetjmp(when_late, 1)) {
        may_be_left = 1;
        read_all(instance);
        do_step(instance, instance->state->w[instance->model->time_at], 0.01, NULL);
        read_all(instance);
        differentiate(instance);
    }
    may_be_left = 0;
    set_timer(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Instance *instance = instance_of(blob);
    char *bytes = malloc(size + !size); /* of this size: the address sanitizer sees what is read beside it */
    void *saved = NULL;
    if (instance && bytes && initialize(instance)) {
        memcpy(bytes, data, size);
        if (size >= WORD)
            seal(bytes, size);
        size_t n_before, n_after;
        char *before = bytes_of(instance, &n_before);
        const int is_taken = saved_state_from_bytes(instance, bytes, size, &saved) == STATUS_OK;
        char *after = bytes_of(instance, &n_after);
        check(n_before == n_after && memcmp(before, after, n_before) == 0, "reading a state changes nothing");
        check(is_taken == (saved != NULL), "a state is taken or refused");
        free(before);
        free(after);
        if (is_taken && restore_state(instance, saved) == STATUS_OK)
            go_on(instance);
    }
    if (saved)
        free_saved_state(instance, &saved);
    free(bytes);
    if (instance)
        free_instance(instance);
    return 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* a number of a state that is good, or was: another one of it, one that few states have, a bit turned */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static const double ODD[] = {0,     -0.0,   1,       -1,       2,      3, 0.5, 1e-9, 5e-324, 1e9, 2147483648.0, 4294967296.0,
                                 1e300, -1e300, 1.0 / 0, -1.0 / 0, 0.0 / 0};
    random_state = seed * 2654435761u + 88172645463325252u;
    if (good_size > most || below(16) == 0)
        return LLVMFuzzerMutate(data, size, most);
    if (size != good_size || below(16) == 0)
        memcpy(data, good[below(N_GOOD)], good_size);
    const uint32_t n_words = (uint32_t)(good_size / WORD);
    for (uint32_t n = 1 + below(3); n; n--) {
        uint8_t *place = data + below(n_words) * WORD;
        switch (below(3)) {
        case 0:
            memcpy(place, good[below(N_GOOD)] + below(n_words) * WORD, WORD);
            break;
        case 1:
            memcpy(place, ODD + below(sizeof ODD / sizeof ODD[0]), WORD);
            break;
        default:
            place[below(WORD)] ^= (uint8_t)(1u << below(8));
        }
    }
    return good_size;
}
