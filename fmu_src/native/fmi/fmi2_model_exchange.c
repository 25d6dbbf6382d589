/* FMI 2.0: model exchange. */
#include "event_mode.h"
#include "fmi2.h"
#include "logging.h"
#include "model_exchange.h"

fmi2Status fmi2EnterEventMode(fmi2Component c) {
    Instance *instance = instance_for(c, ENTER_EVENT_MODE);
    if (!instance)
        return fmi2Error;
    enter_event_mode(instance);
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *fmi2eventInfo) {
    Instance *instance = instance_for(c, NEW_DISCRETE_STATES);
    EventInfo info;
    if (!instance)
        return fmi2Error;
    if (!fmi2eventInfo)
        return (fmi2Status)log_error(instance, "the place for the event info is a null pointer.");
    if (update_discrete_states(instance, &info) != STATUS_OK)
        return fmi2Error;
    *fmi2eventInfo = (fmi2EventInfo){.newDiscreteStatesNeeded = fmi2False,
                                     .terminateSimulation = info.is_terminated,
                                     .nominalsOfContinuousStatesChanged = fmi2False,
                                     .valuesOfContinuousStatesChanged = info.states_changed,
                                     .nextEventTimeDefined = info.has_next_time,
                                     .nextEventTime = info.next_time};
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    Instance *instance = instance_for(c, ENTER_CONTINUOUS_TIME_MODE);
    if (!instance)
        return fmi2Error;
    leave_event_mode(instance);
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint, fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation) {
    (void)noSetFMUStatePriorToCurrentPoint;
    Instance *instance = instance_for(c, COMPLETED_INTEGRATOR_STEP);
    if (!instance)
        return fmi2Error;
    if (!enterEventMode || !terminateSimulation)
        return (fmi2Status)log_error(instance, "the place for a result is a null pointer.");
    return (fmi2Status)completed_integrator_step(instance, enterEventMode, terminateSimulation);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    Instance *instance = instance_for(c, SET_TIME);
    return instance ? (fmi2Status)set_time_of_importer(instance, time) : fmi2Error;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    Instance *instance = instance_for(c, SET_CONTINUOUS_STATES);
    return instance ? (fmi2Status)set_continuous_states(instance, x, nx) : fmi2Error;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx) {
    Instance *instance = instance_for(c, GET_DERIVATIVES);
    return instance ? (fmi2Status)get_derivatives(instance, derivatives, nx) : fmi2Error;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[], size_t ni) {
    Instance *instance = instance_for(c, GET_EVENT_INDICATORS);
    return instance ? (fmi2Status)get_event_indicators(instance, eventIndicators, ni) : fmi2Error;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    Instance *instance = instance_for(c, GET_CONTINUOUS_STATES);
    return instance ? (fmi2Status)get_continuous_states(instance, x, nx) : fmi2Error;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[], size_t nx) {
    Instance *instance = instance_for(c, GET_NOMINALS_OF_CONTINUOUS_STATES);
    return instance ? (fmi2Status)get_nominals(instance, x_nominal, nx) : fmi2Error;
}
