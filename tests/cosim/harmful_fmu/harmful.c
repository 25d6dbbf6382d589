/* An FMU that fails, or harms its process. The name of its instance says how and in which function: crash_in_fmi2DoStep, hang_in_...;
 * nan_in_fmi2GetReal is after 0.25 s, nan_in_start at once. */
#include "fmi2Functions.h"
#include "without_content.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    fmi2CallbackFunctions host;
    char name[100];
    double time;
} Instance;

static volatile int forever = 1;

/* what is to be done in this function; returns its status */
static fmi2Status harm(Instance *it, const char *function) {
    const char *in = strstr(it->name, "_in_");
    if (!in || strcmp(in + 4, function) != 0 || (strcmp(function, "fmi2DoStep") == 0 && it->time < 0.25))
        return fmi2OK;
    it->host.logger(it->host.componentEnvironment, it->name, fmi2Warning, "logAll", "now %s", it->name);
    if (strncmp(it->name, "crash", 5) == 0)
        *(volatile int *)NULL = 1;
    if (strncmp(it->name, "abort", 5) == 0) {
        fprintf(stderr, "free(): invalid pointer\n");
        abort();
    }
    if (strncmp(it->name, "exit", 4) == 0)
        exit(0);
    while (strncmp(it->name, "hang", 4) == 0 && forever) {
    }
    if (strncmp(it->name, "print", 5) == 0) {
        for (int i = 0; i < 1000000; i++)
            printf("%099d\n", i);
        fflush(stdout);
        return fmi2Error;
    }
    if (strncmp(it->name, "flood", 5) == 0) {
        for (int i = 0; i < 1000000; i++)
            it->host.logger(it->host.componentEnvironment, it->name, fmi2OK, "logAll", "the spring moves for the %dth time", i);
        return fmi2Error;
    }
    if (strncmp(it->name, "fail", 4) == 0)
        return fmi2Error;
    return strncmp(it->name, "unknown", 7) == 0 ? 77 : strncmp(it->name, "fatal", 5) == 0 ? fmi2Fatal : fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *host,
                              fmi2Boolean visible, fmi2Boolean logs) {
    (void)type, (void)guid, (void)resources, (void)visible, (void)logs;
    Instance *it = calloc(1, sizeof *it);
    it->host = *host;
    strncpy(it->name, name, sizeof it->name - 1);
    return harm(it, "fmi2Instantiate") ? NULL : it;
}
void fmi2FreeInstance(fmi2Component c) {
    harm(c, "fmi2FreeInstance");
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real d, fmi2Boolean e, fmi2Real f) {
    return (void)a, (void)b, (void)d, (void)e, (void)f, harm(c, "fmi2SetupExperiment");
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return harm(c, "fmi2EnterInitializationMode"); }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return harm(c, "fmi2ExitInitializationMode"); }
fmi2Status fmi2Terminate(fmi2Component c) { return harm(c, "fmi2Terminate"); }
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean keeps) {
    (void)keeps;
    ((Instance *)c)->time = time + step;
    return harm(c, "fmi2DoStep");
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    const Instance *it = c;
    int is_nan = strcmp(it->name, "nan_in_start") == 0 || (strcmp(it->name, "nan_in_fmi2GetReal") == 0 && it->time > 0.25);
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == 1 && is_nan ? NAN : it->time;
    return harm(c, "fmi2GetReal");
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    return (void)vr, (void)n, (void)value, harm(c, "fmi2SetReal");
}

/* when the library is loaded */
__attribute__((constructor)) static void load(void) {
    const char *harmful = getenv("MOBOD_TEST_HARMFUL_LOAD");
    if (harmful && strcmp(harmful, "crash") == 0)
        abort();
    while (harmful && strcmp(harmful, "hang") == 0 && forever) {
    }
}

/* what is left has nothing to do */
fmi2Status fmi2Reset(fmi2Component c) { return (void)c, fmi2Error; }
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2String v[]) {
    return (void)c, (void)r, (void)n, (void)v, fmi2Error;
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2String v[]) {
    return (void)c, (void)r, (void)n, (void)v, fmi2Error;
}
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *s) { return (void)c, (void)s, fmi2Error; }
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate s) { return (void)c, (void)s, fmi2Error; }
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *s) { return (void)c, (void)s, fmi2Error; }
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate s, size_t *n) { return (void)c, (void)s, (void)n, fmi2Error; }
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate s, fmi2Byte b[], size_t n) {
    return (void)c, (void)s, (void)b, (void)n, fmi2Error;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte b[], size_t n, fmi2FMUstate *s) {
    return (void)c, (void)b, (void)n, (void)s, fmi2Error;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind k, fmi2Real *v) { return (void)c, (void)k, (void)v, fmi2Discard; }
