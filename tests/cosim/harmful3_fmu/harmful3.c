/* An FMU of FMI 3.0 that fails, or harms its process: see harm.h. */
#include "harm.h"

#include "fmi3Functions.h"

typedef struct {
    Harm harm;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} Instance;

static fmi3Status harm(Instance *it, const char *function) {
    const char *name = it->harm.name;
    char text[200];
    if (!has_harm(&it->harm, function))
        return fmi3OK;
    snprintf(text, sizeof text, "now %s", name);
    it->log(it->environment, fmi3Warning, "logAll", text);
    if (is_harm(name, "flood")) {
        for (int i = 0; i < 1000000; i++) {
            snprintf(text, sizeof text, "the spring moves for the %dth time", i);
            it->log(it->environment, fmi3OK, "logAll", text);
        }
        return fmi3Error;
    }
    if (is_harm(name, "null")) {
        it->log(NULL, fmi3Warning, "logAll", "with no environment");
        it->log(it->environment, fmi3Warning, NULL, NULL);
    }
    if (is_harm(name, "foreign")) {
        it->log(it, fmi3Warning, "logAll", "with the environment of another");
        it->log((void *)8, 77, "logAll", "with an address");
    }
    return do_harm(name);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logs,
                                         fmi3Boolean with_events, fmi3Boolean early, const fmi3ValueReference required[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)token, (void)resources, (void)visible, (void)logs, (void)with_events, (void)early, (void)required, (void)n, (void)update;
    Instance *it = calloc(1, sizeof *it);
    it->environment = environment;
    it->log = log;
    strncpy(it->harm.name, name, sizeof it->harm.name - 1);
    return harm(it, "fmi3InstantiateCoSimulation") ? NULL : it;
}
void fmi3FreeInstance(fmi3Instance c) {
    harm(c, "fmi3FreeInstance");
    free(c);
}

const char *fmi3GetVersion(void) { return fmi3Version; }
fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean logs, size_t n, const fmi3String categories[]) {
    return (void)c, (void)logs, (void)n, (void)categories, fmi3OK;
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean a, fmi3Float64 b, fmi3Float64 d, fmi3Boolean e, fmi3Float64 f) {
    return (void)a, (void)b, (void)d, (void)e, (void)f, harm(c, "fmi3EnterInitializationMode");
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return harm(c, "fmi3ExitInitializationMode"); }
fmi3Status fmi3Terminate(fmi3Instance c) { return harm(c, "fmi3Terminate"); }
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean keeps, fmi3Boolean *needs_event,
                      fmi3Boolean *terminates, fmi3Boolean *is_early, fmi3Float64 *reached) {
    (void)keeps;
    *needs_event = *terminates = *is_early = fmi3False;
    ((Instance *)c)->harm.time = *reached = time + step;
    return harm(c, "fmi3DoStep");
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 value[], size_t n_values) {
    (void)n_values;
    for (size_t i = 0; i < n; i++)
        value[i] = value_of(&((Instance *)c)->harm, "fmi3GetFloat64", vr[i] == 1);
    return harm(c, "fmi3GetFloat64");
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 value[], size_t n_values) {
    return (void)vr, (void)n, (void)value, (void)n_values, harm(c, "fmi3SetFloat64");
}
