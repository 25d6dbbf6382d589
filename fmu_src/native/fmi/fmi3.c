/* FMI 3.0. Each function checks whether it may be called now (fmi3_calls.h), calls the instance, and returns the status. */
#include "fmi3.h"
#include "communication_step.h"
#include "directional.h"
#include "find_tables.h"
#include "instance.h"
#include "logging.h"
#include "saved_states.h"
#include "shown_start.h"
#include "undo.h"
#include "values.h"

#include <limits.h>
#include <string.h>

/* a Status is the fmi3Status of the same number */
typedef char status_is_fmi3Status[(int)STATUS_OK == (int)fmi3OK && (int)STATUS_WARNING == (int)fmi3Warning &&
                                          (int)STATUS_DISCARD == (int)fmi3Discard && (int)STATUS_ERROR == (int)fmi3Error
                                      ? 1
                                      : -1];

/* --------------------------------------------------------------------------------------------------------------------------- logging */

/* '#' begins a reference to a variable: it is doubled */
void log_to_fmi3(const Importer *importer, const char *instance_name, Status status, const char *category, const char *message) {
    char text[2048];
    size_t length = 0;
    (void)instance_name;
    for (; *message && length < sizeof text - 2; message++) {
        if (*message == '#')
            text[length++] = '#';
        text[length++] = *message;
    }
    text[length] = '\0';
    ((fmi3LogMessageCallback)importer->logger)(importer->environment, (fmi3Status)status, category, text);
}

const char *fmi3GetVersion(void) { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean loggingOn, size_t nCategories, const fmi3String categories[]) {
    Instance *instance = instance_for(c, SET_DEBUG_LOGGING, "fmi3SetDebugLogging");
    return instance ? (fmi3Status)switch_logging(instance, loggingOn, nCategories, categories) : fmi3Error;
}

/* ------------------------------------------------------------------------------------------------------------------------ life cycle */

/* create an instance; NULL, after a message, if it does not match the importer's request */
static Instance *create(Tables tables, const char *name, InterfaceType type, const char *token, Importer importer, const char *call) {
    const Interface *interface = tables.interface;
    if (type == MODEL_EXCHANGE && interface->fixed_steps) {
        log_error_to(&importer, name,
                     "%s: '%s' is an FMU for co-simulation alone: it takes fixed steps at velocity level, and has no derivatives to "
                     "integrate.",
                     call, interface->model_name);
        return NULL;
    }
    if (!token || strcmp(token, interface->token) != 0) {
        log_error_to(&importer, name,
                     "%s: the instantiation token is '%s', but that of '%s' is '%s'. The library and modelDescription.xml do not belong "
                     "together.",
                     call, token ? token : "(null)", interface->model_name, interface->token);
        return NULL;
    }
    Instance *instance = create_instance(tables.model, interface, name, importer);
    if (!instance) {
        log_error_to(&importer, name, "%s: there is no memory for an instance of '%s'.", call, interface->model_name);
        return NULL;
    }
    set_interface_type(instance, type);
    instance->memory_of_tables = tables.memory;
    instance->call = call;
    return instance;
}

static Instance *instantiate(const char *name, const char *token, const char *resources, int logging_on, void *environment,
                             fmi3LogMessageCallback logger, InterfaceType type, const char *call) {
    Importer importer = {
        .log_message = logger && logging_on ? log_to_fmi3 : NULL, .logger = (void (*)(void))logger, .environment = environment};
    name = name ? name : "";
    if (!name[strspn(name, " \t\r\n")]) {
        log_error_to(&importer, name, "%s: the instance name is empty.", call);
        return NULL;
    }
    char fault[LONGEST_FAULT];
    Tables tables = find_tables(resources, fault);
    if (!tables.model) {
        log_error_to(&importer, name, "%s: %s", call, fault);
        return NULL;
    }
    Instance *instance = create(tables, name, type, token, importer, call);
    if (!instance) {
        release_tables(tables);
        return NULL;
    }
    instance->importer.log_message = logger ? log_to_fmi3 : NULL;
    switch_logging(instance, logging_on, 0, NULL);
    return instance;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
                                          fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage) {
    (void)visible; /* there is no window to show */
    return instantiate(instanceName, instantiationToken, resourcePath, loggingOn, instanceEnvironment, logMessage, MODEL_EXCHANGE,
                       "fmi3InstantiateModelExchange");
}

/* Call the importer back at a time within a communication step. */
static int update_intermediate(Instance *instance, double time, int is_end_of_step, double *end_time) {
    State *state = instance->state;
    if (!is_end_of_step && !instance->sets_intermediate_inputs)
        return 0;
    const char *call = instance->call;
    fmi3Boolean returns_early = fmi3False;
    fmi3Float64 return_time = time;
    state->mode = MODE_INTERMEDIATE;
    instance->intermediate_calls = is_end_of_step ? MAY_GET : MAY_SET;
    ((fmi3IntermediateUpdateCallback)instance->intermediate_callback)(instance->importer.environment, time, !is_end_of_step, is_end_of_step,
                                                                      is_end_of_step, is_end_of_step && instance->may_return_early,
                                                                      &returns_early, &return_time);
    state->mode = MODE_STEP;
    instance->call = call;
    *end_time = return_time;
    return returns_early && instance->may_return_early;
}

/* check the variables that the importer wants to access within steps; 0 after a message */
static int set_intermediate_variables(Instance *instance, const fmi3ValueReference references[], size_t n) {
    const Interface *interface = instance->interface;
    if (n && !references) {
        log_error(instance, "the required intermediate variables are a null pointer.");
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (!find_variable(instance, references[i], TYPE_REAL))
            return 0;
        for (int k = 0; k < interface->n_inputs; k++)
            if (interface->inputs[k] == (int)references[i])
                instance->sets_intermediate_inputs = 1;
    }
    return 1;
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
                                         fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
                                         fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
                                         size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
                                         fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate) {
    (void)visible;
    Instance *instance = instantiate(instanceName, instantiationToken, resourcePath, loggingOn, instanceEnvironment, logMessage,
                                     eventModeUsed ? CO_SIMULATION_WITH_EVENTS : CO_SIMULATION, "fmi3InstantiateCoSimulation");
    if (!instance)
        return NULL;
    instance->may_return_early = earlyReturnAllowed;
    if (eventModeUsed && instance->of_fixed_steps) {
        log_error(instance, "this FMU has no Event Mode: it takes fixed steps at velocity level.");
        fmi3FreeInstance(instance);
        return NULL;
    }
    if (!set_intermediate_variables(instance, requiredIntermediateVariables, nRequiredIntermediateVariables)) {
        fmi3FreeInstance(instance);
        return NULL;
    }
    if (intermediateUpdate && !instance->of_fixed_steps) {
        instance->intermediate_callback = (void (*)(void))intermediateUpdate;
        instance->intermediate_update = update_intermediate;
    }
    return instance;
}

void fmi3FreeInstance(fmi3Instance c) {
    Instance *instance = c;
    if (!instance)
        return;
    Tables tables = {instance->model, instance->interface, instance->memory_of_tables};
    free_instance(instance);
    release_tables(tables);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean toleranceDefined, fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime) {
    Instance *instance = instance_for(c, ENTER_INITIALIZATION_MODE, "fmi3EnterInitializationMode");
    if (!instance || set_up_experiment(instance, startTime, stopTimeDefined ? &stopTime : NULL, toleranceDefined ? &tolerance : NULL))
        return fmi3Error;
    return (fmi3Status)enter_initialization(instance);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
    Instance *instance = instance_for(c, EXIT_INITIALIZATION_MODE, "fmi3ExitInitializationMode");
    return instance ? (fmi3Status)exit_initialization(instance) : fmi3Error;
}

fmi3Status fmi3Terminate(fmi3Instance c) {
    Instance *instance = instance_for(c, TERMINATE, "fmi3Terminate");
    return instance ? (fmi3Status)terminate(instance) : fmi3Error;
}

fmi3Status fmi3Reset(fmi3Instance c) {
    Instance *instance = instance_for(c, RESET, "fmi3Reset");
    if (!instance)
        return fmi3Error;
    hide_start(instance);
    reset_state(instance->state, instance->model, instance->interface);
    return fmi3OK;
}

/* ---------------------------------------------------------------------------------------------------------------------------- values */

fmi3Status fmi3GetFloat64(VALUES(fmi3Float64)) {
    Instance *instance = instance_for(c, GET_VALUES, "fmi3GetFloat64");
    return instance ? (fmi3Status)get_reals(instance, valueReferences, nValueReferences, values, nValues) : fmi3Error;
}

fmi3Status fmi3SetFloat64(VALUES(const fmi3Float64)) {
    Instance *instance = instance_for(c, SET_FLOAT64, "fmi3SetFloat64");
    return instance ? (fmi3Status)set_reals(instance, valueReferences, nValueReferences, values, nValues) : fmi3Error;
}

fmi3Status fmi3GetInt32(VALUES(fmi3Int32)) {
    Instance *instance = instance_for(c, GET_VALUES, "fmi3GetInt32");
    return instance ? (fmi3Status)get_integers(instance, valueReferences, nValueReferences, values, nValues, TYPE_INTEGER) : fmi3Error;
}

fmi3Status fmi3SetInt32(VALUES(const fmi3Int32)) {
    Instance *instance = instance_for(c, SET_VALUES, "fmi3SetInt32");
    return instance ? (fmi3Status)set_integers(instance, valueReferences, nValueReferences, values, nValues, TYPE_INTEGER) : fmi3Error;
}

/* room for the values of a call, as the runtime reads and writes them; NULL, after a message, if there are more than variables */
static int *room_for(Instance *instance, const void *values, size_t n) {
    if (n && !values) {
        log_error(instance, "an array is a null pointer.");
        return NULL;
    }
    if (n <= (size_t)instance->interface->n_variables)
        return instance->whole_numbers;
    log_error(instance, "%lu values were given, and this FMU has %d variables.", (unsigned long)n, instance->interface->n_variables);
    return NULL;
}

/* enumerations */
fmi3Status fmi3GetInt64(VALUES(fmi3Int64)) {
    Instance *instance = instance_for(c, GET_VALUES, "fmi3GetInt64");
    int *room = instance ? room_for(instance, values, nValues) : NULL;
    if (!room)
        return fmi3Error;
    Status status = get_integers(instance, valueReferences, nValueReferences, room, nValues, TYPE_ENUMERATION);
    for (size_t i = 0; status == STATUS_OK && i < nValues; i++)
        values[i] = room[i];
    return (fmi3Status)status;
}

fmi3Status fmi3SetInt64(VALUES(const fmi3Int64)) {
    Instance *instance = instance_for(c, SET_VALUES, "fmi3SetInt64");
    int *room = instance ? room_for(instance, values, nValues) : NULL;
    if (!room)
        return fmi3Error;
    for (size_t i = 0; i < nValues; i++)
        room[i] = values[i] < INT_MIN ? INT_MIN : values[i] > INT_MAX ? INT_MAX : (int)values[i]; /* out of the bounds in any case */
    return (fmi3Status)set_integers(instance, valueReferences, nValueReferences, room, nValues, TYPE_ENUMERATION);
}

fmi3Status fmi3GetBoolean(VALUES(fmi3Boolean)) {
    Instance *instance = instance_for(c, GET_VALUES, "fmi3GetBoolean");
    int *room = instance ? room_for(instance, values, nValues) : NULL;
    if (!room)
        return fmi3Error;
    Status status = get_booleans(instance, valueReferences, nValueReferences, room, nValues);
    for (size_t i = 0; status == STATUS_OK && i < nValues; i++)
        values[i] = room[i] != 0;
    return (fmi3Status)status;
}

fmi3Status fmi3SetBoolean(VALUES(const fmi3Boolean)) {
    Instance *instance = instance_for(c, SET_VALUES, "fmi3SetBoolean");
    int *room = instance ? room_for(instance, values, nValues) : NULL;
    if (!room)
        return fmi3Error;
    for (size_t i = 0; i < nValues; i++)
        room[i] = values[i];
    return (fmi3Status)set_booleans(instance, valueReferences, nValueReferences, room, nValues);
}

/* ---------------------------------------------------------------------------------------------------------------------- saved states */

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *FMUState) {
    Instance *instance = instance_for(c, GET_FMU_STATE, "fmi3GetFMUState");
    return instance ? (fmi3Status)save_state(instance, FMUState) : fmi3Error;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState FMUState) {
    Instance *instance = instance_for(c, SET_FMU_STATE, "fmi3SetFMUState");
    return instance ? (fmi3Status)restore_state(instance, FMUState) : fmi3Error;
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *FMUState) {
    Instance *instance = instance_for(c, FREE_FMU_STATE, "fmi3FreeFMUState");
    return instance ? (fmi3Status)free_saved_state(instance, FMUState) : fmi3Error;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState FMUState, size_t *size) {
    Instance *instance = instance_for(c, SERIALIZED_FMU_STATE_SIZE, "fmi3SerializedFMUStateSize");
    return instance ? (fmi3Status)saved_state_size(instance, FMUState, size) : fmi3Error;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState FMUState, fmi3Byte serializedState[], size_t size) {
    Instance *instance = instance_for(c, SERIALIZE_FMU_STATE, "fmi3SerializeFMUState");
    return instance ? (fmi3Status)saved_state_to_bytes(instance, FMUState, (char *)serializedState, size) : fmi3Error;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte serializedState[], size_t size, fmi3FMUState *FMUState) {
    Instance *instance = instance_for(c, DESERIALIZE_FMU_STATE, "fmi3DeserializeFMUState");
    return instance ? (fmi3Status)saved_state_from_bytes(instance, (const char *)serializedState, size, FMUState) : fmi3Error;
}

/* ----------------------------------------------------------------------------------------------------------------------- derivatives */

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                        const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                        fmi3Float64 sensitivity[], size_t nSensitivity) {
    Instance *instance = instance_for(c, GET_DIRECTIONAL_DERIVATIVE, "fmi3GetDirectionalDerivative");
    Derivatives of = {unknowns, nUnknowns, knowns, nKnowns};
    return instance ? (fmi3Status)directional_derivative(instance, of, seed, nSeed, sensitivity, nSensitivity) : fmi3Error;
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                    const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                    fmi3Float64 sensitivity[], size_t nSensitivity) {
    Instance *instance = instance_for(c, GET_ADJOINT_DERIVATIVE, "fmi3GetAdjointDerivative");
    Derivatives of = {unknowns, nUnknowns, knowns, nKnowns};
    return instance ? (fmi3Status)adjoint_derivative(instance, of, seed, nSeed, sensitivity, nSensitivity) : fmi3Error;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t nValues) {
    Instance *instance = instance_for(c, GET_OUTPUT_DERIVATIVES, "fmi3GetOutputDerivatives");
    return instance ? (fmi3Status)output_derivatives(instance, valueReferences, nValueReferences, orders, values, nValues) : fmi3Error;
}

/* ------------------------------------------------------------------------------------------------------------------------------ steps */

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 currentCommunicationPoint, fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime) {
    (void)noSetFMUStatePriorToCurrentPoint; /* there is no buffer to flush */
    Instance *instance = instance_for(c, DO_STEP, "fmi3DoStep");
    if (!instance)
        return fmi3Error;
    if (!eventHandlingNeeded || !terminateSimulation || !earlyReturn || !lastSuccessfulTime)
        return null_pointer(instance);
    StepEnd end;
    Status status = do_step(instance, currentCommunicationPoint, communicationStepSize, &end);
    if (status != STATUS_OK)
        return (fmi3Status)status;
    *eventHandlingNeeded = end.is_event_pending;
    *terminateSimulation = end.is_terminated;
    *earlyReturn = end.is_early && instance->may_return_early;
    *lastSuccessfulTime = end.time;
    return fmi3OK;
}
