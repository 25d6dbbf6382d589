/* An FMU of FMI 2.0 that fails, or harms its process: see harm.h. */
#include "harm.h"

#include "fmi2Functions.h"
#include "without_content.h"

typedef struct {
    Harm harm;
    fmi2CallbackFunctions host;
} Instance;

static fmi2Status harm(Instance *it, const char *function) {
    const char *name = it->harm.name;
    const fmi2CallbackFunctions *host = &it->host;
    if (!has_harm(&it->harm, function))
        return fmi2OK;
    host->logger(host->componentEnvironment, name, fmi2Warning, "logAll", "now %s", name);
    if (is_harm(name, "flood")) {
        for (int i = 0; i < 1000000; i++)
            host->logger(host->componentEnvironment, name, fmi2OK, "logAll", "the spring moves for the %dth time", i);
        return fmi2Error;
    }
    if (is_harm(name, "null")) {
        host->logger(NULL, name, fmi2Warning, "logAll", "with no environment");
        host->logger(host->componentEnvironment, NULL, fmi2Warning, NULL, NULL);
        host->freeMemory(NULL);
    }
    if (is_harm(name, "foreign")) {
        host->logger(it, name, fmi2Warning, "logAll", "with the environment of %s", "another");
        host->logger((void *)8, name, 77, "logAll", "with an address");
        host->freeMemory(host->allocateMemory((size_t)-1 / 2, 8));
    }
    return do_harm(name);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *host,
                              fmi2Boolean visible, fmi2Boolean logs) {
    (void)type, (void)guid, (void)resources, (void)visible, (void)logs;
    Instance *it = calloc(1, sizeof *it);
    it->host = *host;
    strncpy(it->harm.name, name, sizeof it->harm.name - 1);
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
    ((Instance *)c)->harm.time = time + step;
    return harm(c, "fmi2DoStep");
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    for (size_t i = 0; i < n; i++)
        value[i] = value_of(&((Instance *)c)->harm, "fmi2GetReal", vr[i] == 1);
    return harm(c, "fmi2GetReal");
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    return (void)vr, (void)n, (void)value, harm(c, "fmi2SetReal");
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
