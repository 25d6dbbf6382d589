/* FMI 3.0: what these FMUs do not support. Each function logs an error. */
#include "fmi3.h"

/* the status of a function that this FMU never supports */
static fmi3Status refuse(fmi3Instance c, Fmi3Call call, const char *name) {
    instance_for(c, call, name);
    return fmi3Error;
}

/* a call for variables of a type that the FMU does not have */
static fmi3Status no_variables(fmi3Instance c, Fmi3Call call, const char *name, size_t n) {
    Instance *instance = instance_for(c, call, name);
    if (!instance)
        return fmi3Error;
    return n == 0 ? fmi3OK : (fmi3Status)log_error(instance, "this FMU has Float64, Int32, Boolean and enumeration variables alone.");
}

/* ----------------------------------------------------------------------------------------------------------- types of variables */

#define NO_VARIABLES_OF_TYPE(type)                                                                                                         \
    fmi3Status fmi3Get##type(VALUES(fmi3##type)) {                                                                                         \
        (void)valueReferences, (void)values, (void)nValues;                                                                                \
        return no_variables(c, GET_VALUES, "fmi3Get" #type, nValueReferences);                                                             \
    }                                                                                                                                      \
    fmi3Status fmi3Set##type(VALUES(const fmi3##type)) {                                                                                   \
        (void)valueReferences, (void)values, (void)nValues;                                                                                \
        return no_variables(c, SET_VALUES, "fmi3Set" #type, nValueReferences);                                                             \
    }

NO_VARIABLES_OF_TYPE(Float32)
NO_VARIABLES_OF_TYPE(Int8)
NO_VARIABLES_OF_TYPE(UInt8)
NO_VARIABLES_OF_TYPE(Int16)
NO_VARIABLES_OF_TYPE(UInt16)
NO_VARIABLES_OF_TYPE(UInt32)
NO_VARIABLES_OF_TYPE(UInt64)
NO_VARIABLES_OF_TYPE(String)

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences, size_t valueSizes[],
                         fmi3Binary values[], size_t nValues) {
    (void)valueReferences, (void)valueSizes, (void)values, (void)nValues;
    return no_variables(c, GET_VALUES, "fmi3GetBinary", nValueReferences);
}

fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences, const size_t valueSizes[],
                         const fmi3Binary values[], size_t nValues) {
    (void)valueReferences, (void)valueSizes, (void)values, (void)nValues;
    return no_variables(c, SET_VALUES, "fmi3SetBinary", nValueReferences);
}

fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences, fmi3Clock values[]) {
    (void)valueReferences, (void)values;
    return no_variables(c, GET_CLOCK, "fmi3GetClock", nValueReferences);
}

fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences, const fmi3Clock values[]) {
    (void)valueReferences, (void)values;
    return no_variables(c, SET_CLOCK, "fmi3SetClock", nValueReferences);
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference valueReference, size_t *nDependencies) {
    (void)valueReference, (void)nDependencies;
    return refuse(c, GET_VARIABLE_DEPENDENCIES, "fmi3GetNumberOfVariableDependencies");
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent, size_t elementIndicesOfDependent[],
                                       fmi3ValueReference independents[], size_t elementIndicesOfIndependents[],
                                       fmi3DependencyKind dependencyKinds[], size_t nDependencies) {
    (void)dependent, (void)elementIndicesOfDependent, (void)independents, (void)elementIndicesOfIndependents;
    (void)dependencyKinds, (void)nDependencies;
    return refuse(c, GET_VARIABLE_DEPENDENCIES, "fmi3GetVariableDependencies");
}

/* ---------------------------------------------------------------------------------------------------------------------------- clocks */

fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]) {
    (void)valueReferences, (void)nValueReferences, (void)intervals, (void)qualifiers;
    return refuse(c, OF_CLOCKS, "fmi3GetIntervalDecimal");
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                                   fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]) {
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions, (void)qualifiers;
    return refuse(c, OF_CLOCKS, "fmi3GetIntervalFraction");
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences, fmi3Float64 shifts[]) {
    (void)valueReferences, (void)nValueReferences, (void)shifts;
    return refuse(c, OF_CLOCKS, "fmi3GetShiftDecimal");
}

fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences, fmi3UInt64 counters[],
                                fmi3UInt64 resolutions[]) {
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
    return refuse(c, OF_CLOCKS, "fmi3GetShiftFraction");
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                                  const fmi3Float64 intervals[]) {
    (void)valueReferences, (void)nValueReferences, (void)intervals;
    return refuse(c, OF_CLOCKS, "fmi3SetIntervalDecimal");
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                                   const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]) {
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
    return refuse(c, OF_CLOCKS, "fmi3SetIntervalFraction");
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                               const fmi3Float64 shifts[]) {
    (void)valueReferences, (void)nValueReferences, (void)shifts;
    return refuse(c, OF_CLOCKS, "fmi3SetShiftDecimal");
}

fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                                const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]) {
    (void)valueReferences, (void)nValueReferences, (void)counters, (void)resolutions;
    return refuse(c, OF_CLOCKS, "fmi3SetShiftFraction");
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clockReference, fmi3Float64 activationTime) {
    (void)clockReference, (void)activationTime;
    return refuse(c, ACTIVATE_MODEL_PARTITION, "fmi3ActivateModelPartition");
}

/* ------------------------------------------------------------------------------------------- scheduled execution, configuration */

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
                                               fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
                                               fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
                                               fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption) {
    (void)instantiationToken, (void)resourcePath, (void)visible, (void)clockUpdate, (void)lockPreemption, (void)unlockPreemption;
    Importer importer = {.log_message = logMessage && loggingOn ? log_to_fmi3 : NULL,
                         .logger = (void (*)(void))logMessage,
                         .environment = instanceEnvironment};
    log_error_to(&importer, instanceName ? instanceName : "",
                 "fmi3InstantiateScheduledExecution: this FMU has no scheduled execution. Use co-simulation or model exchange.");
    return NULL;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { return refuse(c, CONFIGURE, "fmi3EnterConfigurationMode"); }

fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { return refuse(c, CONFIGURE, "fmi3ExitConfigurationMode"); }

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) { return refuse(c, EVALUATE_DISCRETE_STATES, "fmi3EvaluateDiscreteStates"); }
