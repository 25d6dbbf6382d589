/* What the harmful FMUs do. The name of the instance says how and in which function: crash_in_fmi2DoStep, hang_in_...; in steps it is after
 * 0.25 s. nan_in_fmi2GetReal is after 0.25 s, nan_in_start at once. */
#ifndef MOBOD_TEST_HARM_H
#define MOBOD_TEST_HARM_H

#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK, WARNING, ERROR = 3, FATAL = 4 };

typedef struct {
    char name[100];
    double time;
} Harm;

static volatile int forever = 1;

static int is_harm(const char *name, const char *kind) { return strncmp(name, kind, strlen(kind)) == 0; }

static int has_harm(const Harm *it, const char *function) {
    const char *in = strstr(it->name, "_in_");
    return in && strcmp(in + 4, function) == 0 && (strcmp(function + 4, "DoStep") != 0 || it->time >= 0.25);
}

/* what an FMU does to its process; returns its status */
static int do_harm(const char *name) {
    if (is_harm(name, "fork") || is_harm(name, "stay")) {
        const pid_t child = fork();
        while (child == 0)
            pause();
        FILE *file = fopen(getenv("MOBOD_TEST_CHILD"), "w");
        fprintf(file, "%d", (int)child);
        fclose(file);
    }
    if (is_harm(name, "crash") || is_harm(name, "fork"))
        *(volatile int *)NULL = 1;
    if (is_harm(name, "abort")) {
        fprintf(stderr, "free(): invalid pointer\n");
        abort();
    }
    if (is_harm(name, "exit"))
        exit(0);
    while (is_harm(name, "hang") && forever) {
    }
    if (is_harm(name, "print")) {
        for (int i = 0; i < 1000000; i++)
            printf("%099d\n", i);
        fflush(stdout);
        return ERROR;
    }
    if (is_harm(name, "shrink")) { /* all memory and files that it has from the master */
        for (int file = 3; file < 256; file++)
            if (ftruncate(file, 0) == 0)
                fprintf(stderr, "shortened %d\n", file);
        return ERROR;
    }
    if (is_harm(name, "fail"))
        return ERROR;
    return is_harm(name, "unknown") ? 77 : is_harm(name, "fatal") ? FATAL : OK;
}

/* of the output y, and of all others */
static double value_of(const Harm *it, const char *getter, int is_output) {
    char harm[40];
    snprintf(harm, sizeof harm, "nan_in_%s", getter);
    int is_nan = strcmp(it->name, "nan_in_start") == 0 || (strcmp(it->name, harm) == 0 && it->time > 0.25);
    return is_output && is_nan ? NAN : it->time;
}

/* when the library is loaded */
__attribute__((constructor)) static void load(void) {
    const char *harmful = getenv("MOBOD_TEST_HARMFUL_LOAD");
    if (harmful && strcmp(harmful, "crash") == 0)
        abort();
    while (harmful && strcmp(harmful, "hang") == 0 && forever) {
    }
}

#endif
