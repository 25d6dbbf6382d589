/* Goes through the life of an FMU with constraints, for the sanitizers: steps, switches, saved states, derivatives, failures. */
#include "life_of_fmu.h"

int main(void) {
    fmi2Component instance = started();
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
