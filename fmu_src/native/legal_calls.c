#include "legal_calls.h"
#include "logging.h"

enum {
    INITIALIZED = MODE_STEP | MODE_STEP_FAILED | MODE_TERMINATED | MODE_ERROR,
    ANY_MODE = MODE_INSTANTIATED | MODE_INITIALIZATION | INITIALIZED,
    ABOUT_STEPS = MODE_STEP | MODE_STEP_FAILED | MODE_TERMINATED,
    NO_MODE = 0
};

/* FMI 2.0.5, section 4.2.4, State Machine of Calling Sequence from Master to Slave: the table at its end */
static const struct {
    const char *name;
    unsigned modes;
} calls[] = {
    [SET_DEBUG_LOGGING] = {"fmi2SetDebugLogging", ANY_MODE},
    [SETUP_EXPERIMENT] = {"fmi2SetupExperiment", MODE_INSTANTIATED},
    [ENTER_INITIALIZATION_MODE] = {"fmi2EnterInitializationMode", MODE_INSTANTIATED},
    [EXIT_INITIALIZATION_MODE] = {"fmi2ExitInitializationMode", MODE_INITIALIZATION},
    [TERMINATE] = {"fmi2Terminate", MODE_STEP | MODE_STEP_FAILED},
    [RESET] = {"fmi2Reset", ANY_MODE},
    [GET_REAL] = {"fmi2GetReal", MODE_INITIALIZATION | INITIALIZED},
    [GET_INTEGER] = {"fmi2GetInteger", MODE_INITIALIZATION | INITIALIZED},
    [GET_BOOLEAN] = {"fmi2GetBoolean", MODE_INITIALIZATION | INITIALIZED},
    [GET_STRING] = {"fmi2GetString", MODE_INITIALIZATION | INITIALIZED},
    [SET_REAL] = {"fmi2SetReal", MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_STEP},
    [SET_INTEGER] = {"fmi2SetInteger", MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_STEP},
    [SET_BOOLEAN] = {"fmi2SetBoolean", MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_STEP},
    [SET_STRING] = {"fmi2SetString", MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_STEP},
    [GET_FMU_STATE] = {"fmi2GetFMUstate", ANY_MODE},
    [SET_FMU_STATE] = {"fmi2SetFMUstate", ANY_MODE},
    [FREE_FMU_STATE] = {"fmi2FreeFMUstate", ANY_MODE},
    [SERIALIZED_FMU_STATE_SIZE] = {"fmi2SerializedFMUstateSize", ANY_MODE},
    [SERIALIZE_FMU_STATE] = {"fmi2SerializeFMUstate", ANY_MODE},
    [DESERIALIZE_FMU_STATE] = {"fmi2DeSerializeFMUstate", ANY_MODE},
    [GET_DIRECTIONAL_DERIVATIVE] = {"fmi2GetDirectionalDerivative", MODE_INITIALIZATION | INITIALIZED},
    [SET_REAL_INPUT_DERIVATIVES] = {"fmi2SetRealInputDerivatives", MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_STEP},
    [GET_REAL_OUTPUT_DERIVATIVES] = {"fmi2GetRealOutputDerivatives", INITIALIZED},
    [DO_STEP] = {"fmi2DoStep", MODE_STEP},
    [CANCEL_STEP] = {"fmi2CancelStep", NO_MODE},
    [GET_STATUS] = {"fmi2GetStatus", ABOUT_STEPS},
    [GET_REAL_STATUS] = {"fmi2GetRealStatus", ABOUT_STEPS},
    [GET_INTEGER_STATUS] = {"fmi2GetIntegerStatus", ABOUT_STEPS},
    [GET_BOOLEAN_STATUS] = {"fmi2GetBooleanStatus", ABOUT_STEPS},
    [GET_STRING_STATUS] = {"fmi2GetStringStatus", ABOUT_STEPS},
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
    case MODE_TERMINATED:
        return "terminated";
    default:
        return "error: restore a saved state, reset or free the instance";
    }
}

int may_call(Instance *instance, LegalCall call) {
    instance->call = calls[call].name;
    if (calls[call].modes & (unsigned)instance->state->mode)
        return 1;
    if (calls[call].modes == NO_MODE)
        log_error(instance, "no step is in progress: each is done when fmi2DoStep returns.");
    else
        log_error(instance, "not allowed in the mode %s.", mode_name(instance->state->mode));
    return 0;
}
