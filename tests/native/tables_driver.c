/* Changes the tables of models at random, and lets those that are taken live for a while: tables_driver ROUNDS SEED FILE...
 *
 * What is taken runs in a process of its own, since the equations of a changed model may take any time to integrate. It ends with 0 if
 * no sanitizer had anything to say, and tables were both taken and refused. */
#define _XOPEN_SOURCE 700

#include "processor_time.h"
#include "random_words.h"
#include "tables_in_use.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 4 };

static void live(const Blob *blob) {
    Instance *instance = instance_of(blob);
    if (!instance)
        return;
    if (initialize(instance)) {
        for (int i = 0; i < N_STEPS; i++) {
            step_and_read(instance, i);
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
