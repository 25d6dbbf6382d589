/* A host that is not Python, on any platform, for Python FMUs.
 *
 *     host FILE
 *
 * FILE has a line for each argument, in UTF-8: the library, the GUID, the resource location, the number of instances, and how the host
 * ends: "free" frees the instances and closes the library, "leave" returns from main without that, "thread" makes each instance in a
 * thread of its own, one after the other, and frees them; "threads" makes them all at once.
 * Each instance takes ten steps, the last five twice from a saved state, which must give the same values. The host prints the messages of
 * the FMU, and the variables 0 to 2 at the end. It returns 3 if there is no instance. */
#include "fmi2Functions.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
static void *open_library(const char *path) {
    wchar_t wide[2000];
    MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 2000);
    return (void *)LoadLibraryW(wide);
}
static void *function(void *library, const char *name) { return (void *)GetProcAddress(library, name); }
static void close_library(void *library) { FreeLibrary(library); }
static void in_threads(void *(*run)(void *), int n, int at_once) {
    (void)at_once;
    for (int i = 0; i < n; i++)
        run(NULL);
}
#else
#include <dlfcn.h>
#include <pthread.h>
static void *open_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    return library;
}
static void *function(void *library, const char *name) { return dlsym(library, name); }
static void close_library(void *library) { dlclose(library); }
static void in_threads(void *(*run)(void *), int n, int at_once) {
    pthread_t threads[16];
    for (int i = 0; i < n; i++) {
        pthread_create(&threads[i], NULL, run, NULL);
        if (!at_once)
            pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < n && at_once; i++)
        pthread_join(threads[i], NULL);
}
#endif

enum { N_ARGUMENTS = 5, N_VALUES = 3, N_STEPS = 10 };
static const double STEP = 0.02;
static char arguments[N_ARGUMENTS][2000];
static void *library;

static void log_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String message,
                        ...) {
    (void)environment, (void)name;
    printf("[%d %s] %s\n", (int)status, category ? category : "", message);
}

static void check(int is_right, const char *what) {
    if (is_right)
        return;
    printf("failed: %s\n", what);
    fflush(stdout);
    _Exit(1);
}

#define CALL(name, ...) check(((fmi2##name##TYPE *)function(library, "fmi2" #name))(__VA_ARGS__) == fmi2OK, #name)

static void take_steps(fmi2Component instance, int from, int to, fmi2Real values[N_VALUES]) {
    static const fmi2ValueReference references[N_VALUES] = {0, 1, 2};
    for (int i = from; i < to; i++)
        CALL(DoStep, instance, i * STEP, STEP, fmi2True);
    CALL(GetReal, instance, references, N_VALUES, values);
}

static void *run(void *unused) {
    static const fmi2CallbackFunctions callbacks = {log_message, calloc, free, NULL, NULL};
    (void)unused;
    fmi2Component instance = ((fmi2InstantiateTYPE *)function(library, "fmi2Instantiate"))("it", fmi2CoSimulation, arguments[1],
                                                                                           arguments[2], &callbacks, fmi2False, fmi2True);
    if (!instance) {
        fflush(stdout);
        _Exit(3);
    }
    CALL(SetupExperiment, instance, fmi2True, 1e-8, 0, fmi2False, 0);
    CALL(EnterInitializationMode, instance);
    CALL(ExitInitializationMode, instance);

    fmi2Real values[N_VALUES], again[N_VALUES];
    fmi2FMUstate state = NULL;
    take_steps(instance, 0, N_STEPS / 2, values);
    CALL(GetFMUstate, instance, &state);
    take_steps(instance, N_STEPS / 2, N_STEPS, values);
    CALL(SetFMUstate, instance, state);
    take_steps(instance, N_STEPS / 2, N_STEPS, again);
    check(memcmp(values, again, sizeof values) == 0, "a restored state gives the same values");
    CALL(FreeFMUstate, instance, &state);
    check(state == NULL, "a freed state is NULL");
    printf("values: %a %a %a\n", values[0], values[1], values[2]);

    if (strcmp(arguments[4], "leave") != 0)
        ((fmi2FreeInstanceTYPE *)function(library, "fmi2FreeInstance"))(instance);
    return NULL;
}

int main(int n, char **names) {
    FILE *file = n == 2 ? fopen(names[1], "rb") : NULL;
    check(file != NULL, "the file of arguments");
    for (int i = 0; i < N_ARGUMENTS; i++) {
        check(fgets(arguments[i], sizeof arguments[i], file) != NULL, "an argument");
        arguments[i][strcspn(arguments[i], "\r\n")] = '\0';
    }
    fclose(file);

    library = open_library(arguments[0]);
    check(library != NULL, "the library");
    const int n_instances = atoi(arguments[3]);
    if (strncmp(arguments[4], "thread", 6) == 0)
        in_threads(run, n_instances, strcmp(arguments[4], "threads") == 0);
    for (int i = 0; i < n_instances && strncmp(arguments[4], "thread", 6) != 0; i++)
        run(NULL);
    check(signal(SIGINT, SIG_DFL) == SIG_DFL, "Ctrl-C is left to the host");
    if (strcmp(arguments[4], "leave") != 0)
        close_library(library);
    return 0;
}
