/* The functions of FMI 2.0 of a Python FMU. The first instance starts Python and opens pythonfmu's library, to which all calls go. */
#include "pythonfmu.h"
#include "resource_folder.h"
#include "start_python.h"
#include "system.h"

#include <string.h>

/* instances that are alive, and those that are being made; after a fatal error the host may not free an instance */
static size_t n_instances;

/* ------------------------------------------------------------------------------------------------------------------------- messages */

static void no_logger(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status, fmi2String category, fmi2String message,
                      ...) {
    (void)environment, (void)instance, (void)status, (void)category, (void)message;
}

/* for hosts without a logger, since pythonfmu's library calls it without a look */
static const fmi2CallbackFunctions silent = {no_logger, NULL, NULL, NULL, NULL};

/* percent signs are doubled, since the logger takes a printf format, and many hosts read it as plain text */
static void log_message(const fmi2CallbackFunctions *host, fmi2String name, fmi2Status status, fmi2String category,
                        const Message *message) {
    Message format = {0};
    add(&format, "fmi2Instantiate: ");
    for (const char *from = message->text; *from; from++)
        add(&format, *from == '%' ? "%c%c" : "%c", *from, '%');
    host->logger(host->componentEnvironment, name, status, category, format.text);
}

/* ----------------------------------------------------------------------------------------------------------------------- life cycle */

/* whether the arguments are possible; pythonfmu's library does not look at them */
static int are_right(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location, Message *fault) {
    if (!name || !*name)
        add(fault, "the instance name is empty.");
    else if (type != fmi2CoSimulation)
        add(fault, "this FMU is for co-simulation alone.");
    else if (!guid)
        add(fault, "the GUID is missing.");
    else if (!location || !*location)
        add(fault, "no location of the resources was given.");
    return fault->length == 0;
}

/* make everything ready for an instance; returns 0, with a fault, if this is not possible */
static int prepare(fmi2String guid, const ResourceFolder *resources, Message *fault) {
    if (strcmp(guid, resources->guid) != 0) {
        add(fault, "the GUID is '%s', but that of the model is '%s'. The resources and modelDescription.xml do not belong together.", guid,
            resources->guid);
        return 0;
    }
    return start_python(resources->slave, fault) && open_pythonfmu(fault);
}

/* note that an instance has gone */
static void release(void) {
    lock_loader();
    if (--n_instances == 0) {
        close_pythonfmu();
        remove_other_paths();
    }
    unlock_loader();
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID, fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean loggingOn) {
    if (!functions)
        return NULL;
    const fmi2CallbackFunctions *host = functions->logger ? functions : &silent;
    const char *name = instanceName ? instanceName : "";
    Message message = {0};
    ResourceFolder resources = {0};
    fmi2Component instance = NULL;

    lock_loader();
    n_instances++;
    const int is_ready = are_right(instanceName, fmuType, fmuGUID, fmuResourceLocation, &message) &&
                         find_resources(fmuResourceLocation, &resources, &message) && prepare(fmuGUID, &resources, &message);
    unlock_loader();

    if (!is_ready) {
        log_message(host, name, fmi2Error, "logStatusError", &message);
    } else {
        describe_python(&message);
        if (loggingOn)
            log_message(host, name, fmi2OK, "logAll", &message);
        /* what goes wrong is logged in any case */
        begin_instance();
        instance = pythonfmu.Instantiate(name, fmuType, fmuGUID, resources.for_pythonfmu, host, visible, fmi2True);
        if (instance)
            pythonfmu.SetDebugLogging(instance, loggingOn, 0, NULL);
        end_instance();
    }
    free_resources(&resources);
    if (!instance)
        release();
    return instance;
}

void fmi2FreeInstance(fmi2Component c) {
    if (!c)
        return;
    pythonfmu.FreeInstance(c);
    release();
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

/* ----------------------------------------------------------------------------------------------------------------------- all others */

/* an instance that could not be made is NULL */
#define FORWARD(name, parameters, ...)                                                                                                     \
    fmi2Status fmi2##name parameters { return c ? pythonfmu.name(c, __VA_ARGS__) : fmi2Error; }
#define FORWARD_PLAIN(name)                                                                                                                \
    fmi2Status fmi2##name(fmi2Component c) { return c ? pythonfmu.name(c) : fmi2Error; }
#define FORWARD_GET(name, type) FORWARD(name, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, type value[]), vr, nvr, value)

FORWARD_PLAIN(EnterInitializationMode)
FORWARD_PLAIN(ExitInitializationMode)
FORWARD_PLAIN(Terminate)
FORWARD_PLAIN(Reset)
FORWARD_PLAIN(CancelStep)
FORWARD_GET(GetReal, fmi2Real)
FORWARD_GET(GetInteger, fmi2Integer)
FORWARD_GET(GetBoolean, fmi2Boolean)
FORWARD_GET(GetString, fmi2String)
FORWARD_GET(SetReal, const fmi2Real)
FORWARD_GET(SetInteger, const fmi2Integer)
FORWARD_GET(SetBoolean, const fmi2Boolean)
FORWARD_GET(SetString, const fmi2String)
FORWARD(SetDebugLogging, (fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]), on, n, categories)
FORWARD(SetupExperiment,
        (fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop),
        has_tolerance, tolerance, start, has_stop, stop)
FORWARD(DoStep, (fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean is_final), time, step, is_final)
FORWARD(GetFMUstate, (fmi2Component c, fmi2FMUstate *state), state)
FORWARD(SetFMUstate, (fmi2Component c, fmi2FMUstate state), state)
FORWARD(SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t *size), state, size)
FORWARD(SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size), state, bytes, size)
FORWARD(DeSerializeFMUstate, (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state), bytes, size, state)
FORWARD(GetDirectionalDerivative,
        (fmi2Component c, const fmi2ValueReference unknown[], size_t n_unknown, const fmi2ValueReference known[], size_t n_known,
         const fmi2Real seed[], fmi2Real result[]),
        unknown, n_unknown, known, n_known, seed, result)
FORWARD(SetRealInputDerivatives,
        (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[], const fmi2Real value[]), vr, nvr, order,
        value)
FORWARD(GetRealOutputDerivatives, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[], fmi2Real value[]),
        vr, nvr, order, value)
FORWARD(GetStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Status *value), kind, value)
FORWARD(GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real *value), kind, value)
FORWARD(GetIntegerStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value), kind, value)
FORWARD(GetBooleanStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value), kind, value)
FORWARD(GetStringStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2String *value), kind, value)

/* as the standard says: no state is left behind, and none is no error */
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (!c)
        return fmi2Error;
    const fmi2Status status = state && *state ? pythonfmu.FreeFMUstate(c, state) : fmi2OK;
    if (state)
        *state = NULL;
    return status;
}
