/* A host on any platform: loads the library of an FMU, steps it and prints the exact values of its variables.
 *
 *     host LIBRARY GUID N_STEPS STEP N_VARIABLES
 *
 * One line a step, of the variables with the references 0 to N_VARIABLES - 1 as hexadecimal numbers. */
#include "fmi2Functions.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#include <windows.h>
static void *function(const char *library, const char *name) { return (void *)GetProcAddress(LoadLibraryA(library), name); }
#else
#include <dlfcn.h>
static void *function(const char *library, const char *name) {
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!loaded)
        fprintf(stderr, "%s\n", dlerror());
    return loaded ? dlsym(loaded, name) : NULL;
}
#endif

static void log_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String message,
                        ...) {
    (void)environment, (void)name, (void)category;
    fprintf(stderr, "%d: %s\n", (int)status, message);
}

static const char *library_path;

static void *required(const char *name) {
    void *found = function(library_path, name);
    if (!found) {
        fprintf(stderr, "%s has no %s\n", library_path, name);
        exit(2);
    }
    return found;
}

static void check(fmi2Status status, const char *what) {
    if (status != fmi2OK) {
        fprintf(stderr, "%s: status %d\n", what, (int)status);
        exit(1);
    }
}

int main(int n_arguments, char **arguments) {
    if (n_arguments != 6)
        return 2;
    library_path = arguments[1];
    int n_steps = atoi(arguments[3]);
    double step = atof(arguments[4]);
    size_t n_variables = (size_t)atoi(arguments[5]);

    fmi2CallbackFunctions callbacks = {log_message, calloc, free, NULL, NULL};
    fmi2Component instance =
        ((fmi2InstantiateTYPE *)required("fmi2Instantiate"))("it", fmi2CoSimulation, arguments[2], "", &callbacks, fmi2False, fmi2False);
    if (!instance)
        return 1;
    check(((fmi2SetupExperimentTYPE *)required("fmi2SetupExperiment"))(instance, fmi2True, 1e-8, 0, fmi2False, 0), "set up");
    check(((fmi2EnterInitializationModeTYPE *)required("fmi2EnterInitializationMode"))(instance), "enter");
    check(((fmi2ExitInitializationModeTYPE *)required("fmi2ExitInitializationMode"))(instance), "exit");

    fmi2DoStepTYPE *do_step = (fmi2DoStepTYPE *)required("fmi2DoStep");
    fmi2GetRealTYPE *get_real = (fmi2GetRealTYPE *)required("fmi2GetReal");
    for (int i = 0; i < n_steps; i++) {
        check(do_step(instance, i * step, step, fmi2True), "step");
        for (fmi2ValueReference reference = 0; reference < n_variables; reference++) {
            fmi2Real value;
            check(get_real(instance, &reference, 1, &value), "get");
            printf("%a ", value);
        }
        printf("\n");
    }
    ((fmi2FreeInstanceTYPE *)required("fmi2FreeInstance"))(instance);
    return 0;
}
