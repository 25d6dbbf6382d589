/* FMI 2.0. Each function checks whether it may be called now (fmi2_calls.h), calls the instance, and returns the
 * status. */
#include "fmi2.h"
#include "communication_step.h"
#include "directional.h"
#include "events.h"
#include "find_tables.h"
#include "instance.h"
#include "logging.h"
#include "saved_states.h"
#include "shown_start.h"
#include "undo.h"
#include "values.h"

#include <string.h>

/* a Status is the fmi2Status of the same number */
typedef char status_is_fmi2Status[(int)STATUS_OK == (int)fmi2OK && (int)STATUS_WARNING == (int)fmi2Warning &&
                                          (int)STATUS_DISCARD == (int)fmi2Discard && (int)STATUS_ERROR == (int)fmi2Error
                                      ? 1
                                      : -1];

/* --------------------------------------------------------------------------------------------------------------------- may it be called */

/* a call for variables of a type that the FMU does not have */
static fmi2Status no_variables(fmi2Component c, Fmi2Call call, size_t n) {
    Instance *instance = instance_for(c, call);
    if (!instance)
        return fmi2Error;
    return n == 0 ? fmi2OK : (fmi2Status)log_error(instance, "this FMU has Real, Integer and Boolean variables alone.");
}

/* --------------------------------------------------------------------------------------------------------------------------- logging */

/* The logger takes a printf format, but many hosts read it as plain text. Both must show the same message: so no argument is used, and
 * percent signs are doubled. */
static void log_to_fmi2(const Importer *importer, const char *instance_name, Status status, const char *category, const char *message) {
    char format[2048];
    size_t length = 0;
    for (; *message && length < sizeof format - 2; message++) {
        if (*message == '%')
            format[length++] = '%';
        format[length++] = *message;
    }
    format[length] = '\0';
    ((fmi2CallbackLogger)importer->logger)(importer->environment, instance_name, (fmi2Status)status, category, format);
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories, const fmi2String categories[]) {
    Instance *instance = instance_for(c, SET_DEBUG_LOGGING);
    return instance ? (fmi2Status)set_logging(instance, loggingOn, nCategories, categories) : fmi2Error;
}

/* ------------------------------------------------------------------------------------------------------------------------ life cycle */

/* create an instance; NULL, after a message, if it does not match the importer's request */
static Instance *instantiate(Tables tables, const char *name, fmi2Type type, const char *guid, Importer importer) {
    const Interface *interface = tables.interface;
    if (type != fmi2CoSimulation && type != fmi2ModelExchange) {
        log_error_to(&importer, name, "fmi2Instantiate: '%s' has no interface type %d.", interface->model_name, (int)type);
        return NULL;
    }
    if (type == fmi2ModelExchange && interface->fixed_steps) {
        log_error_to(
            &importer, name,
            "fmi2Instantiate: '%s' is an FMU for co-simulation alone: it takes fixed steps at velocity level, and has no derivatives "
            "to integrate.",
            interface->model_name);
        return NULL;
    }
    if (!guid || strcmp(guid, interface->token) != 0) {
        log_error_to(
            &importer, name,
            "fmi2Instantiate: the GUID is '%s', but that of '%s' is '%s'. The library and modelDescription.xml do not belong together.",
            guid ? guid : "(null)", interface->model_name, interface->token);
        return NULL;
    }
    Instance *instance = create_instance(tables.model, interface, name, importer);
    if (!instance) {
        log_error_to(&importer, name, "fmi2Instantiate: there is no memory for an instance of '%s'.", interface->model_name);
        return NULL;
    }
    set_interface_type(instance, type == fmi2ModelExchange ? MODEL_EXCHANGE : CO_SIMULATION);
    instance->memory_of_tables = tables.memory;
    return instance;
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID, fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean loggingOn) {
    (void)visible; /* there is no window to show */

    /* memory comes from the C library: canNotUseMemoryManagementFunctions */
    if (!functions)
        return NULL;
    Importer importer = {.log_message = functions->logger ? log_to_fmi2 : NULL,
                         .logger = (void (*)(void))functions->logger,
                         .environment = functions->componentEnvironment};
    const char *name = instanceName ? instanceName : "";

    if (!*name) {
        log_error_to(&importer, name, "fmi2Instantiate: the instance name is empty.");
        return NULL;
    }
    char fault[LONGEST_FAULT];
    Tables tables = find_tables(fmuResourceLocation, fault);
    if (!tables.model) {
        log_error_to(&importer, name, "fmi2Instantiate: %s", fault);
        return NULL;
    }
    Instance *instance = instantiate(tables, name, fmuType, fmuGUID, importer);
    if (!instance) {
        release_tables(tables);
        return NULL;
    }
    instance->call = "fmi2Instantiate";
    set_logging(instance, loggingOn, 0, NULL);
    return instance;
}

void fmi2FreeInstance(fmi2Component c) {
    Instance *instance = c;
    if (!instance)
        return;
    Tables tables = {instance->model, instance->interface, instance->memory_of_tables};
    free_instance(instance);
    release_tables(tables);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,
                               fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
    Instance *instance = instance_for(c, SETUP_EXPERIMENT);
    if (!instance)
        return fmi2Error;
    return (fmi2Status)set_up_experiment(instance, startTime, stopTimeDefined ? &stopTime : NULL, toleranceDefined ? &tolerance : NULL);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    Instance *instance = instance_for(c, ENTER_INITIALIZATION_MODE);
    return instance ? (fmi2Status)enter_initialization(instance) : fmi2Error;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    Instance *instance = instance_for(c, EXIT_INITIALIZATION_MODE);
    return instance ? (fmi2Status)exit_initialization(instance) : fmi2Error;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    Instance *instance = instance_for(c, TERMINATE);
    if (!instance)
        return fmi2Error;
    return (fmi2Status)terminate(instance);
}

fmi2Status fmi2Reset(fmi2Component c) {
    Instance *instance = instance_for(c, RESET);
    if (!instance)
        return fmi2Error;
    hide_start(instance);
    reset_state(instance->state, instance->model, instance->interface);
    return fmi2OK;
}

/* ---------------------------------------------------------------------------------------------------------------------------- values */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]) {
    Instance *instance = instance_for(c, GET_REAL);
    return instance ? (fmi2Status)get_reals(instance, vr, nvr, value, nvr) : fmi2Error;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Integer value[]) {
    Instance *instance = instance_for(c, GET_INTEGER);
    return instance ? (fmi2Status)get_integers(instance, vr, nvr, value, nvr, TYPE_INTEGER) : fmi2Error;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Boolean value[]) {
    Instance *instance = instance_for(c, GET_BOOLEAN);
    return instance ? (fmi2Status)get_booleans(instance, vr, nvr, value, nvr) : fmi2Error;
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2String value[]) {
    (void)vr, (void)value;
    return no_variables(c, GET_STRING, nvr);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]) {
    Instance *instance = instance_for(c, SET_REAL);
    return instance ? (fmi2Status)set_reals(instance, vr, nvr, value, nvr) : fmi2Error;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer value[]) {
    Instance *instance = instance_for(c, SET_INTEGER);
    return instance ? (fmi2Status)set_integers(instance, vr, nvr, value, nvr, TYPE_INTEGER) : fmi2Error;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Boolean value[]) {
    Instance *instance = instance_for(c, SET_BOOLEAN);
    return instance ? (fmi2Status)set_booleans(instance, vr, nvr, value, nvr) : fmi2Error;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2String value[]) {
    (void)vr, (void)value;
    return no_variables(c, SET_STRING, nvr);
}

/* ---------------------------------------------------------------------------------------------------------------------- saved states */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate) {
    Instance *instance = instance_for(c, GET_FMU_STATE);
    return instance ? (fmi2Status)save_state(instance, FMUstate) : fmi2Error;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate) {
    Instance *instance = instance_for(c, SET_FMU_STATE);
    return instance ? (fmi2Status)restore_state(instance, FMUstate) : fmi2Error;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate) {
    Instance *instance = instance_for(c, FREE_FMU_STATE);
    return instance ? (fmi2Status)free_saved_state(instance, FMUstate) : fmi2Error;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate, size_t *size) {
    Instance *instance = instance_for(c, SERIALIZED_FMU_STATE_SIZE);
    return instance ? (fmi2Status)saved_state_size(instance, FMUstate, size) : fmi2Error;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[], size_t size) {
    Instance *instance = instance_for(c, SERIALIZE_FMU_STATE);
    return instance ? (fmi2Status)saved_state_to_bytes(instance, FMUstate, serializedState, size) : fmi2Error;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size, fmi2FMUstate *FMUstate) {
    Instance *instance = instance_for(c, DESERIALIZE_FMU_STATE);
    return instance ? (fmi2Status)saved_state_from_bytes(instance, serializedState, size, FMUstate) : fmi2Error;
}

/* ----------------------------------------------------------------------------------------------------------------------- derivatives */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[], size_t nUnknown,
                                        const fmi2ValueReference vKnown_ref[], size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[]) {
    Instance *instance = instance_for(c, GET_DIRECTIONAL_DERIVATIVE);
    Derivatives of = {vUnknown_ref, nUnknown, vKnown_ref, nKnown};
    return instance ? (fmi2Status)directional_derivative(instance, of, dvKnown, nKnown, dvUnknown, nUnknown) : fmi2Error;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[],
                                       const fmi2Real value[]) {
    Instance *instance = instance_for(c, SET_REAL_INPUT_DERIVATIVES);
    if (instance && instance->of_fixed_steps)
        return (fmi2Status)log_error(instance, "this FMU keeps its inputs constant during a step.");
    return instance ? (fmi2Status)set_input_derivatives(instance, vr, nvr, order, value) : fmi2Error;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer order[],
                                        fmi2Real value[]) {
    Instance *instance = instance_for(c, GET_REAL_OUTPUT_DERIVATIVES);
    return instance ? (fmi2Status)output_derivatives(instance, vr, nvr, order, value, nvr) : fmi2Error;
}

/* ------------------------------------------------------------------------------------------------------------------------------ steps */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint) {
    /* there is no buffer to flush */
    (void)noSetFMUStatePriorToCurrentPoint;
    Instance *instance = instance_for(c, DO_STEP);
    return instance ? (fmi2Status)do_step(instance, currentCommunicationPoint, communicationStepSize, NULL) : fmi2Error;
}

fmi2Status fmi2CancelStep(fmi2Component c) { return instance_for(c, CANCEL_STEP) ? fmi2OK : fmi2Error; }

/* a question about asynchronous steps, which do not exist */
static fmi2Status no_answer(fmi2Component c, Fmi2Call call) {
    Instance *instance = instance_for(c, call);
    return instance ? (fmi2Status)log_discard(instance, "fmi2DoStep completes each step before it returns, and returns its status.")
                    : fmi2Error;
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value) {
    (void)s, (void)value;
    return no_answer(c, GET_STATUS);
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value) {
    if (s != fmi2LastSuccessfulTime)
        return no_answer(c, GET_REAL_STATUS);
    Instance *instance = instance_for(c, GET_REAL_STATUS);
    if (!instance)
        return fmi2Error;
    if (!value)
        return (fmi2Status)log_error(instance, "the place for the value is a null pointer.");
    const State *state = instance->state;
    *value = state->mode == MODE_STEP_FAILED ? state->last_good_time : state->w[instance->model->time_at];
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s, fmi2Integer *value) {
    (void)s, (void)value;
    return no_answer(c, GET_INTEGER_STATUS);
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean *value) {
    if (s != fmi2Terminated)
        return no_answer(c, GET_BOOLEAN_STATUS);
    Instance *instance = instance_for(c, GET_BOOLEAN_STATUS);
    if (!instance)
        return fmi2Error;
    if (!value)
        return (fmi2Status)log_error(instance, "the place for the value is a null pointer.");
    *value = is_terminated(instance->model, instance->state) ? fmi2True : fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String *value) {
    (void)s, (void)value;
    return no_answer(c, GET_STRING_STATUS);
}
