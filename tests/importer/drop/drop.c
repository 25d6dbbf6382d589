/* A model of FMI 1.0: a ball falls, and bounces with a restitution. Each quarter of a second is a time event, which is counted. */
#include <stddef.h> /* which the next one needs */

#include "fmi1Functions.h"

#include <stdlib.h>
#include <string.h>

#define FMI(name) drop_fmi##name
#define QUARTER 0.25

enum { H, V, G, RESTITUTION, PUSH, A, N }; /* Real */
enum { BOUNCES, QUARTERS };                /* Integer */

typedef struct {
    double real[N], time;
    int bounces, quarters, is_initialized;
    fmi1CallbackFunctions functions;
    char name[100];
} Drop;

fmi1Component FMI(InstantiateModel)(fmi1String name, fmi1String guid, fmi1CallbackFunctions functions, fmi1Boolean logs) {
    const double start[N] = {[H] = 1, [G] = 9.81, [RESTITUTION] = 0.5};
    Drop *drop = functions.allocateMemory(1, sizeof *drop);
    (void)guid, (void)logs;
    memcpy(drop->real, start, sizeof start);
    drop->functions = functions;
    strncpy(drop->name, name, sizeof drop->name - 1);
    return drop;
}

void FMI(FreeModelInstance)(fmi1Component c) { ((Drop *)c)->functions.freeMemory(c); }

fmi1Status FMI(SetTime)(fmi1Component c, fmi1Real time) {
    ((Drop *)c)->time = time;
    return fmi1OK;
}

static void tell(const Drop *drop, fmi1EventInfo *info) {
    info->iterationConverged = 1;
    info->upcomingTimeEvent = 1;
    info->nextEventTime = (drop->quarters + 1) * QUARTER;
}

fmi1Status FMI(Initialize)(fmi1Component c, fmi1Boolean is_controlled, fmi1Real tolerance, fmi1EventInfo *info) {
    Drop *drop = c;
    (void)is_controlled, (void)tolerance;
    if (drop->real[G] <= 0) {
        drop->functions.logger(drop, drop->name, fmi1Error, "error", "g is %g", drop->real[G]);
        return fmi1Error;
    }
    drop->is_initialized = 1;
    memset(info, 0, sizeof *info);
    tell(drop, info);
    return fmi1OK;
}

fmi1Status FMI(EventUpdate)(fmi1Component c, fmi1Boolean intermediate, fmi1EventInfo *info) {
    Drop *drop = c;
    (void)intermediate;
    memset(info, 0, sizeof *info);
    if (drop->real[H] <= 0 && drop->real[V] < 0) {
        drop->real[H] = 0;
        drop->real[V] *= -drop->real[RESTITUTION];
        drop->bounces++;
        info->stateValuesChanged = 1;
    }
    if (drop->time >= (drop->quarters + 1) * QUARTER)
        drop->quarters++;
    tell(drop, info);
    return fmi1OK;
}

fmi1Status FMI(CompletedIntegratorStep)(fmi1Component c, fmi1Boolean *calls_event_update) {
    (void)c;
    *calls_event_update = 0;
    return fmi1OK;
}

fmi1Status FMI(SetContinuousStates)(fmi1Component c, const fmi1Real x[], size_t n) {
    memcpy(((Drop *)c)->real, x, n * sizeof *x);
    return fmi1OK;
}

fmi1Status FMI(GetContinuousStates)(fmi1Component c, fmi1Real x[], size_t n) {
    memcpy(x, ((Drop *)c)->real, n * sizeof *x);
    return fmi1OK;
}

fmi1Status FMI(GetNominalContinuousStates)(fmi1Component c, fmi1Real x[], size_t n) {
    (void)c;
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return fmi1OK;
}

static double acceleration(const Drop *drop) { return drop->real[PUSH] - drop->real[G]; }

fmi1Status FMI(GetDerivatives)(fmi1Component c, fmi1Real rates[], size_t n) {
    const Drop *drop = c;
    (void)n;
    rates[0] = drop->real[V];
    rates[1] = acceleration(drop);
    return fmi1OK;
}

fmi1Status FMI(GetEventIndicators)(fmi1Component c, fmi1Real z[], size_t n) {
    (void)n;
    z[0] = ((Drop *)c)->real[H];
    return fmi1OK;
}

fmi1Status FMI(GetReal)(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1Real value[]) {
    Drop *drop = c;
    drop->real[A] = acceleration(drop);
    for (size_t i = 0; i < n; i++)
        value[i] = drop->real[vr[i]];
    return fmi1OK;
}

fmi1Status FMI(SetReal)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Real value[]) {
    Drop *drop = c;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != PUSH && drop->is_initialized)
            return fmi1Error;
        drop->real[vr[i]] = value[i];
    }
    return fmi1OK;
}

fmi1Status FMI(GetInteger)(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1Integer value[]) {
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == BOUNCES ? ((Drop *)c)->bounces : ((Drop *)c)->quarters;
    return fmi1OK;
}

fmi1Status FMI(SetInteger)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Integer value[]) {
    (void)c, (void)vr, (void)n, (void)value;
    return fmi1Error;
}

fmi1Status FMI(GetBoolean)(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1Boolean value[]) {
    (void)vr;
    for (size_t i = 0; i < n; i++)
        value[i] = ((Drop *)c)->real[V] < 0;
    return fmi1OK;
}

fmi1Status FMI(SetBoolean)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Boolean value[]) {
    (void)c, (void)vr, (void)n, (void)value;
    return fmi1Error;
}

fmi1Status FMI(GetString)(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1String value[]) {
    (void)c, (void)vr, (void)n, (void)value;
    return fmi1Error;
}

fmi1Status FMI(SetString)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1String value[]) {
    (void)c, (void)vr, (void)n, (void)value;
    return fmi1Error;
}

fmi1Status FMI(Terminate)(fmi1Component c) {
    (void)c;
    return fmi1OK;
}
