#include "fmi3_calls.h"
#include "logging.h"

enum {
    BEFORE_START = MODE_INSTANTIATED | MODE_INITIALIZATION,
    ENDED = MODE_TERMINATED | MODE_ERROR, /* an error leads to the state Terminated */
    /* co-simulation */
    CS_RUNNING = MODE_STEP | MODE_EVENT,
    CS_ANY_MODE = BEFORE_START | CS_RUNNING | ENDED,
    CS_READABLE = CS_ANY_MODE | MODE_INTERMEDIATE,
    CS_SETTABLE = BEFORE_START | CS_RUNNING,
    CS_WITH_DERIVATIVES = MODE_INITIALIZATION | CS_RUNNING | ENDED,
    /* model exchange */
    ME_RUNNING = MODE_EVENT | MODE_CONTINUOUS,
    ME_ANY_MODE = BEFORE_START | ME_RUNNING | ENDED,
    ME_SETTABLE = BEFORE_START | MODE_EVENT,
    ME_READABLE = MODE_INITIALIZATION | ME_RUNNING | ENDED,
    NEVER_ALLOWED = 0
};

/* FMI 3.0.2: sections 2.3 (common states), 3.2.1 (model exchange) and 4.2.1 (co-simulation). States may be set as variables in all modes
 * of model exchange, since some importers do so. */
static const struct {
    unsigned co_simulation, model_exchange;
} rules[] = {
    [SET_DEBUG_LOGGING] = {CS_ANY_MODE, ME_ANY_MODE},
    [ENTER_INITIALIZATION_MODE] = {MODE_INSTANTIATED, MODE_INSTANTIATED},
    [EXIT_INITIALIZATION_MODE] = {MODE_INITIALIZATION, MODE_INITIALIZATION},
    [ENTER_EVENT_MODE] = {MODE_STEP, MODE_CONTINUOUS},
    [TERMINATE] = {CS_RUNNING, ME_RUNNING},
    [RESET] = {CS_ANY_MODE, ME_ANY_MODE},
    [GET_VALUES] = {CS_READABLE, ME_ANY_MODE},
    [SET_VALUES] = {CS_SETTABLE, ME_SETTABLE},
    [SET_FLOAT64] = {CS_SETTABLE | MODE_INTERMEDIATE, ME_SETTABLE | MODE_CONTINUOUS},
    [GET_CLOCK] = {MODE_EVENT, MODE_EVENT},
    [SET_CLOCK] = {MODE_EVENT, MODE_EVENT},
    [GET_VARIABLE_DEPENDENCIES] = {NEVER_ALLOWED, NEVER_ALLOWED},
    [GET_FMU_STATE] = {CS_ANY_MODE, ME_ANY_MODE},
    [SET_FMU_STATE] = {CS_ANY_MODE, ME_ANY_MODE},
    [FREE_FMU_STATE] = {CS_ANY_MODE, ME_ANY_MODE},
    [SERIALIZED_FMU_STATE_SIZE] = {CS_ANY_MODE, ME_ANY_MODE},
    [SERIALIZE_FMU_STATE] = {CS_ANY_MODE, ME_ANY_MODE},
    [DESERIALIZE_FMU_STATE] = {CS_ANY_MODE, ME_ANY_MODE},
    [GET_DIRECTIONAL_DERIVATIVE] = {CS_WITH_DERIVATIVES, ME_READABLE},
    [GET_ADJOINT_DERIVATIVE] = {CS_WITH_DERIVATIVES, ME_READABLE},
    [CONFIGURE] = {NEVER_ALLOWED, NEVER_ALLOWED},
    [OF_CLOCKS] = {NEVER_ALLOWED, NEVER_ALLOWED},
    [EVALUATE_DISCRETE_STATES] = {NEVER_ALLOWED, NEVER_ALLOWED},
    [UPDATE_DISCRETE_STATES] = {MODE_EVENT, MODE_EVENT},
    [ENTER_CONTINUOUS_TIME_MODE] = {NEVER_ALLOWED, MODE_EVENT},
    [COMPLETED_INTEGRATOR_STEP] = {NEVER_ALLOWED, MODE_CONTINUOUS},
    [SET_TIME] = {NEVER_ALLOWED, MODE_CONTINUOUS},
    [SET_CONTINUOUS_STATES] = {NEVER_ALLOWED, MODE_CONTINUOUS},
    [GET_CONTINUOUS_STATE_DERIVATIVES] = {NEVER_ALLOWED, ME_READABLE},
    [GET_EVENT_INDICATORS] = {NEVER_ALLOWED, ME_READABLE},
    [GET_CONTINUOUS_STATES] = {NEVER_ALLOWED, ME_READABLE},
    [GET_NOMINALS_OF_CONTINUOUS_STATES] = {NEVER_ALLOWED, ME_READABLE},
    [GET_NUMBERS] = {NEVER_ALLOWED, ME_ANY_MODE},
    [ENTER_STEP_MODE] = {MODE_EVENT, NEVER_ALLOWED},
    [GET_OUTPUT_DERIVATIVES] = {MODE_STEP | ENDED | MODE_INTERMEDIATE, NEVER_ALLOWED},
    [DO_STEP] = {MODE_STEP, NEVER_ALLOWED},
    [ACTIVATE_MODEL_PARTITION] = {NEVER_ALLOWED, NEVER_ALLOWED},
};

/* the standard's names of the modes */
static const char *mode_name(const State *state) {
    switch (state->mode) {
    case MODE_INSTANTIATED:
        return "Instantiated";
    case MODE_INITIALIZATION:
        return "Initialization Mode";
    case MODE_EVENT:
        return "Event Mode";
    case MODE_STEP:
        return "Step Mode";
    case MODE_CONTINUOUS:
        return "Continuous-Time Mode";
    case MODE_INTERMEDIATE:
        return "Intermediate Update Mode";
    case MODE_TERMINATED:
        return "Terminated";
    default:
        return "Terminated, after an error: restore a saved state, reset or free the instance";
    }
}

int may_call_fmi3(Instance *instance, Fmi3Call call, const char *name) {
    const CallRule rule = {name, rules[call].co_simulation, rules[call].model_exchange};
    if (!is_allowed(instance, &rule, mode_name(instance->state)))
        return 0;
    if (instance->state->mode != MODE_INTERMEDIATE || (instance->intermediate_calls & (call == SET_FLOAT64 ? MAY_SET : MAY_GET)))
        return 1;
    log_error(instance, "not allowed in this call of the intermediate update.");
    return 0;
}
