/* Goes through the life of an FMU with constraints, for the sanitizers: steps, switches, saved states, derivatives, failures. */
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
    check(fmi2DoStep(instance, 0, 0.1, fmi2True), "step");
    read_all(instance);

    fmi2FMUstate saved = NULL;
    check(fmi2GetFMUstate(instance, &saved), "save");

    /* all constraints, then some; a lock; derivatives of redundant rows */
    const fmi2ValueReference enabled = find("rod.enabled"), length = find("rod.length"), level = find("crank1.lock_level");
    const fmi2ValueReference unknown = find("ball1.multiplier[1]"), known = find("crank0.u");
    const fmi2Boolean on = fmi2True;
    const fmi2Real one = 1, far = 9;
    const fmi2Integer position = 3;
    fmi2Real derivative;
    check(fmi2GetDirectionalDerivative(instance, &unknown, 1, &known, 1, &one, &derivative), "derivative");
    check(fmi2SetInteger(instance, &level, 1, &position), "lock");
    check(fmi2GetDirectionalDerivative(instance, &unknown, 1, &known, 1, &one, &derivative), "derivative of what is locked");
    check(fmi2SetFMUstate(instance, saved), "restore");
    check(fmi2DoStep(instance, 0.1, 0.1, fmi2True), "second step");

    /* what cannot be satisfied */
    check(fmi2SetBoolean(instance, &enabled, 1, &on), "enable");
    check(fmi2SetReal(instance, &length, 1, &far), "length");
    if (fmi2DoStep(instance, 0.2, 0.1, fmi2True) == fmi2OK)
        check(fmi2Error, "a step with a rod that is too long");
    check(fmi2SetFMUstate(instance, saved), "restore after an error");
    check(fmi2DoStep(instance, 0.1, 0.1, fmi2True), "step after an error");
    check(fmi2FreeFMUstate(instance, &saved), "free state");
    fmi2FreeInstance(instance);
    return 0;
}
