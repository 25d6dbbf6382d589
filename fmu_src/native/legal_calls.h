/* Which of FMI 2.0's functions may be called in which mode. */
#ifndef MOBOD_LEGAL_CALLS_H
#define MOBOD_LEGAL_CALLS_H

#include "exported.h"
#include "instance.h"

typedef enum {
    SET_DEBUG_LOGGING,
    SETUP_EXPERIMENT,
    ENTER_INITIALIZATION_MODE,
    EXIT_INITIALIZATION_MODE,
    TERMINATE,
    RESET,
    GET_REAL,
    GET_INTEGER,
    GET_BOOLEAN,
    GET_STRING,
    SET_REAL,
    SET_INTEGER,
    SET_BOOLEAN,
    SET_STRING,
    GET_FMU_STATE,
    SET_FMU_STATE,
    FREE_FMU_STATE,
    SERIALIZED_FMU_STATE_SIZE,
    SERIALIZE_FMU_STATE,
    DESERIALIZE_FMU_STATE,
    GET_DIRECTIONAL_DERIVATIVE,
    SET_REAL_INPUT_DERIVATIVES,
    GET_REAL_OUTPUT_DERIVATIVES,
    DO_STEP,
    CANCEL_STEP,
    GET_STATUS,
    GET_REAL_STATUS,
    GET_INTEGER_STATUS,
    GET_BOOLEAN_STATUS,
    GET_STRING_STATUS
} LegalCall;

/* Whether a function may be called now; if not, an error is logged. From this call on, messages begin with its name. */
MOBOD_API int may_call(Instance *instance, LegalCall call);

#endif
