#include "fmi2_calls.h"
#include "logging.h"

enum {
    /* of both types */
    BEFORE_START = MODE_INSTANTIATED | MODE_INITIALIZATION,
    /* co-simulation */
    INITIALIZED = MODE_STEP | MODE_STEP_FAILED | MODE_TERMINATED | MODE_ERROR,
    READABLE = MODE_INITIALIZATION | INITIALIZED,
    SETTABLE = BEFORE_START | MODE_STEP,
    ABOUT_STEPS = MODE_STEP | MODE_STEP_FAILED | MODE_TERMINATED,
    ANY_MODE = BEFORE_START | INITIALIZED,
    /* model exchange */
    ME_RUNNING = MODE_EVENT | MODE_CONTINUOUS,
    ME_READABLE = MODE_INITIALIZATION | ME_RUNNING | MODE_TERMINATED | MODE_ERROR,
    ME_SETTABLE = BEFORE_START | MODE_EVENT,
    ME_ANY_MODE = MODE_INSTANTIATED | ME_READABLE,
    NEVER_ALLOWED = 0
};

/* FMI 2.0.5: the tables at the end of 3.2.3 (model exchange) and of 4.2.4 (co-simulation). States may be set as Reals too, since some
 * importers do so. */
static const CallRule rules[] = {
    [SET_DEBUG_LOGGING] = {"fmi2SetDebugLogging", ANY_MODE, ME_ANY_MODE},
    [SETUP_EXPERIMENT] = {"fmi2SetupExperiment", MODE_INSTANTIATED, MODE_INSTANTIATED},
    [ENTER_INITIALIZATION_MODE] = {"fmi2EnterInitializationMode", MODE_INSTANTIATED, MODE_INSTANTIATED},
    [EXIT_INITIALIZATION_MODE] = {"fmi2ExitInitializationMode", MODE_INITIALIZATION, MODE_INITIALIZATION},
    [TERMINATE] = {"fmi2Terminate", MODE_STEP | MODE_STEP_FAILED, ME_RUNNING},
    [RESET] = {"fmi2Reset", ANY_MODE, ME_ANY_MODE},
    [GET_REAL] = {"fmi2GetReal", READABLE, ME_READABLE},
    [GET_INTEGER] = {"fmi2GetInteger", READABLE, ME_READABLE},
    [GET_BOOLEAN] = {"fmi2GetBoolean", READABLE, ME_READABLE},
    [GET_STRING] = {"fmi2GetString", READABLE, ME_READABLE},
    [SET_REAL] = {"fmi2SetReal", SETTABLE, ME_SETTABLE | MODE_CONTINUOUS},
    [SET_INTEGER] = {"fmi2SetInteger", SETTABLE, ME_SETTABLE},
    [SET_BOOLEAN] = {"fmi2SetBoolean", SETTABLE, ME_SETTABLE},
    [SET_STRING] = {"fmi2SetString", SETTABLE, ME_SETTABLE},
    [GET_FMU_STATE] = {"fmi2GetFMUstate", ANY_MODE, ME_ANY_MODE},
    [SET_FMU_STATE] = {"fmi2SetFMUstate", ANY_MODE, ME_ANY_MODE},
    [FREE_FMU_STATE] = {"fmi2FreeFMUstate", ANY_MODE, ME_ANY_MODE},
    [SERIALIZED_FMU_STATE_SIZE] = {"fmi2SerializedFMUstateSize", ANY_MODE, ME_ANY_MODE},
    [SERIALIZE_FMU_STATE] = {"fmi2SerializeFMUstate", ANY_MODE, ME_ANY_MODE},
    [DESERIALIZE_FMU_STATE] = {"fmi2DeSerializeFMUstate", ANY_MODE, ME_ANY_MODE},
    [GET_DIRECTIONAL_DERIVATIVE] = {"fmi2GetDirectionalDerivative", READABLE, ME_READABLE},
    [SET_REAL_INPUT_DERIVATIVES] = {"fmi2SetRealInputDerivatives", SETTABLE, NEVER_ALLOWED},
    [GET_REAL_OUTPUT_DERIVATIVES] = {"fmi2GetRealOutputDerivatives", INITIALIZED, NEVER_ALLOWED},
    [ENTER_EVENT_MODE] = {"fmi2EnterEventMode", NEVER_ALLOWED, ME_RUNNING},
    [NEW_DISCRETE_STATES] = {"fmi2NewDiscreteStates", NEVER_ALLOWED, MODE_EVENT},
    [ENTER_CONTINUOUS_TIME_MODE] = {"fmi2EnterContinuousTimeMode", NEVER_ALLOWED, MODE_EVENT},
    [COMPLETED_INTEGRATOR_STEP] = {"fmi2CompletedIntegratorStep", NEVER_ALLOWED, MODE_CONTINUOUS},
    [SET_TIME] = {"fmi2SetTime", NEVER_ALLOWED, ME_RUNNING},
    [SET_CONTINUOUS_STATES] = {"fmi2SetContinuousStates", NEVER_ALLOWED, MODE_CONTINUOUS},
    [GET_DERIVATIVES] = {"fmi2GetDerivatives", NEVER_ALLOWED, ME_READABLE},
    [GET_EVENT_INDICATORS] = {"fmi2GetEventIndicators", NEVER_ALLOWED, ME_READABLE},
    [GET_CONTINUOUS_STATES] = {"fmi2GetContinuousStates", NEVER_ALLOWED, ME_READABLE},
    [GET_NOMINALS_OF_CONTINUOUS_STATES] = {"fmi2GetNominalsOfContinuousStates", NEVER_ALLOWED, ME_ANY_MODE},
    [DO_STEP] = {"fmi2DoStep", MODE_STEP, NEVER_ALLOWED},
    [CANCEL_STEP] = {"fmi2CancelStep", NEVER_ALLOWED, NEVER_ALLOWED},
    [GET_STATUS] = {"fmi2GetStatus", ABOUT_STEPS, NEVER_ALLOWED},
    [GET_REAL_STATUS] = {"fmi2GetRealStatus", ABOUT_STEPS, NEVER_ALLOWED},
    [GET_INTEGER_STATUS] = {"fmi2GetIntegerStatus", ABOUT_STEPS, NEVER_ALLOWED},
    [GET_BOOLEAN_STATUS] = {"fmi2GetBooleanStatus", ABOUT_STEPS, NEVER_ALLOWED},
    [GET_STRING_STATUS] = {"fmi2GetStringStatus", ABOUT_STEPS, NEVER_ALLOWED},
};

/* the standard's names of the modes */
static const char *mode_name(int mode) {
    switch (mode) {
    case MODE_INSTANTIATED:
        return "instantiated";
    case MODE_INITIALIZATION:
        return "Initialization Mode";
    case MODE_STEP:
        return "stepComplete";
    case MODE_STEP_FAILED:
        return "stepFailed: the last step was discarded. Restore a state that was saved before it and take a shorter step; or terminate, "
               "reset or free the instance";
    case MODE_EVENT:
        return "Event Mode";
    case MODE_CONTINUOUS:
        return "Continuous-Time Mode";
    case MODE_TERMINATED:
        return "terminated";
    default:
        return "error: restore a saved state, reset or free the instance";
    }
}

int may_call(Instance *instance, Fmi2Call call) {
    if (call == CANCEL_STEP) {
        instance->call = rules[call].name;
        log_error(instance, "no step is in progress: each is done when fmi2DoStep returns.");
        return 0;
    }
    return is_allowed(instance, rules + call, mode_name(instance->state->mode));
}
