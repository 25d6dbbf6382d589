/* An FMU of FMI 3.0 for both interfaces: a tank that empties, level' = u - k level, with arrays, all types, and events. A co-simulation
 * step is exact for a constant u. */
#include "fmi3Functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TIME,
    U,
    LEVEL,
    DER,
    RATE,
    GAINS,
    Y,
    MODE,
    SEEN,
    SWITCH,
    LABEL,
    METHOD,
    LIMIT,
    CROSSINGS,
    TICK,
    TICKS,
    END_AT,
    FAIL_AT,
    N,
    TABLE,
    TOTAL
};

typedef struct {
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    double time, u, level, rate, gains[3], limit, tick, end_at, fail_at, table[10];
    int mode, seen, crossings, ticks, small, is_above;
    long method;
    unsigned long n;
    bool is_on;
    char label[64];
} Tank;

static fmi3Instance make(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
    Tank *it = calloc(1, sizeof *it);
    it->environment = environment, it->log = log;
    it->level = 1, it->rate = 0.5, it->limit = 1e9, it->end_at = it->fail_at = 1e9, it->method = 1, it->n = 2, it->small = 3;
    it->is_above = -1;
    for (int i = 0; i < 3; i++)
        it->gains[i] = i + 1;
    for (int i = 0; i < 10; i++)
        it->table[i] = 1;
    strcpy(it->label, "tank");
    return it;
}
static double rate(const Tank *it) { return it->rate * (double)it->method; }
static fmi3Status fails(const Tank *it) {
    if (it->time < it->fail_at)
        return fmi3OK;
    it->log(it->environment, fmi3Error, "logStatusError", "the pipe burst");
    return fmi3Error;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible, fmi3Boolean logs,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
    (void)name, (void)token, (void)path, (void)visible, (void)logs;
    return make(environment, log);
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible, fmi3Boolean logs,
                                         fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference needed[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)name, (void)token, (void)path, (void)visible, (void)logs, (void)events, (void)early, (void)needed, (void)n, (void)update;
    return make(environment, log);
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
const char *fmi3GetVersion(void) { return "3.0"; }

/* the numbers of a variable; NULL for one of another type */
static double *reals(Tank *it, fmi3ValueReference vr, size_t *n) {
    *n = vr == GAINS ? 3 : vr == TABLE ? it->n : 1;
    switch (vr) {
    case TIME:
        return &it->time;
    case U:
        return &it->u;
    case LEVEL:
        return &it->level;
    case RATE:
        return &it->rate;
    case GAINS:
        return it->gains;
    case LIMIT:
        return &it->limit;
    case TICK:
        return &it->tick;
    case END_AT:
        return &it->end_at;
    case FAIL_AT:
        return &it->fail_at;
    case TABLE:
        return it->table;
    default:
        return NULL;
    }
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n_vr, fmi3Float64 values[], size_t n_values) {
    Tank *it = c;
    size_t at = 0, n;
    for (size_t i = 0; i < n_vr; i++, at += n) {
        const double *from = reals(it, vr[i], &n);
        if (from) {
            memcpy(values + at, from, n * sizeof *from);
        } else if (vr[i] == Y) {
            for (n = 0; n < 3; n++)
                values[at + n] = it->gains[n] * it->level;
        } else if (vr[i] == TOTAL) {
            values[at] = 0;
            for (size_t k = 0; k < it->n; k++)
                values[at] += it->table[k];
        } else {
            values[at] = it->u - rate(it) * it->level;
        }
    }
    return at == n_values ? fmi3OK : fmi3Error;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n_vr, const fmi3Float64 values[], size_t n_values) {
    size_t at = 0, n;
    for (size_t i = 0; i < n_vr; i++, at += n) {
        double *to = reals(c, vr[i], &n);
        memcpy(to, values + at, n * sizeof *values);
    }
    return at == n_values ? fmi3OK : fmi3Error;
}
static int *integer(Tank *it, fmi3ValueReference vr) {
    return vr == MODE ? &it->mode : vr == SEEN ? &it->seen : vr == CROSSINGS ? &it->crossings : &it->ticks;
}
#define EACH(TYPE, C_TYPE, PLACE)                                                                                                          \
    fmi3Status fmi3Get##TYPE(fmi3Instance c, const fmi3ValueReference vr[], size_t n_vr, C_TYPE values[], size_t n_values) {               \
        Tank *it = c;                                                                                                                      \
        (void)vr;                                                                                                                          \
        for (size_t i = 0; i < n_vr; i++)                                                                                                  \
            values[i] = (C_TYPE)(PLACE);                                                                                                   \
        return n_vr == n_values ? fmi3OK : fmi3Error;                                                                                      \
    }                                                                                                                                      \
    fmi3Status fmi3Set##TYPE(fmi3Instance c, const fmi3ValueReference vr[], size_t n_vr, const C_TYPE values[], size_t n_values) {         \
        Tank *it = c;                                                                                                                      \
        (void)vr;                                                                                                                          \
        for (size_t i = 0; i < n_vr; i++)                                                                                                  \
            PLACE = values[i];                                                                                                             \
        return n_vr == n_values ? fmi3OK : fmi3Error;                                                                                      \
    }
EACH(Int32, fmi3Int32, *integer(it, vr[i]))
EACH(Int64, fmi3Int64, it->method)
EACH(UInt64, fmi3UInt64, it->n)
EACH(UInt8, fmi3UInt8, it->small)
EACH(Boolean, fmi3Boolean, it->is_on)

fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[], size_t n_vr, fmi3String values[], size_t n_values) {
    Tank *it = c;
    (void)vr, (void)n_values;
    for (size_t i = 0; i < n_vr; i++)
        values[i] = it->label;
    return fmi3OK;
}
fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t n_vr, const fmi3String values[], size_t n_values) {
    Tank *it = c;
    (void)vr, (void)n_vr, (void)n_values;
    strncpy(it->label, values[0], sizeof it->label - 1);
    return fmi3OK;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
    Tank *it = c;
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    it->time = start;
    return fmi3OK;
}

/* ---- co-simulation ---- */

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean keeps, fmi3Boolean *event, fmi3Boolean *ends,
                      fmi3Boolean *early, fmi3Float64 *last) {
    Tank *it = c;
    (void)keeps;
    *event = *early = false;
    *ends = time + step >= it->end_at;
    it->time = *last = *ends ? it->end_at : time + step;
    double far = it->u / rate(it);
    it->level = far + (it->level - far) * exp(-rate(it) * (it->time - time));
    it->seen = it->mode;
    return fails(it);
}
fmi3Status fmi3EnterStepMode(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }

/* ---- model exchange ---- */

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *more, fmi3Boolean *ends, fmi3Boolean *nominals, fmi3Boolean *values,
                                    fmi3Boolean *has_next, fmi3Float64 *next) {
    Tank *it = c;
    *more = *nominals = *values = false;
    int is_above = it->level > it->limit;
    it->crossings += it->is_above >= 0 && is_above != it->is_above;
    it->is_above = is_above;
    it->seen = it->mode;
    it->ticks += it->tick > 0 && it->time >= it->tick * (it->ticks + 1);
    *ends = it->time >= it->end_at;
    *next = fmin(it->end_at, it->tick > 0 ? it->tick * (it->ticks + 1) : 1e9);
    *has_next = *next < 1e9;
    return fmi3OK;
}
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
    ((Tank *)c)->time = time;
    return fmi3OK;
}
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) {
    ((Tank *)c)->level = x[0];
    return n == 1 ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
    x[0] = ((Tank *)c)->level;
    return n == 1 ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 x[], size_t n) {
    Tank *it = c;
    x[0] = it->u - rate(it) * it->level;
    return n == 1 ? fails(it) : fmi3Error;
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
    x[0] = 0; /* illegal, but some FMUs do it */
    return c && n == 1 ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t n) {
    Tank *it = c;
    z[0] = it->level - it->limit;
    return n == 1 ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) { return *n = 1, c ? fmi3OK : fmi3Error; }
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) { return *n = 1, c ? fmi3OK : fmi3Error; }
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean keeps, fmi3Boolean *event, fmi3Boolean *ends) {
    (void)c, (void)keeps;
    *event = *ends = false;
    return fmi3OK;
}

/* ---- calls that change nothing ---- */

#define FINE(NAME)                                                                                                                         \
    fmi3Status NAME(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
FINE(fmi3ExitInitializationMode)
FINE(fmi3EnterEventMode)
FINE(fmi3EnterContinuousTimeMode)
FINE(fmi3EnterConfigurationMode)
FINE(fmi3ExitConfigurationMode)
FINE(fmi3Terminate)
FINE(fmi3Reset)
