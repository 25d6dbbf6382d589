/* Changes the tables of models at random, and lets those that are taken live for a while: tables_driver ROUNDS SEED FILE...
 *
 * What is taken runs in a process of its own, since the equations of a changed model may take any time to integrate. It ends with 0 if
 * no sanitizer had anything to say, and tables were both taken and refused. */
#define _XOPEN_SOURCE 700

#include "blob.h"
#include "communication_step.h"
#include "directional.h"
#include "instance.h"
#include "processor_time.h"
#include "saved_states.h"
#include "state.h"
#include "values.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEAD = 24, MOST_SECONDS = 4, MOST_VALUES = 64 };

static uint64_t random_state;

/* Marsaglia's xorshift */
static uint32_t below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % n;
}

static uint32_t word_at(const char *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* another word of them, a small one, a neighbour, a large one, a bit turned */
static void change(char *bytes, size_t size) {
    static const uint32_t LARGE[] = {0x7fffffff, 0x80000000, 0xffffffff, 0x7fffff00, 1000000};
    char *place = bytes + HEAD + below((uint32_t)(size - HEAD - 4));
    if (below(4))
        place -= (place - bytes) % 4; /* most members begin there, or one or two bytes beside */
    uint32_t word = word_at(place);
    switch (below(6)) {
    case 0:
        word = word_at(bytes + HEAD + below((uint32_t)(size - HEAD - 4)));
        break;
    case 1:
        word = below(40);
        break;
    case 2:
        word += below(2) ? 1 : (uint32_t)-1;
        break;
    case 3:
        word = LARGE[below(5)];
        break;
    case 4:
        word = below(3000);
        break;
    default:
        word ^= (uint32_t)1 << below(32);
    }
    memcpy(place, &word, sizeof word);
}

static void ignore(const Host *host, const char *name, Status status, const char *category, const char *message) {
    (void)host, (void)name, (void)status, (void)category, (void)message;
}

static void read_all(Instance *instance) {
    for (int i = 0; i < instance->interface->n_variables; i++) {
        const unsigned reference = (unsigned)i;
        double real;
        int integer;
        if (instance->interface->variables[i].type == TYPE_REAL)
            get_reals(instance, &reference, 1, &real, 1);
        else if (instance->interface->variables[i].type == TYPE_INTEGER)
            get_integers(instance, &reference, 1, &integer, 1, TYPE_INTEGER);
        else
            get_booleans(instance, &reference, 1, &integer, 1);
    }
}

static void save_and_restore(Instance *instance) {
    void *saved = NULL, *again = NULL;
    size_t size;
    if (save_state(instance, &saved) == STATUS_OK && saved_state_size(instance, saved, &size) == STATUS_OK) {
        char *bytes = malloc(size);
        if (bytes && saved_state_to_bytes(instance, saved, bytes, size) == STATUS_OK &&
            saved_state_from_bytes(instance, bytes, size, &again) == STATUS_OK)
            restore_state(instance, again);
        free(bytes);
    }
    if (saved)
        free_saved_state(instance, &saved);
    if (again)
        free_saved_state(instance, &again);
}

static void differentiate(Instance *instance) {
    unsigned of[MOST_VALUES], by[1] = {0};
    double seeds[1] = {1}, changes[MOST_VALUES];
    const int n = instance->interface->n_variables < MOST_VALUES ? instance->interface->n_variables : MOST_VALUES;
    for (int i = 0; i < n; i++)
        of[i] = (unsigned)i;
    for (int i = 0; i < n; i++) {
        by[0] = (unsigned)i;
        directional_derivative(instance, (Derivatives){of, (size_t)n, by, 1}, seeds, 1, changes, (size_t)n);
    }

    /* backwards, of one unknown with respect to all states */
    double seed = 1;
    const Model *model = instance->model;
    for (int i = 0; i < n; i++) {
        size_t n_knowns = 0;
        unsigned states[MOST_VALUES];
        for (int k = 0; k < n; k++) {
            const int entry = instance->interface->variables[k].at - model->y_at;
            if (entry >= 0 && entry < y_size(model) && instance->interface->variables[k].n == 1)
                states[n_knowns++] = (unsigned)k;
        }
        by[0] = (unsigned)i;
        adjoint_derivative(instance, (Derivatives){by, 1, states, n_knowns}, &seed, 1, changes, n_knowns);
    }
}

static void live(const Blob *blob) {
    static const double TIMES[] = {0, 0.01, 0.13, 0.3};
    Instance *instance = create_instance(model_of_blob(blob), interface_of_blob(blob), "changed", (Host){.log_message = ignore});
    if (!instance)
        return;
    const double tolerance = 1e-4;
    set_up_experiment(instance, 0, NULL, &tolerance);
    if (enter_initialization(instance) == STATUS_OK && exit_initialization(instance) == STATUS_OK) {
        for (int i = 0; i < 3; i++) {
            do_step(instance, TIMES[i], TIMES[i + 1] - TIMES[i], NULL);
            read_all(instance);
            differentiate(instance);
            save_and_restore(instance);
        }
        terminate(instance);
    }
    free_instance(instance);
}

static char *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        abort();
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        abort();
    fclose(file);
    return bytes;
}

static void fail(const char *what, const char *name, int round) {
    fprintf(stderr, "%s: %s, round %d\n", what, name, round);
    exit(1);
}

/* whether it ended within its processor time */
static int lives_well(const Blob *blob, const char *name, int round) {
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        limit_processor_time(MOST_SECONDS);
        live(blob);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail("no process", name, round);
    if (WIFSIGNALED(status) && WTERMSIG(status) == PROCESSOR_TIME_IS_UP)
        return 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("not harmless", name, round);
    return 1;
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    const int n_rounds = atoi(argv[1]), n_files = argc - 3;
    random_state = (uint64_t)atoi(argv[2]) * 2654435761u + 88172645463325252u;
    int n_taken = 0, n_refused = 0, n_slow = 0;
    for (int round = 0; round < n_rounds; round++) {
        const char *name = argv[3 + round % n_files], *fault;
        size_t size;
        char *bytes = read_file(name, &size);
        for (uint32_t n = round < n_files ? 0 : 1 + below(3); n; n--)
            change(bytes, size);
        if (below(8) == 0 && round >= n_files)
            size -= below((uint32_t)size);
        const uint64_t hash = size > HEAD ? hash_of_bytes(bytes + HEAD, size - HEAD) : 0;
        if (size >= HEAD)
            memcpy(bytes + HEAD - sizeof hash, &hash, sizeof hash);
        char *exact = malloc(size ? size : 1);
        if (!exact)
            abort();
        memcpy(exact, bytes, size);
        Blob *blob = read_blob(exact, size, &fault);
        free(exact);
        free(bytes);
        if (!blob) {
            if (round < n_files || !fault)
                fail(fault ? fault : "no memory", name, round);
            n_refused++;
            continue;
        }
        n_taken++;
        n_slow += !lives_well(blob, name, round);
        free_blob(blob);
    }
    if (getenv("TELL"))
        printf("%d taken, %d of them slow, %d refused\n", n_taken, n_slow, n_refused);
    return n_taken < n_rounds / 20 || n_refused < n_rounds / 20 || n_slow > n_rounds / 50;
}
