/* An FMU that works until its time is up; then it does what the parameter `manner` says. In C, since pythonfmu's library spoils the memory
 * of the process after an exception. */
#include "fmi2Functions.h"
#include "without_content.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANNER, LIMIT, Y };

typedef struct {
    fmi2CallbackFunctions host;
    char name[64], manner[16];
    double limit, y;
} Instance;

static void say(Instance *it, fmi2Status status, const char *message) {
    it->host.logger(it->host.componentEnvironment, it->name, status, "logAll", message);
}

static int is(const Instance *it, const char *manner) { return strcmp(it->manner, manner) == 0; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *host,
                              fmi2Boolean visible, fmi2Boolean logs) {
    (void)type, (void)guid, (void)resources, (void)visible, (void)logs;
    Instance *it = calloc(1, sizeof *it);
    it->host = *host;
    strncpy(it->name, name, sizeof it->name - 1);
    strcpy(it->manner, "raise");
    it->limit = 0.25;
    it->y = 0.5;
    return it;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean keeps) {
    Instance *it = c;
    (void)keeps;
    if (time + step <= it->limit)
        return fmi2OK;
    if (is(it, "raise")) {
        say(it, fmi2Error, "the spring broke");
        return fmi2Fatal;
    }
    if (is(it, "discard") || is(it, "part"))
        return fmi2Discard;
    if (is(it, "warn"))
        say(it, fmi2Warning, "the spring is hot");
    if (is(it, "chatter"))
        for (int i = 0; i < 100; i++)
            say(it, fmi2OK, "the spring moves");
    if (is(it, "unknown"))
        return 77;
    if (is(it, "negative"))
        return -1;
    if (is(it, "nan"))
        it->y = NAN;
    return fmi2OK;
}
fmi2Status fmi2Terminate(fmi2Component c) {
    Instance *it = c;
    if (!is(it, "terminate"))
        return fmi2OK;
    say(it, fmi2Error, "cannot stop");
    return fmi2Fatal;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    const Instance *it = c;
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == LIMIT ? it->limit : it->y;
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    Instance *it = c;
    for (size_t i = 0; i < n; i++)
        if (vr[i] == LIMIT)
            it->limit = value[i];
    return fmi2OK;
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]) {
    (void)vr;
    for (size_t i = 0; i < n; i++)
        value[i] = ((Instance *)c)->manner;
    return fmi2OK;
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]) {
    (void)vr;
    for (size_t i = 0; i < n; i++)
        strncpy(((Instance *)c)->manner, value[i], sizeof((Instance *)c)->manner - 1);
    return fmi2OK;
}

/* a saved state is a copy of the instance */
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (!*state)
        *state = malloc(sizeof(Instance));
    memcpy(*state, c, sizeof(Instance));
    return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    memcpy(c, state, sizeof(Instance));
    return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    (void)c, (void)state;
    *size = sizeof(Instance);
    return fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    (void)c;
    memcpy(bytes, state, size);
    return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    (void)c;
    *state = malloc(sizeof(Instance));
    memcpy(*state, bytes, size);
    return fmi2OK;
}

/* what is left has nothing to do */
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real d, fmi2Boolean e, fmi2Real f) {
    return (void)c, (void)a, (void)b, (void)d, (void)e, (void)f, fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind k, fmi2Real *v) {
    const Instance *it = c;
    if (k != fmi2LastSuccessfulTime || !is(it, "part"))
        return fmi2Discard;
    *v = it->limit;
    return fmi2OK;
}
