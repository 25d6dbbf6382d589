/* A slave of FMI 1.0: tau x' = gain u - x, solved exactly for inputs that are held or grow linearly within a step. It logs with its
 * instance, and crashes in the function that the name of its instance says: crash_in_fmiDoStep. */
#include <stddef.h> /* which the next one needs */

#include "fmi1Functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FMI(name) lag_fmi##name

enum { U, TAU, GAIN, X, N };            /* Real */
enum { STEPS };                         /* Integer */
enum { IS_FROZEN };                     /* Boolean */
enum { MODE_INSTANTIATED, MODE_STEPS }; /* before and after the initialization */

typedef struct {
    double real[N], slope, time;
    int steps, mode;
    char is_frozen, name[100], label[100];
    fmi1CallbackFunctions functions;
} Lag;

static void harm(const Lag *lag, const char *function) {
    const char *in = strstr(lag->name, "crash_in_");
    if (in && strcmp(in + 9, function) == 0)
        abort();
}

static fmi1Status refuse(Lag *lag, const char *what) {
    lag->functions.logger(lag, lag->name, fmi1Error, "error", "%s at %g s", what, lag->time);
    return fmi1Error;
}

fmi1Component FMI(InstantiateSlave)(fmi1String name, fmi1String guid, fmi1String location, fmi1String mime_type, fmi1Real timeout,
                                    fmi1Boolean visible, fmi1Boolean interactive, fmi1CallbackFunctions functions, fmi1Boolean logs) {
    Lag *lag = functions.allocateMemory(1, sizeof *lag);
    (void)timeout, (void)visible, (void)interactive, (void)logs;
    lag->functions = functions;
    strncpy(lag->name, name, sizeof lag->name - 1);
    strcpy(lag->label, "no label");
    lag->real[TAU] = 0.5;
    lag->real[GAIN] = 2;
    if (strcmp(guid, "{lag}") != 0 || strncmp(location, "file:///", 8) != 0 || strcmp(mime_type, "application/x-fmu-sharedlibrary") != 0) {
        refuse(lag, "wrong arguments");
        functions.freeMemory(lag);
        return NULL;
    }
    functions.logger(lag, name, fmi1OK, "info", "made %s", name);
    return lag;
}

fmi1Status FMI(InitializeSlave)(fmi1Component c, fmi1Real start, fmi1Boolean has_stop, fmi1Real stop) {
    Lag *lag = c;
    (void)has_stop, (void)stop;
    harm(lag, "fmiInitializeSlave");
    if (lag->mode != MODE_INSTANTIATED || lag->real[TAU] <= 0)
        return refuse(lag, "tau must be positive");
    lag->mode = MODE_STEPS;
    lag->time = start;
    return fmi1OK;
}

/* for u + slope t: x = gain (u - slope tau + slope t) + c exp(-t / tau) */
fmi1Status FMI(DoStep)(fmi1Component c, fmi1Real time, fmi1Real step, fmi1Boolean is_new) {
    Lag *lag = c;
    double *real = lag->real, decay = exp(-step / real[TAU]), steady = real[GAIN] * (real[U] - lag->slope * real[TAU]);
    harm(lag, "fmiDoStep");
    if (lag->mode != MODE_STEPS || !is_new || fabs(time - lag->time) > 1e-9)
        return refuse(lag, "no step can be taken");
    if (!lag->is_frozen)
        real[X] = steady + real[GAIN] * lag->slope * step + (real[X] - steady) * decay;
    real[U] += lag->slope * step;
    lag->time = time + step;
    lag->steps++;
    return fmi1OK;
}

fmi1Status FMI(GetReal)(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1Real value[]) {
    Lag *lag = c;
    harm(lag, "fmiGetReal");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= N)
            return refuse(lag, "unknown value reference");
        value[i] = lag->real[vr[i]];
    }
    return fmi1OK;
}

fmi1Status FMI(SetReal)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Real value[]) {
    Lag *lag = c;
    harm(lag, "fmiSetReal");
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= N || (vr[i] != U && lag->mode != MODE_INSTANTIATED))
            return refuse(lag, "cannot be set now");
        lag->real[vr[i]] = value[i];
    }
    lag->slope = 0;
    return fmi1OK;
}

fmi1Status FMI(SetRealInputDerivatives)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Integer order[],
                                        const fmi1Real value[]) {
    Lag *lag = c;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] != U || order[i] != 1)
            return refuse(lag, "only first derivatives of u");
        lag->slope = value[i];
    }
    return fmi1OK;
}

fmi1Status FMI(GetInteger)(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1Integer value[]) {
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == STEPS ? ((Lag *)c)->steps : -1;
    return fmi1OK;
}

fmi1Status FMI(SetInteger)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Integer value[]) {
    (void)vr, (void)value;
    return n ? refuse(c, "no Integer can be set") : fmi1OK;
}

fmi1Status FMI(GetBoolean)(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1Boolean value[]) {
    for (size_t i = 0; i < n; i++)
        value[i] = ((Lag *)c)->is_frozen;
    (void)vr;
    return fmi1OK;
}

fmi1Status FMI(SetBoolean)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Boolean value[]) {
    for (size_t i = 0; i < n; i++)
        ((Lag *)c)->is_frozen = value[i];
    (void)vr;
    return fmi1OK;
}

fmi1Status FMI(GetString)(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1String value[]) {
    for (size_t i = 0; i < n; i++)
        value[i] = ((Lag *)c)->label;
    (void)vr;
    return fmi1OK;
}

fmi1Status FMI(SetString)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1String value[]) {
    for (size_t i = 0; i < n; i++)
        strncpy(((Lag *)c)->label, value[i], sizeof((Lag *)c)->label - 1);
    (void)vr;
    return fmi1OK;
}

fmi1Status FMI(GetRealStatus)(fmi1Component c, const fmi1StatusKind kind, fmi1Real *value) {
    (void)kind;
    *value = ((Lag *)c)->time;
    return fmi1OK;
}

fmi1Status FMI(TerminateSlave)(fmi1Component c) {
    harm(c, "fmiTerminateSlave");
    return fmi1OK;
}

void FMI(FreeSlaveInstance)(fmi1Component c) {
    Lag *lag = c;
    harm(lag, "fmiFreeSlaveInstance");
    lag->functions.freeMemory(lag);
}
