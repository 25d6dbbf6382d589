/* An FMU of FMI 2.0 for both interfaces: a mass on a spring and a damper, x'' = u - k x - d x'. The file resources/fault.txt names its
 * fault; without it, there is none that is known. */
#include "fmi2Functions.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIME, X, V, DER_X, DER_V, K, D, U, Y, Z, LEAST, REALS };
enum { NEW = 1, INIT = 2, EVENT = 4, CONTINUOUS = 8, STEP = 16, ENDED = 32, FAILED = 64 };
enum { ANY = 127, READABLE = INIT | EVENT | CONTINUOUS | STEP | ENDED | FAILED, SETTABLE = NEW | INIT | EVENT | STEP };

typedef struct {
    double time, x, v, k, d, u, stop;
    int mode, steps, is_fresh;
} Values;
typedef struct {
    fmi2CallbackFunctions host;
    Values values;
    char fault[32];
    int is_exchange;
} Instance;

static double shared_x, scratch;
static int runs;

static int has(const Instance *it, const char *fault) { return strcmp(it->fault, fault) == 0; }
static fmi2Status fails(const Instance *it, const char *message) {
    it->host.logger(it->host.componentEnvironment, "planted", fmi2Error, "logStatusError", "%s", message);
    return fmi2Error;
}
#define ALLOW(MODES)                                                                                                                       \
    Instance *it = c;                                                                                                                      \
    if (!(it->values.mode & (MODES)) && !has(it, "order")) {                                                                               \
        it->values.mode = FAILED;                                                                                                          \
        return fails(it, "this call is not allowed here");                                                                                 \
    }

static void start(Instance *it) {
    Values old = it->values;
    it->values = (Values){
        .u = has(it, "residual") ? 1e-22 : 0, .x = 1, .v = 0.25, .k = has(it, "start") ? 3 : 2, .d = 0.3, .stop = INFINITY, .mode = NEW};
    if (has(it, "reset"))
        it->values.v = old.mode ? old.v : 0.25;
}

/* the path of a file URI */
static void decode(char *path, size_t size, const char *uri, int decodes) {
    size_t n = 0;
    uri += strncmp(uri, "file://", 7) == 0 ? 7 : 0;
    for (; *uri && n + 1 < size; n++) {
        unsigned code = 0;
        if (decodes && *uri == '%' && sscanf(uri + 1, "%2x", &code) == 1) {
            path[n] = (char)code;
            uri += 3;
        } else {
            path[n] = *uri++;
        }
    }
    path[n] = 0;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *host,
                              fmi2Boolean visible, fmi2Boolean logs) {
    (void)name, (void)visible, (void)logs;
    Instance *it = calloc(1, sizeof *it);
    char path[4096], file[4200];
    it->host = *host;
    it->is_exchange = type == fmi2ModelExchange;
    decode(path, sizeof path, resources, 1);
    snprintf(file, sizeof file, "%s/fault.txt", path);
    FILE *faults = fopen(file, "r");
    if (faults) {
        if (fscanf(faults, "%31s", it->fault) != 1)
            it->fault[0] = 0;
        fclose(faults);
    }
    int is_wrong = strcmp(guid, "{planted}") != 0 && !has(it, "guid");
    if (has(it, "uri") && strchr(resources, '%'))
        is_wrong = 1;
    if (is_wrong) {
        fails(it, "the guid or the location of the resources is wrong");
        free(it);
        return NULL;
    }
    if (has(it, "leak"))
        memset(malloc(100000), 1, 100000);
    if (has(it, "prints"))
        puts("hello");
    if (has(it, "chdir") && chdir("/"))
        exit(1);
    if (has(it, "locale"))
        setlocale(LC_ALL, "C");
    if (has(it, "files")) {
        snprintf(file, sizeof file, "%s/log.txt", path);
        fclose(fopen(file, "w"));
    }
    start(it);
    shared_x = 1;
    runs++;
    return it;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) {
    ALLOW(ANY)
    return (void)on, (void)n, (void)names, fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real begin, fmi2Boolean has_stop,
                               fmi2Real stop) {
    ALLOW(NEW)
    (void)has_tolerance, (void)tolerance;
    it->values.time = begin;
    it->values.stop = has_stop ? stop : INFINITY;
    return fmi2OK;
}
#define CHANGE(NAME, MODES, MODE)                                                                                                          \
    fmi2Status NAME(fmi2Component c) {                                                                                                     \
        ALLOW(MODES)                                                                                                                       \
        it->values.mode = MODE;                                                                                                            \
        return fmi2OK;                                                                                                                     \
    }
CHANGE(fmi2EnterInitializationMode, NEW, INIT)
CHANGE(fmi2ExitInitializationMode, INIT, it->is_exchange ? EVENT : STEP)
CHANGE(fmi2Terminate, EVENT | CONTINUOUS | STEP, ENDED)
CHANGE(fmi2EnterEventMode, EVENT | CONTINUOUS, EVENT)
CHANGE(fmi2EnterContinuousTimeMode, EVENT, CONTINUOUS)
fmi2Status fmi2Reset(fmi2Component c) {
    start(c);
    return fmi2OK;
}

/* ---- the equations ---- */

static void rates(const Instance *it, const double y[2], double rate[2]) {
    const Values *s = &it->values;
    rate[0] = y[0 + 1];
    rate[1] = s->u - s->k * y[0] - s->d * y[1];
    if (it->is_exchange && has(it, "exchange"))
        rate[1] = s->u - 1.3 * s->k * y[0] - s->d * y[1];
}
static void step_of_runge_kutta(const Instance *it, double y[2], double h) {
    double k[4][2], at[2];
    const double part[4] = {0, 0.5, 0.5, 1};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 2; j++)
            at[j] = y[j] + (i ? part[i] * h * k[i - 1][j] : 0);
        rates(it, at, k[i]);
    }
    for (int j = 0; j < 2; j++)
        y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real h, fmi2Boolean keeps) {
    ALLOW(STEP)
    Values *s = &it->values;
    (void)keeps;
    if (h <= 0 || (time + h > s->stop + 1e-12 && !has(it, "stop"))) {
        s->mode = FAILED;
        return fails(it, "this step is not possible");
    }
    double y[2] = {has(it, "shared") ? shared_x : s->x, s->v};
    int n = (int)ceil(h / 1e-3);
    double size = has(it, "step") ? 0.01 : h;
    for (int i = 0; i < n; i++) {
        step_of_runge_kutta(it, y, size / n);
        if (has(it, "threads")) {
            /* the other threads write here, too */
            scratch = y[0];
            usleep(10);
            y[0] = scratch;
        }
    }
    s->x = shared_x = y[0], s->v = y[1];
    s->time = time + (has(it, "time") ? 1.1 : 1) * h;
    s->steps++;
    if (s->time > 0.25) {
        if (has(it, "null"))
            *(volatile int *)NULL = 1;
        if (has(it, "exit"))
            exit(0);
        for (volatile int k = 0; has(it, "endless"); k++)
            ;
    }
    return fmi2OK;
}

/* ---- variables ---- */

static double value(const Instance *it, unsigned reference, int *is_known) {
    const Values *s = &it->values;
    double y[2] = {s->x, s->v}, rate[2];
    rates(it, y, rate);
    double reals[REALS] = {s->time, s->x, s->v, rate[0], rate[1], s->k, s->d, s->u};
    reals[Y] = s->x + 2 * s->u - (has(it, "residual") ? s->x : 0) + (has(it, "nonlinear") ? s->u * s->u : 0) +
               (has(it, "kink") ? 0.004 * fmax(s->u, 0) : 0);
    if (has(it, "cancelled"))
        reals[Y] = reals[Y] + 262144 - 262144;
    reals[Z] = s->v + (has(it, "feedthrough") ? 0.1 * s->u : 0) + (has(it, "random") ? 1e-9 * runs : 0);
    if (has(it, "residue") || has(it, "small"))
        reals[Z] = 0;
    reals[LEAST] = 0.5;
    if ((has(it, "stale") && !s->is_fresh) || (has(it, "behind") && !it->is_exchange && !s->steps))
        reals[Y] = 0;
    if (has(it, "nan") && s->time > 0.25)
        reals[Y] = NAN;
    *is_known = reference < REALS || has(it, "reference");
    return reference < REALS ? reals[reference] : 0;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real values[]) {
    ALLOW(READABLE)
    int is_known = 1;
    for (size_t i = 0; i < n && is_known; i++) {
        values[i] = value(it, vr[i], &is_known);
        it->values.is_fresh |= vr[i] == DER_V;
    }
    return is_known ? fmi2OK : fails(it, "there is no such variable");
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real values[]) {
    ALLOW(SETTABLE | CONTINUOUS)
    for (size_t i = 0; i < n; i++) {
        double *places[REALS] = {[X] = &it->values.x, [V] = &it->values.v, [K] = &it->values.k, [D] = &it->values.d, [U] = &it->values.u};
        if (vr[i] >= REALS || !places[vr[i]]) {
            if ((has(it, "reference") && vr[i] >= REALS) || (has(it, "constant") && vr[i] == LEAST))
                continue;
            return fails(it, "this variable cannot be set");
        }
        if (vr[i] != D || !has(it, "lost"))
            *places[vr[i]] = values[i];
    }
    return fmi2OK;
}
/* it has no variables of other types */
#define NONE(TYPE)                                                                                                                         \
    fmi2Status fmi2Get##TYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2##TYPE values[]) {                              \
        ALLOW(READABLE)                                                                                                                    \
        return (void)vr, (void)values, n == 0 ? fmi2OK : fails(it, "there is no such variable");                                           \
    }                                                                                                                                      \
    fmi2Status fmi2Set##TYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2##TYPE values[]) {                        \
        ALLOW(SETTABLE)                                                                                                                    \
        return (void)vr, (void)values, n == 0 ? fmi2OK : fails(it, "there is no such variable");                                           \
    }
NONE(Integer)
NONE(Boolean)
NONE(String)

static double partial(const Instance *it, unsigned unknown, unsigned known) {
    const Values *s = &it->values;
    const double by_y[REALS] = {[X] = has(it, "residual") ? 0 : 1, [U] = has(it, "near") ? 2.002 : 2},
                 by_z[REALS] = {[V] = has(it, "residue") ? 2.3e-13
                                      : has(it, "small") ? 2.3e-9
                                                         : 1},
                 by_x[REALS] = {[V] = 1};
    const double by_v[REALS] = {[X] = -s->k, [V] = has(it, "derivative") ? s->d : -s->d, [U] = 1, [K] = -s->x, [D] = -s->v};
    const double *row = unknown == Y ? by_y : unknown == Z ? by_z : unknown == DER_X ? by_x : by_v;
    return known < REALS ? row[known] : 0;
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n, const fmi2ValueReference known[],
                                        size_t m, const fmi2Real seed[], fmi2Real result[]) {
    ALLOW(READABLE)
    if (has(it, "discards") || (has(it, "unknown_at_start") && it->values.mode == INIT && known[0] != K))
        return fmi2Discard;
    for (size_t i = 0; i < n; i++) {
        result[i] = 0;
        for (size_t j = 0; j < m; j++)
            result[i] += partial(it, unknown[i], known[j]) * seed[j];
    }
    return fmi2OK;
}

/* ---- saved states ---- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    ALLOW(ANY)
    if (!*state)
        *state = calloc(1, sizeof(Values));
    memcpy(*state, &it->values, sizeof(Values));
    if (has(it, "state"))
        ((Values *)*state)->v = 0.25;
    return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    ALLOW(ANY)
    memcpy(&it->values, state, sizeof(Values));
    return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    ALLOW(ANY)
    free(*state);
    *state = NULL;
    return fmi2OK;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    ALLOW(ANY)
    *size = sizeof(Values);
    return (void)state, fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    ALLOW(ANY)
    memcpy(bytes, state, size);
    return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    ALLOW(ANY)
    if (size != sizeof(Values)) {
        if (has(it, "truncated"))
            abort();
        return fails(it, "these are not the bytes of a state");
    }
    *state = malloc(sizeof(Values));
    memcpy(*state, bytes, size);
    if (has(it, "bytes"))
        ((Values *)*state)->v = (float)((Values *)*state)->v;
    return fmi2OK;
}

/* ---- model exchange ---- */

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    ALLOW(EVENT)
    memset(info, 0, sizeof *info);
    return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keeps, fmi2Boolean *event, fmi2Boolean *ends) {
    ALLOW(CONTINUOUS)
    *event = *ends = 0;
    return (void)keeps, fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    ALLOW(EVENT | CONTINUOUS)
    it->values.time = time;
    return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
    ALLOW(CONTINUOUS)
    it->values.x = x[0], it->values.v = x[1];
    return n == 2 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    ALLOW(READABLE)
    x[0] = it->values.x, x[1] = it->values.v;
    return n == 2 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    ALLOW(READABLE | NEW)
    x[0] = x[1] = 1;
    return n == 2 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real x[], size_t n) {
    ALLOW(READABLE)
    double y[2] = {it->values.x, it->values.v};
    rates(it, y, x);
    return n == 2 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) {
    ALLOW(READABLE)
    return (void)z, n == 0 ? fmi2OK : fmi2Error;
}

/* ---- what this FMU does not support ---- */

static fmi2Status refused(fmi2Component c, int modes) {
    ALLOW(modes)
    return fails(it, "this FMU does not support the function");
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer o[], const fmi2Real v[]) {
    return (void)r, (void)n, (void)o, (void)v, refused(c, SETTABLE);
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer o[], fmi2Real v[]) {
    return (void)r, (void)n, (void)o, (void)v, refused(c, STEP | ENDED);
}
fmi2Status fmi2CancelStep(fmi2Component c) { return refused(c, 0); }
#define ABOUT(NAME, TYPE)                                                                                                                  \
    fmi2Status NAME(fmi2Component c, const fmi2StatusKind kind, TYPE *result) {                                                            \
        ALLOW(STEP | ENDED)                                                                                                                \
        return (void)kind, (void)result, fmi2Discard;                                                                                      \
    }
ABOUT(fmi2GetStatus, fmi2Status)
ABOUT(fmi2GetRealStatus, fmi2Real)
ABOUT(fmi2GetIntegerStatus, fmi2Integer)
ABOUT(fmi2GetBooleanStatus, fmi2Boolean)
ABOUT(fmi2GetStringStatus, fmi2String)
