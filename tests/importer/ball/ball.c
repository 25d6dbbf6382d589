/* An FMU of FMI 2.0 for both interfaces: a ball that bounces, in model exchange, and the integral of an input, which co-simulation computes
 * exactly from the input and its derivative. `fault` chooses what goes wrong after 0.25 s. */
#include "fmi2Functions.h"

#include <stdlib.h>
#include <string.h>

enum { H, V, INTEGRAL, DER_H, DER_V, DER_INTEGRAL, G, E, U, MOST, BOUNCES, FAULT };

typedef struct {
    fmi2CallbackFunctions host;
    double reals[9], time, slope;
    int most, bounces, is_first;
    char fault[32];
} Ball;

static int is(const Ball *it, const char *fault) { return it->time > 0.25 && strcmp(it->fault, fault) == 0; }
static void say(Ball *it, const char *message) {
    it->host.logger(it->host.componentEnvironment, "ball", fmi2Error, "logStatusError", message);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *host,
                              fmi2Boolean visible, fmi2Boolean logs) {
    (void)name, (void)type, (void)guid, (void)resources, (void)visible, (void)logs;
    Ball *it = calloc(1, sizeof *it);
    it->host = *host;
    it->reals[H] = 1, it->reals[G] = 10, it->reals[E] = 0.5, it->most = 1000, it->is_first = 1;
    return it;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                               fmi2Real stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((Ball *)c)->time = start;
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real values[]) {
    for (size_t i = 0; i < n; i++)
        ((Ball *)c)->reals[vr[i]] = values[i];
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real values[]) {
    Ball *it = c;
    for (size_t i = 0; i < n; i++)
        values[i] = is(it, "nan") ? 0.0 / (it->time - it->time) : it->reals[vr[i]];
    return fmi2OK;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer values[]) {
    (void)vr, (void)n;
    ((Ball *)c)->most = values[0];
    return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer values[]) {
    for (size_t i = 0; i < n; i++)
        values[i] = vr[i] == MOST ? ((Ball *)c)->most : ((Ball *)c)->bounces;
    return fmi2OK;
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String values[]) {
    (void)vr, (void)n;
    strncpy(((Ball *)c)->fault, values[0], sizeof((Ball *)c)->fault - 1);
    return fmi2OK;
}

/* ---- co-simulation ---- */

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
                                       const fmi2Real values[]) {
    ((Ball *)c)->slope = values[0];
    return n == 1 && vr[0] == U && order[0] == 1 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean keeps) {
    Ball *it = c;
    (void)keeps;
    it->time = time + step;
    if (is(it, "discard") || is(it, "end"))
        return fmi2Discard;
    it->reals[INTEGRAL] += it->reals[U] * step + it->slope * step * step / 2;
    it->reals[U] += it->slope * step;
    return fmi2OK;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    *value = is(c, "end") && kind == fmi2Terminated;
    return fmi2OK;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    *value = 0.25;
    return c && kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Error;
}

/* ---- model exchange ---- */

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    Ball *it = c;
    memset(info, 0, sizeof *info);
    if (!it->is_first && it->reals[H] <= 1e-9 && it->reals[V] < 0) {
        it->reals[H] = 0;
        it->reals[V] *= -it->reals[E];
        it->bounces++;
        info->valuesOfContinuousStatesChanged = 1;
    }
    it->is_first = 0;
    info->terminateSimulation = it->bounces >= it->most;
    info->newDiscreteStatesNeeded = is(it, "endless event");
    info->nextEventTimeDefined = strcmp(it->fault, "events at once") == 0 || strcmp(it->fault, "endless event") == 0;
    info->nextEventTime = it->time > 0.25 ? it->time : 0.375;
    return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keeps, fmi2Boolean *event, fmi2Boolean *ends) {
    (void)keeps;
    *event = 0;
    *ends = is(c, "end");
    return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    ((Ball *)c)->time = time;
    return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
    memcpy(((Ball *)c)->reals, x, n * sizeof *x);
    return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    memcpy(x, ((Ball *)c)->reals, n * sizeof *x);
    return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return c ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real x[], size_t n) {
    Ball *it = c;
    if (is(it, "error")) {
        say(it, "the ball was lost");
        return fmi2Error;
    }
    if (is(it, "discard"))
        return fmi2Discard;
    x[0] = it->reals[V], x[1] = -it->reals[G], x[2] = it->reals[U];
    return n == 3 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) {
    z[0] = ((Ball *)c)->reals[H];
    return n == 1 ? fmi2OK : fmi2Error;
}

/* ---- calls that change nothing, and calls that nobody makes ---- */

#define FINE(NAME)                                                                                                                         \
    fmi2Status NAME(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
FINE(fmi2EnterInitializationMode)
FINE(fmi2ExitInitializationMode)
FINE(fmi2EnterEventMode)
FINE(fmi2EnterContinuousTimeMode)
FINE(fmi2Terminate)
FINE(fmi2Reset)
