/* A host on any platform: loads the library of an FMU, steps it and prints the exact values of its variables.
 *
 *     host LIBRARY TOKEN RESOURCES N_STEPS STEP REFERENCE...
 *     host LIBRARY FUNCTION    # only loads a library that has this function
 *
 * TOKEN is the GUID of FMI 2.0 or the instantiation token of FMI 3.0, RESOURCES the URI or path of the resources. One line a step, of the
 * variables with these references as hexadecimal numbers. */
#include "fmi2Functions.h"
#include "fmi3Functions.h"

#include <stdio.h>
#include <stdlib.h>

typedef void Function(void);

#ifdef _WIN32
#include <windows.h>

#include <shellapi.h>

/* arguments in UTF-8, as on other systems */
static char **utf8_arguments(int *n) {
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), n);
    char **arguments = calloc((size_t)*n, sizeof *arguments);
    for (int i = 0; i < *n; i++) {
        int size = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);
        arguments[i] = malloc((size_t)size);
        WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, arguments[i], size, NULL, NULL);
    }
    return arguments;
}

static Function *function(const char *library, const char *name) {
    wchar_t wide[4096];
    MultiByteToWideChar(CP_UTF8, 0, library, -1, wide, 4096);
    return (Function *)GetProcAddress(LoadLibraryW(wide), name);
}
#else
#include <dlfcn.h>

static Function *function(const char *library, const char *name) {
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!loaded)
        fprintf(stderr, "%s\n", dlerror());
    return loaded ? (Function *)dlsym(loaded, name) : NULL;
}
#endif

static void log_2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String message, ...) {
    (void)environment, (void)name, (void)category;
    fprintf(stderr, "%d: %s\n", (int)status, message);
}

static void log_3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    (void)environment, (void)category;
    fprintf(stderr, "%d: %s\n", (int)status, message);
}

static const char *library_path;

static Function *required(const char *name) {
    Function *found = function(library_path, name);
    if (!found) {
        fprintf(stderr, "%s has no %s\n", library_path, name);
        exit(2);
    }
    return found;
}

static void check(int status, const char *what) {
    if (status != 0) {
        fprintf(stderr, "%s: status %d\n", what, status);
        exit(1);
    }
}

#define CALL(name) ((name##TYPE *)required(#name))

static void *start_2(const char *token, const char *resources) {
    static fmi2CallbackFunctions callbacks = {log_2, calloc, free, NULL, NULL};
    fmi2Component it = CALL(fmi2Instantiate)("it", fmi2CoSimulation, token, resources, &callbacks, fmi2False, fmi2False);
    if (!it)
        exit(1);
    check(CALL(fmi2SetupExperiment)(it, fmi2True, 1e-8, 0, fmi2False, 0), "set up");
    check(CALL(fmi2EnterInitializationMode)(it), "enter");
    check(CALL(fmi2ExitInitializationMode)(it), "exit");
    return it;
}

static void *start_3(const char *token, const char *resources) {
    fmi3Instance it =
        CALL(fmi3InstantiateCoSimulation)("it", token, resources, fmi3False, fmi3False, fmi3False, fmi3False, NULL, 0, NULL, log_3, NULL);
    if (!it)
        exit(1);
    check(CALL(fmi3EnterInitializationMode)(it, fmi3True, 1e-8, 0, fmi3False, 0), "enter");
    check(CALL(fmi3ExitInitializationMode)(it), "exit");
    return it;
}

int main(int n_arguments, char **arguments) {
#ifdef _WIN32
    arguments = utf8_arguments(&n_arguments);
#endif
    library_path = n_arguments > 1 ? arguments[1] : "";
    if (n_arguments == 3) {
        required(arguments[2]);
        return 0;
    }
    if (n_arguments < 7)
        return 2;
    const int is_3 = function(library_path, "fmi3DoStep") != NULL;
    int n_steps = atoi(arguments[4]);
    double step = atof(arguments[5]);

    void *it = is_3 ? start_3(arguments[2], arguments[3]) : start_2(arguments[2], arguments[3]);
    Function *do_step = required(is_3 ? "fmi3DoStep" : "fmi2DoStep");
    Function *get = required(is_3 ? "fmi3GetFloat64" : "fmi2GetReal");
    for (int i = 0; i < n_steps; i++) {
        fmi3Boolean has_event, terminates, is_early;
        fmi3Float64 reached;
        check(is_3 ? (int)((fmi3DoStepTYPE *)do_step)(it, i * step, step, fmi3True, &has_event, &terminates, &is_early, &reached)
                   : (int)((fmi2DoStepTYPE *)do_step)(it, i * step, step, fmi2True),
              "step");
        for (int argument = 6; argument < n_arguments; argument++) {
            unsigned reference = (unsigned)atoi(arguments[argument]);
            double value;
            check(is_3 ? (int)((fmi3GetFloat64TYPE *)get)(it, &reference, 1, &value, 1)
                       : (int)((fmi2GetRealTYPE *)get)(it, &reference, 1, &value),
                  "get");
            printf("%a ", value);
        }
        printf("\n");
    }
    if (is_3)
        CALL(fmi3FreeInstance)(it);
    else
        CALL(fmi2FreeInstance)(it);
    return 0;
}
