/* FMI 3.0: event mode and model exchange. */
#include "event_mode.h"
#include "events.h"
#include "fmi3.h"
#include "model_exchange.h"

/* ------------------------------------------------------------------------------------------------------------------------ event mode */

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
    Instance *instance = instance_for(c, ENTER_EVENT_MODE, "fmi3EnterEventMode");
    if (!instance)
        return fmi3Error;
    if (instance->state->interface_type == CO_SIMULATION)
        return (fmi3Status)log_error(instance, "this instance was made with eventModeUsed = fmi3False: it handles events itself.");
    enter_event_mode(instance);
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *discreteStatesNeedUpdate, fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsOfContinuousStatesChanged, fmi3Boolean *valuesOfContinuousStatesChanged,
                                    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime) {
    Instance *instance = instance_for(c, UPDATE_DISCRETE_STATES, "fmi3UpdateDiscreteStates");
    EventInfo info;
    if (!instance)
        return fmi3Error;
    if (!discreteStatesNeedUpdate || !terminateSimulation || !nominalsOfContinuousStatesChanged || !valuesOfContinuousStatesChanged ||
        !nextEventTimeDefined || !nextEventTime)
        return null_pointer(instance);
    if (update_discrete_states(instance, &info) != STATUS_OK)
        return fmi3Error;
    *discreteStatesNeedUpdate = *nominalsOfContinuousStatesChanged = fmi3False;
    *terminateSimulation = info.is_terminated;
    *valuesOfContinuousStatesChanged = info.states_changed;
    *nextEventTimeDefined = info.has_next_time;
    *nextEventTime = info.next_time;
    return fmi3OK;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
    Instance *instance = instance_for(c, ENTER_CONTINUOUS_TIME_MODE, "fmi3EnterContinuousTimeMode");
    if (!instance)
        return fmi3Error;
    leave_event_mode(instance);
    return fmi3OK;
}

fmi3Status fmi3EnterStepMode(fmi3Instance c) {
    Instance *instance = instance_for(c, ENTER_STEP_MODE, "fmi3EnterStepMode");
    if (!instance)
        return fmi3Error;
    leave_event_mode(instance);
    return fmi3OK;
}

/* -------------------------------------------------------------------------------------------------------------------- model exchange */

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean *enterEventMode,
                                       fmi3Boolean *terminateSimulation) {
    (void)noSetFMUStatePriorToCurrentPoint;
    Instance *instance = instance_for(c, COMPLETED_INTEGRATOR_STEP, "fmi3CompletedIntegratorStep");
    int needs_event_mode, is_ended;
    if (!instance)
        return fmi3Error;
    if (!enterEventMode || !terminateSimulation)
        return null_pointer(instance);
    Status status = completed_integrator_step(instance, &needs_event_mode, &is_ended);
    *enterEventMode = needs_event_mode;
    *terminateSimulation = is_ended;
    return (fmi3Status)status;
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
    Instance *instance = instance_for(c, SET_TIME, "fmi3SetTime");
    return instance ? (fmi3Status)set_time_of_importer(instance, time) : fmi3Error;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 continuousStates[], size_t nContinuousStates) {
    Instance *instance = instance_for(c, SET_CONTINUOUS_STATES, "fmi3SetContinuousStates");
    return instance ? (fmi3Status)set_continuous_states(instance, continuousStates, nContinuousStates) : fmi3Error;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 derivatives[], size_t nContinuousStates) {
    Instance *instance = instance_for(c, GET_CONTINUOUS_STATE_DERIVATIVES, "fmi3GetContinuousStateDerivatives");
    return instance ? (fmi3Status)get_derivatives(instance, derivatives, nContinuousStates) : fmi3Error;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 eventIndicators[], size_t nEventIndicators) {
    Instance *instance = instance_for(c, GET_EVENT_INDICATORS, "fmi3GetEventIndicators");
    return instance ? (fmi3Status)get_event_indicators(instance, eventIndicators, nEventIndicators) : fmi3Error;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 continuousStates[], size_t nContinuousStates) {
    Instance *instance = instance_for(c, GET_CONTINUOUS_STATES, "fmi3GetContinuousStates");
    return instance ? (fmi3Status)get_continuous_states(instance, continuousStates, nContinuousStates) : fmi3Error;
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominals[], size_t nContinuousStates) {
    Instance *instance = instance_for(c, GET_NOMINALS_OF_CONTINUOUS_STATES, "fmi3GetNominalsOfContinuousStates");
    return instance ? (fmi3Status)get_nominals(instance, nominals, nContinuousStates) : fmi3Error;
}

static fmi3Status give_number(fmi3Instance c, const char *name, int of_indicators, size_t *number) {
    Instance *instance = instance_for(c, GET_NUMBERS, name);
    if (!instance)
        return fmi3Error;
    if (!number)
        return null_pointer(instance);
    *number = (size_t)(of_indicators ? n_event_indicators(instance->model) : y_size(instance->model));
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *nEventIndicators) {
    return give_number(c, "fmi3GetNumberOfEventIndicators", 1, nEventIndicators);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *nContinuousStates) {
    return give_number(c, "fmi3GetNumberOfContinuousStates", 0, nContinuousStates);
}
