/* What drivers of an FMU's life share: they stop at the first call that is not OK. */
#ifndef MOBOD_LIFE_OF_FMU_H
#define MOBOD_LIFE_OF_FMU_H

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

/* in step mode, at 0 s */
static fmi2Component started(void) {
    static const fmi2CallbackFunctions callbacks = {.logger = ignore, .allocateMemory = calloc, .freeMemory = free};
    fmi2Component instance = fmi2Instantiate("driven", fmi2CoSimulation, mobod_interface.token, "", &callbacks, fmi2False, fmi2False);
    check(fmi2SetupExperiment(instance, fmi2True, 1e-8, 0, fmi2False, 0), "set up");
    check(fmi2EnterInitializationMode(instance), "enter");
    check(fmi2ExitInitializationMode(instance), "exit");
    return instance;
}

#endif
