/* Random calls of the functions of FMI 3.0. */
#include "random_calls.h"

#include "fmi3Functions.h"

#include <limits.h>
#include <math.h>

/* ------------------------------------------------------------------------------------------------------------------------ instances */

static void log_message(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    Session *session = environment;
    if (!category || !message || !message[0] || (int)status < 0 || (int)status >= N_STATUSES)
        fail("a message that is none");
    session->n_messages[status]++;
    note(session, message, strlen(message));
}

/* Calls back: legal calls and illegal ones, and requests to return early, possible ones or not. */
static void update(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean may_set, fmi3Boolean may_get, fmi3Boolean is_finished,
                   fmi3Boolean may_return, fmi3Boolean *returns, fmi3Float64 *return_time) {
    Session *session = environment;
    const int answers[] = {may_set, may_get, is_finished, may_return};
    note(session, &time, sizeof time);
    note(session, answers, sizeof answers);
    if (may_set == may_get || may_get != is_finished)
        fail("the arguments of an intermediate update contradict each other");
    for (uint32_t n = below(may_get ? 3 : 40) ? 0 : 1 + below(2); n; n--)
        make_call(session, 1);
    if (!one_in(10))
        return;
    *returns = fmi3True;
    *return_time = one_in(4) ? odd_real() : time + real_between(-0.01, 0.02);
}

void *instantiate_fmi3(Session *session, const char *resources, const char *token, InterfaceType type, int is_logging) {
    if (type == MODEL_EXCHANGE)
        return fmi3InstantiateModelExchange("random", token, resources, fmi3False, is_logging, session, log_message);
    const int sets_input = session->options.sets_input >= 0;
    const fmi3ValueReference input = sets_input ? (fmi3ValueReference)session->options.sets_input : 0;
    return fmi3InstantiateCoSimulation("random", token, resources, fmi3False, is_logging, type == CO_SIMULATION_WITH_EVENTS,
                                       session->options.may_return_early, &input, (size_t)sets_input, session, log_message,
                                       session->options.is_called_back ? update : NULL);
}

static int initialize(void *c) {
    fmi3Status status = fmi3EnterInitializationMode(c, fmi3False, 0, 0, fmi3False, 0);
    return (int)(status == fmi3OK ? fmi3ExitInitializationMode(c) : status);
}

static int save(void *c, void **saved) { return (int)fmi3GetFMUState(c, saved); }
static int restore(void *c, void *saved) { return (int)fmi3SetFMUState(c, saved); }
static int free_saved(void *c, void **saved) { return (int)fmi3FreeFMUState(c, saved); }
static int size_of(void *c, void *saved, size_t *size) { return (int)fmi3SerializedFMUStateSize(c, saved, size); }
static int to_bytes(void *c, void *saved, char *bytes, size_t size) {
    return (int)fmi3SerializeFMUState(c, saved, (fmi3Byte *)bytes, size);
}
static int from_bytes(void *c, const char *bytes, size_t size, void **saved) {
    return (int)fmi3DeserializeFMUState(c, (const fmi3Byte *)bytes, size, saved);
}
static int set_whole(void *c, unsigned reference, int value) { return (int)fmi3SetInt32(c, &reference, 1, &value, 1); }

const Functions functions_of_fmi3 = {save, restore, free_saved, size_of, to_bytes, from_bytes, initialize, set_whole, fmi3FreeInstance};

/* ----------------------------------------------------------------------------------------------------------------------- life cycle */

static int set_debug_logging(Session *s) {
    static const fmi3String NAMES[] = {"logAll", "logStatusError", "logStatusDiscard", "logSteps", "logStatusWarning", "nothing", NULL};
    fmi3String names[] = {NAMES[below(one_in(10) ? 7 : 5)], NAMES[below(5)]};
    return (int)fmi3SetDebugLogging(target(s), below(4) != 0, below(3), or_null(names));
}

static int enter_initialization_mode(Session *s) {
    double tolerance = one_in(8) ? odd_real() : 1e-5, start = one_in(8) ? odd_real() : 0, stop = one_in(8) ? odd_real() : 20;
    return (int)fmi3EnterInitializationMode(target(s), below(2) != 0, tolerance, start, one_in(4), stop);
}

#define WITHOUT_ARGUMENTS(name)                                                                                                            \
    static int call_##name(Session *s) { return (int)fmi3##name(target(s)); }
WITHOUT_ARGUMENTS(ExitInitializationMode)
WITHOUT_ARGUMENTS(Terminate)
WITHOUT_ARGUMENTS(Reset)
WITHOUT_ARGUMENTS(EnterEventMode)
WITHOUT_ARGUMENTS(EnterContinuousTimeMode)
WITHOUT_ARGUMENTS(EnterStepMode)
WITHOUT_ARGUMENTS(EnterConfigurationMode)
WITHOUT_ARGUMENTS(ExitConfigurationMode)
WITHOUT_ARGUMENTS(EvaluateDiscreteStates)

/* --------------------------------------------------------------------------------------------------------------------------- values */

static int as_int(double value) { return value > INT_MIN && value < INT_MAX ? (int)value : INT_MIN; }

static int64_t as_long(double value) { return one_in(20) ? INT64_MAX - below(2) : as_int(value); }

#define GET_AND_SET(name, type_of_value, type, converted)                                                                                  \
    static int get_##name(Session *s) {                                                                                                    \
        Values values = some_values(s, type, 0);                                                                                           \
        fmi3##name *given = room(s, values.n_values * sizeof *given);                                                                      \
        int status = (int)fmi3Get##name(target(s), values.references, values.n, or_null(given), values.n_values);                          \
        note(s, given, values.n_values * sizeof *given);                                                                                   \
        return status;                                                                                                                     \
    }                                                                                                                                      \
    static int set_##name(Session *s) {                                                                                                    \
        Values values = some_values(s, type, 1);                                                                                           \
        fmi3##name *given = room(s, values.n_values * sizeof *given);                                                                      \
        for (size_t i = 0; i < values.n_values; i++)                                                                                       \
            given[i] = converted(values.reals[i]);                                                                                         \
        return (int)fmi3Set##name(target(s), values.references, values.n, or_null(given), values.n_values);                                \
    }
GET_AND_SET(Float64, double, TYPE_REAL, (double))
GET_AND_SET(Int32, int, TYPE_INTEGER, as_int)
GET_AND_SET(Int64, int64_t, TYPE_ENUMERATION, as_long)
GET_AND_SET(Boolean, bool, TYPE_BOOLEAN, 0 !=)

/* types that no variable has */
#define OF_NO_VARIABLE(name)                                                                                                               \
    static int get_##name(Session *s) {                                                                                                    \
        unsigned references[2] = {0, 1};                                                                                                   \
        fmi3##name values[2] = {0};                                                                                                        \
        return (int)fmi3Get##name(target(s), or_null(references), below(3), or_null(values), below(3));                                    \
    }                                                                                                                                      \
    static int set_##name(Session *s) {                                                                                                    \
        unsigned references[2] = {0, 1};                                                                                                   \
        fmi3##name values[2] = {0};                                                                                                        \
        return (int)fmi3Set##name(target(s), or_null(references), below(3), or_null(values), below(3));                                    \
    }
OF_NO_VARIABLE(Float32)
OF_NO_VARIABLE(Int8)
OF_NO_VARIABLE(UInt8)
OF_NO_VARIABLE(Int16)
OF_NO_VARIABLE(UInt16)
OF_NO_VARIABLE(UInt32)
OF_NO_VARIABLE(UInt64)
OF_NO_VARIABLE(String)

/* what has no variables is called with small arrays */
static const unsigned two[2] = {0, 1};
static size_t sizes[2];
static double intervals[2];
static fmi3UInt64 counters[2], resolutions[2];
static fmi3IntervalQualifier qualifiers[2];
static bool clocks[2];

static int get_binary(Session *s) {
    fmi3Binary values[2] = {NULL, NULL};
    return (int)fmi3GetBinary(target(s), two, below(3), sizes, values, below(3));
}

static int set_binary(Session *s) {
    fmi3Binary values[2] = {NULL, NULL};
    return (int)fmi3SetBinary(target(s), two, below(3), sizes, values, below(3));
}

static int get_clock(Session *s) { return (int)fmi3GetClock(target(s), or_null((void *)two), below(3), clocks); }
static int set_clock(Session *s) { return (int)fmi3SetClock(target(s), or_null((void *)two), below(3), clocks); }

static int unsupported(Session *s) {
    void *c = target(s);
    const size_t n = below(3);
    size_t n_dependencies;
    switch (below(11)) {
    case 0:
        return (int)fmi3GetNumberOfVariableDependencies(c, 0, or_null(&n_dependencies));
    case 1:
        return (int)fmi3GetVariableDependencies(c, 0, NULL, NULL, NULL, NULL, n);
    case 2:
        return (int)fmi3GetIntervalDecimal(c, two, n, intervals, qualifiers);
    case 3:
        return (int)fmi3GetIntervalFraction(c, two, n, counters, resolutions, qualifiers);
    case 4:
        return (int)fmi3GetShiftDecimal(c, two, n, intervals);
    case 5:
        return (int)fmi3GetShiftFraction(c, two, n, counters, resolutions);
    case 6:
        return (int)fmi3SetIntervalDecimal(c, two, n, intervals);
    case 7:
        return (int)fmi3SetIntervalFraction(c, two, n, counters, resolutions);
    case 8:
        return (int)fmi3SetShiftDecimal(c, two, n, intervals);
    case 9:
        return (int)fmi3SetShiftFraction(c, two, n, counters, resolutions);
    default:
        return (int)fmi3ActivateModelPartition(c, 0, odd_real());
    }
}

/* ---------------------------------------------------------------------------------------------------------------------- derivatives */

static int get_directional_derivative(Session *s) {
    Values of = some_values(s, TYPE_REAL, 0), by = some_values(s, TYPE_REAL, 0);
    for (size_t i = 0; i < by.n_values; i++)
        by.reals[i] = one_in(20) ? odd_real() : 1;
    int status = (int)fmi3GetDirectionalDerivative(target(s), of.references, of.n, by.references, by.n, or_null(by.reals), by.n_values,
                                                   or_null(of.reals), of.n_values);
    note(s, of.reals, of.n_values * sizeof(double));
    return status;
}

static int get_adjoint_derivative(Session *s) {
    Values of = some_values(s, TYPE_REAL, 0), by = some_values(s, TYPE_REAL, 0);
    for (size_t i = 0; i < of.n_values; i++)
        of.reals[i] = one_in(20) ? odd_real() : 1;
    int status = (int)fmi3GetAdjointDerivative(target(s), of.references, of.n, by.references, by.n, or_null(of.reals), of.n_values,
                                               or_null(by.reals), by.n_values);
    note(s, by.reals, by.n_values * sizeof(double));
    return status;
}

static int get_output_derivatives(Session *s) {
    Values values = some_values(s, TYPE_REAL, 0);
    int *orders = room(s, values.n * sizeof(int));
    for (size_t i = 0; i < values.n; i++)
        orders[i] = one_in(15) ? (int)below(5) - 1 : 1;
    int status =
        (int)fmi3GetOutputDerivatives(target(s), values.references, values.n, or_null(orders), or_null(values.reals), values.n_values);
    note(s, values.reals, values.n_values * sizeof(double));
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------- steps and events */

static int do_step_(Session *s) {
    bool answers[3] = {false, false, false};
    double start = one_in(20) ? next_time(s) : time_now(s), reached = 0, step = some_step();
    int status = (int)fmi3DoStep(target(s), start, step, fmi3True, or_null(answers), answers + 1, answers + 2, or_null(&reached));
    note(s, answers, sizeof answers);
    note(s, &reached, sizeof reached);
    if (status == STATUS_OK && (reached != time_now(s) || (answers[2] && !s->instance->may_return_early) ||
                                (answers[0] && s->instance->state->interface_type != CO_SIMULATION_WITH_EVENTS)))
        fail("the answers of a step contradict the instance");
    return status;
}

static int update_discrete_states_(Session *s) {
    bool answers[5] = {false, false, false, false, false};
    double next = 0;
    int status =
        (int)fmi3UpdateDiscreteStates(target(s), answers, or_null(answers + 1), answers + 2, answers + 3, answers + 4, or_null(&next));
    note(s, answers, sizeof answers);
    note(s, &next, sizeof next);
    return status;
}

static int completed_step(Session *s) {
    bool answers[2] = {false, false};
    int status = (int)fmi3CompletedIntegratorStep(target(s), fmi3True, or_null(answers), or_null(answers + 1));
    note(s, answers, sizeof answers);
    return status;
}

static int set_time_(Session *s) { return (int)fmi3SetTime(target(s), next_time(s)); }

static int set_states(Session *s) {
    double *y = some_states(s);
    return (int)fmi3SetContinuousStates(target(s), or_null(y), wrong_now_and_then((size_t)n_states(s)));
}

typedef fmi3Status Getter(fmi3Instance c, fmi3Float64 values[], size_t n);

static int get_with(Session *s, Getter *getter, int n) {
    size_t size = wrong_now_and_then((size_t)n);
    double *values = room(s, size * sizeof(double));
    int status = (int)getter(target(s), or_null(values), size);
    note(s, values, size * sizeof(double));
    return status;
}

static int get_derivatives_(Session *s) { return get_with(s, fmi3GetContinuousStateDerivatives, n_states(s)); }
static int get_indicators(Session *s) { return get_with(s, fmi3GetEventIndicators, n_indicators(s)); }
static int get_states(Session *s) { return get_with(s, fmi3GetContinuousStates, n_states(s)); }
static int get_nominals_(Session *s) { return get_with(s, fmi3GetNominalsOfContinuousStates, n_states(s)); }

static int get_numbers(Session *s) {
    size_t n = 0, *place = or_null(&n);
    int status = (int)(below(2) ? fmi3GetNumberOfEventIndicators(target(s), place) : fmi3GetNumberOfContinuousStates(target(s), place));
    note(s, &n, sizeof n);
    return status;
}

/* --------------------------------------------------------------------------------------------------------------------- all of them */

enum {
    I = MODE_INSTANTIATED,
    N = MODE_INITIALIZATION,
    S = MODE_STEP,
    E = MODE_EVENT,
    C = MODE_CONTINUOUS,
    X = MODE_INTERMEDIATE,
    T = MODE_TERMINATED | MODE_ERROR,
    CS = I | N | S | E | T,
    ME = I | N | E | C | T,
    DIFFERENTIABLE = N | S | E | T,
    READABLE = N | E | C | T
};

#define OF_TYPE(name, in_intermediate_update, in_continuous_time_mode, weight)                                                             \
    {"Get" #name, get_##name, CS | X, ME, weight, 1},                                                                                      \
        {"Set" #name, set_##name, I | N | S | E | (in_intermediate_update), I | N | E | (in_continuous_time_mode), weight, 0}

/* FMI 3.0.2, sections 2.3, 3.2 and 4.2 */
const RandomCall calls_of_fmi3[] = {
    OF_TYPE(Float64, X, C, 6),
    OF_TYPE(Int32, 0, 0, 2),
    OF_TYPE(Int64, 0, 0, 2),
    OF_TYPE(Boolean, 0, 0, 2),
    OF_TYPE(Float32, 0, 0, 1),
    OF_TYPE(Int8, 0, 0, 1),
    OF_TYPE(UInt8, 0, 0, 1),
    OF_TYPE(Int16, 0, 0, 1),
    OF_TYPE(UInt16, 0, 0, 1),
    OF_TYPE(UInt32, 0, 0, 1),
    OF_TYPE(UInt64, 0, 0, 1),
    OF_TYPE(String, 0, 0, 1),
    {"GetBinary", get_binary, CS | X, ME, 1, 1},
    {"SetBinary", set_binary, I | N | S | E, I | N | E, 1, 1},
    {"GetClock", get_clock, E, E, 1, 1},
    {"SetClock", set_clock, E, E, 1, 1},
    {"(one that is not supported)", unsupported, 0, 0, 4, 1},
    {"SetDebugLogging", set_debug_logging, CS, ME, 1, 1},
    {"EnterInitializationMode", enter_initialization_mode, I, I, 8, 0},
    {"ExitInitializationMode", call_ExitInitializationMode, N, N, 8, 0},
    {"EnterConfigurationMode", call_EnterConfigurationMode, 0, 0, 1, 1},
    {"ExitConfigurationMode", call_ExitConfigurationMode, 0, 0, 1, 1},
    {"EvaluateDiscreteStates", call_EvaluateDiscreteStates, 0, 0, 1, 1},
    {"Terminate", call_Terminate, S | E, E | C, 1, 0},
    {"Reset", call_Reset, CS, ME, 1, 0},
    {"GetFMUState", keep_state, CS, ME, 4, 1},
    {"SetFMUState", restore_state_, CS, ME, 4, 0},
    {"FreeFMUState", free_state, CS, ME, 1, 1},
    {"SerializedFMUStateSize", measure_state, CS, ME, 1, 1},
    {"SerializeFMUState", serialize_state_, CS, ME, 3, 1},
    {"DeserializeFMUState", deserialize_state_, CS, ME, 3, 1},
    {"GetDirectionalDerivative", get_directional_derivative, DIFFERENTIABLE, READABLE, 4, 1},
    {"GetAdjointDerivative", get_adjoint_derivative, DIFFERENTIABLE, READABLE, 4, 1},
    {"GetOutputDerivatives", get_output_derivatives, S | T | X, 0, 3, 1},
    {"DoStep", do_step_, S, 0, 24, 0},
    {"EnterEventMode", call_EnterEventMode, S, C, 5, 0},
    {"UpdateDiscreteStates", update_discrete_states_, E, E, 12, 0},
    {"EnterStepMode", call_EnterStepMode, E, 0, 12, 0},
    {"EnterContinuousTimeMode", call_EnterContinuousTimeMode, 0, E, 12, 0},
    {"CompletedIntegratorStep", completed_step, 0, C, 8, 0},
    {"SetTime", set_time_, 0, C, 8, 0},
    {"SetContinuousStates", set_states, 0, C, 8, 0},
    {"GetContinuousStateDerivatives", get_derivatives_, 0, READABLE, 4, 1},
    {"GetEventIndicators", get_indicators, 0, READABLE, 4, 1},
    {"GetContinuousStates", get_states, 0, READABLE, 2, 1},
    {"GetNominalsOfContinuousStates", get_nominals_, 0, READABLE, 1, 1},
    {"GetNumberOf...", get_numbers, 0, ME, 1, 1}, /* importers ask at any time */
    {0},
};
