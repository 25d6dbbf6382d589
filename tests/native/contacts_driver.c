/* Goes through the life of an FMU with limits, for the sanitizers: impacts, rest, saved states, tuning, failures. */
#include "fmi2Functions.h"
#include "instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ignore(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String message, ...) {
    (void)environment, (void)name, (void)status, (void)category, (void)message;
}

static void check(fmi2Status status, const char *what) {
    if (status != fmi2OK) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static fmi2ValueReference find(const char *name) {
    for (int i = 0; i < mobod_interface.n_variables; i++)
        if (strcmp(mobod_interface.variables[i].name, name) == 0)
            return (fmi2ValueReference)i;
    fprintf(stderr, "no %s\n", name);
    exit(1);
}

static void read_all(fmi2Component instance) {
    for (int i = 0; i < mobod_interface.n_variables; i++) {
        fmi2ValueReference reference = (fmi2ValueReference)i;
        fmi2Real value;
        if (mobod_interface.variables[i].type == TYPE_REAL)
            check(fmi2GetReal(instance, &reference, 1, &value), mobod_interface.variables[i].name);
    }
}

int main(void) {
    const fmi2CallbackFunctions callbacks = {.logger = ignore, .allocateMemory = calloc, .freeMemory = free};
    fmi2Component instance = fmi2Instantiate("driven", fmi2CoSimulation, mobod_interface.token, "", &callbacks, fmi2False, fmi2False);
    check(fmi2SetupExperiment(instance, fmi2True, 1e-8, 0, fmi2False, 0), "set up");
    check(fmi2EnterInitializationMode(instance), "enter");
    check(fmi2ExitInitializationMode(instance), "exit");
    for (int i = 0; i < 30; i++) {
        check(fmi2DoStep(instance, 0.1 * i, 0.1, fmi2True), "step");
        read_all(instance);
    }

    fmi2FMUstate saved = NULL;
    check(fmi2GetFMUstate(instance, &saved), "save");

    /* a bound that lets go, one that is switched off, one that is outside */
    const fmi2ValueReference lower = find("hinge.limit_0.lower"), upper = find("hinge.limit_0.upper");
    const fmi2ValueReference enabled = find("hinge.limit_1.enabled");
    const fmi2Boolean off = fmi2False;
    const fmi2Real wide[] = {-2, 2}, beyond = 3;
    check(fmi2SetReal(instance, &lower, 1, wide), "lower");
    check(fmi2SetReal(instance, &upper, 1, wide + 1), "upper");
    check(fmi2SetBoolean(instance, &enabled, 1, &off), "switch off");
    check(fmi2DoStep(instance, 3, 0.5, fmi2True), "step with other limits");
    check(fmi2SetReal(instance, &lower, 1, &beyond), "outside");
    if (fmi2DoStep(instance, 3.5, 0.1, fmi2True) == fmi2OK)
        check(fmi2Error, "a step from outside of the limits");
    check(fmi2SetFMUstate(instance, saved), "restore after an error");
    check(fmi2DoStep(instance, 3, 0.1, fmi2True), "step after an error");
    check(fmi2FreeFMUstate(instance, &saved), "free state");
    fmi2FreeInstance(instance);
    return 0;
}
