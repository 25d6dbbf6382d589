/* Goes through the life of an FMU with limits, for the sanitizers: impacts, rest, saved states, tuning, failures; with
 * error control or with fixed steps, the last of which may be cut short. */
#include "life_of_fmu.h"

int main(void) {
    fmi2Component instance = started();
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
    check(fmi2DoStep(instance, 3, 0.5055, fmi2True), "step with other limits");
    check(fmi2SetReal(instance, &lower, 1, &beyond), "outside");
    if (fmi2DoStep(instance, 3.5055, 0.1, fmi2True) == fmi2OK)
        check(fmi2Error, "a step from outside of the limits");
    check(fmi2SetFMUstate(instance, saved), "restore after an error");
    check(fmi2DoStep(instance, 3, 0.1, fmi2True), "step after an error");
    check(fmi2FreeFMUstate(instance, &saved), "free state");
    fmi2FreeInstance(instance);
    return 0;
}
