/* Random calls of the functions of FMI 2.0. */
#include "random_calls.h"

#include "fmi2Functions.h"

#include <stdarg.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------------------------------------------ instances */

/* counts the messages, and reads each to its end as printf would */
static void log_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String format,
                        ...) {
    Session *session = environment;
    char message[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!name || !category || !message[0] || (int)status < 0 || (int)status >= N_STATUSES)
        fail("a message that is none");
    session->n_messages[status]++;
    note(session, message, strlen(message));
}

void *instantiate_fmi2(Session *session, const char *resources, const char *token, InterfaceType type, int is_logging) {
    fmi2CallbackFunctions functions = {log_message, NULL, NULL, NULL, session};
    return fmi2Instantiate("random", type == MODEL_EXCHANGE ? fmi2ModelExchange : fmi2CoSimulation, token, resources, &functions, fmi2False,
                           is_logging ? fmi2True : fmi2False);
}

static int initialize(void *c) {
    fmi2Status status = fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0);
    status = status == fmi2OK ? fmi2EnterInitializationMode(c) : status;
    return (int)(status == fmi2OK ? fmi2ExitInitializationMode(c) : status);
}

static int save(void *c, void **saved) { return (int)fmi2GetFMUstate(c, saved); }
static int restore(void *c, void *saved) { return (int)fmi2SetFMUstate(c, saved); }
static int free_saved(void *c, void **saved) { return (int)fmi2FreeFMUstate(c, saved); }
static int size_of(void *c, void *saved, size_t *size) { return (int)fmi2SerializedFMUstateSize(c, saved, size); }
static int to_bytes(void *c, void *saved, char *bytes, size_t size) { return (int)fmi2SerializeFMUstate(c, saved, bytes, size); }
static int from_bytes(void *c, const char *bytes, size_t size, void **saved) { return (int)fmi2DeSerializeFMUstate(c, bytes, size, saved); }
static int set_whole(void *c, unsigned reference, int value) { return (int)fmi2SetInteger(c, &reference, 1, &value); }

const Functions functions_of_fmi2 = {save, restore, free_saved, size_of, to_bytes, from_bytes, initialize, set_whole, fmi2FreeInstance};

/* ----------------------------------------------------------------------------------------------------------------------- life cycle */

static int set_debug_logging(Session *s) {
    static const fmi2String NAMES[] = {"logAll", "logStatusError", "logStatusDiscard", "logSteps", "logStatusWarning", "nothing", NULL};
    fmi2String names[] = {NAMES[below(one_in(10) ? 7 : 5)], NAMES[below(5)]};
    return (int)fmi2SetDebugLogging(target(s), below(2) ? fmi2True : fmi2False, below(3), or_null(names));
}

static int setup_experiment(Session *s) {
    double tolerance = one_in(8) ? odd_real() : 1e-5, start = one_in(8) ? odd_real() : 0, stop = one_in(8) ? odd_real() : 20;
    return (int)fmi2SetupExperiment(target(s), below(2) ? fmi2True : fmi2False, tolerance, start, one_in(4) ? fmi2True : fmi2False, stop);
}

static int enter_initialization_mode(Session *s) { return (int)fmi2EnterInitializationMode(target(s)); }
static int exit_initialization_mode(Session *s) { return (int)fmi2ExitInitializationMode(target(s)); }
static int terminate_(Session *s) { return (int)fmi2Terminate(target(s)); }
static int reset(Session *s) { return (int)fmi2Reset(target(s)); }

/* --------------------------------------------------------------------------------------------------------------------------- values */

static int get_real(Session *s) {
    Values values = some_values(s, TYPE_REAL, 0);
    double *reals = or_null(values.reals);
    int status = (int)fmi2GetReal(target(s), values.references, values.n, reals);
    note(s, values.reals, values.n * sizeof(double));
    return status;
}

static int get_integer(Session *s) {
    Values values = some_values(s, TYPE_INTEGER, 0);
    int *numbers = room(s, values.n * sizeof(int));
    int status = (int)fmi2GetInteger(target(s), values.references, values.n, or_null(numbers));
    note(s, numbers, values.n * sizeof(int));
    return status;
}

static int get_boolean(Session *s) {
    Values values = some_values(s, TYPE_BOOLEAN, 0);
    int *numbers = room(s, values.n * sizeof(int));
    int status = (int)fmi2GetBoolean(target(s), values.references, values.n, or_null(numbers));
    note(s, numbers, values.n * sizeof(int));
    return status;
}

static int get_string(Session *s) {
    fmi2String strings[2] = {NULL, NULL};
    unsigned references[2] = {0, 1};
    return (int)fmi2GetString(target(s), or_null(references), below(3), or_null(strings));
}

static int set_real(Session *s) {
    Values values = some_values(s, TYPE_REAL, 1);
    return (int)fmi2SetReal(target(s), values.references, values.n, or_null(values.reals));
}

static int *whole_numbers(Session *s, const Values *values) {
    int *numbers = room(s, values->n * sizeof(int));
    for (size_t i = 0; i < values->n; i++)
        numbers[i] = one_in(30) ? 2147483647 : (int)values->reals[i];
    return numbers;
}

static int set_integer(Session *s) {
    Values values = some_values(s, TYPE_INTEGER, 1);
    for (size_t i = 0; i < values.n; i++)
        values.reals[i] = values.reals[i] > -1e9 && values.reals[i] < 1e9 ? values.reals[i] : -3;
    return (int)fmi2SetInteger(target(s), values.references, values.n, or_null(whole_numbers(s, &values)));
}

static int set_boolean(Session *s) {
    Values values = some_values(s, TYPE_BOOLEAN, 1);
    for (size_t i = 0; i < values.n; i++)
        values.reals[i] = values.reals[i] == 0 ? 0 : one_in(20) ? 7 : 1;
    return (int)fmi2SetBoolean(target(s), values.references, values.n, or_null(whole_numbers(s, &values)));
}

static int set_string(Session *s) {
    fmi2String strings[2] = {"a", NULL};
    unsigned references[2] = {0, 1};
    return (int)fmi2SetString(target(s), or_null(references), below(3), or_null(strings));
}

/* ---------------------------------------------------------------------------------------------------------------------- derivatives */

static int get_directional_derivative(Session *s) {
    Values of = some_values(s, TYPE_REAL, 0), by = some_values(s, TYPE_REAL, 0);
    for (size_t i = 0; i < by.n; i++)
        by.reals[i] = one_in(20) ? odd_real() : 1;
    int status =
        (int)fmi2GetDirectionalDerivative(target(s), of.references, of.n, by.references, by.n, or_null(by.reals), or_null(of.reals));
    note(s, of.reals, of.n * sizeof(double));
    return status;
}

static int *some_orders(Session *s, size_t n) {
    int *orders = room(s, n * sizeof(int));
    for (size_t i = 0; i < n; i++)
        orders[i] = one_in(15) ? (int)below(5) - 1 : 1 + (int)below(2);
    return or_null(orders);
}

static int set_input_derivatives_(Session *s) {
    Values values = some_values(s, TYPE_REAL, 1);
    return (int)fmi2SetRealInputDerivatives(target(s), values.references, values.n, some_orders(s, values.n), or_null(values.reals));
}

static int get_output_derivatives(Session *s) {
    Values values = some_values(s, TYPE_REAL, 0);
    int *orders = some_orders(s, values.n);
    int status = (int)fmi2GetRealOutputDerivatives(target(s), values.references, values.n, orders, or_null(values.reals));
    note(s, values.reals, values.n * sizeof(double));
    return status;
}

/* --------------------------------------------------------------------------------------------------------------------- co-simulation */

static int do_step_(Session *s) {
    double start = one_in(20) ? next_time(s) : time_now(s);
    return (int)fmi2DoStep(target(s), start, some_step(), fmi2True);
}

static int cancel_step(Session *s) { return (int)fmi2CancelStep(target(s)); }

static int get_status(Session *s) {
    fmi2Status value = fmi2OK;
    return (int)fmi2GetStatus(target(s), (fmi2StatusKind)below(4), or_null(&value));
}

static int get_real_status(Session *s) {
    double value = 0;
    int status = (int)fmi2GetRealStatus(target(s), (fmi2StatusKind)below(4), or_null(&value));
    note(s, &value, sizeof value);
    return status;
}

static int get_integer_status(Session *s) {
    int value = 0;
    return (int)fmi2GetIntegerStatus(target(s), (fmi2StatusKind)below(4), or_null(&value));
}

static int get_boolean_status(Session *s) {
    int value = 0;
    int status = (int)fmi2GetBooleanStatus(target(s), (fmi2StatusKind)below(4), or_null(&value));
    note(s, &value, sizeof value);
    return status;
}

static int get_string_status(Session *s) {
    fmi2String value = NULL;
    return (int)fmi2GetStringStatus(target(s), (fmi2StatusKind)below(4), or_null(&value));
}

/* -------------------------------------------------------------------------------------------------------------------- model exchange */

static int enter_event_mode_(Session *s) { return (int)fmi2EnterEventMode(target(s)); }
static int enter_continuous_time_mode(Session *s) { return (int)fmi2EnterContinuousTimeMode(target(s)); }

static int new_discrete_states(Session *s) {
    fmi2EventInfo info = {0};
    int status = (int)fmi2NewDiscreteStates(target(s), or_null(&info));
    int numbers[] = {info.newDiscreteStatesNeeded, info.terminateSimulation, info.valuesOfContinuousStatesChanged,
                     info.nextEventTimeDefined};
    note(s, numbers, sizeof numbers);
    note(s, &info.nextEventTime, sizeof info.nextEventTime);
    return status;
}

static int completed_step(Session *s) {
    int answers[2] = {0, 0};
    int status = (int)fmi2CompletedIntegratorStep(target(s), fmi2True, or_null(answers), or_null(answers + 1));
    note(s, answers, sizeof answers);
    return status;
}

static int set_time_(Session *s) { return (int)fmi2SetTime(target(s), next_time(s)); }

static int set_states(Session *s) {
    double *y = some_states(s);
    return (int)fmi2SetContinuousStates(target(s), or_null(y), wrong_now_and_then((size_t)n_states(s)));
}

typedef fmi2Status Getter(fmi2Component c, fmi2Real values[], size_t n);

static int get_with(Session *s, Getter *getter, int n) {
    size_t size = wrong_now_and_then((size_t)n);
    double *values = room(s, size * sizeof(double));
    int status = (int)getter(target(s), or_null(values), size);
    note(s, values, size * sizeof(double));
    return status;
}

static int get_derivatives_(Session *s) { return get_with(s, fmi2GetDerivatives, n_states(s)); }
static int get_indicators(Session *s) { return get_with(s, fmi2GetEventIndicators, n_indicators(s)); }
static int get_states(Session *s) { return get_with(s, fmi2GetContinuousStates, n_states(s)); }
static int get_nominals_(Session *s) { return get_with(s, fmi2GetNominalsOfContinuousStates, n_states(s)); }

/* --------------------------------------------------------------------------------------------------------------------- all of them */

enum {
    I = MODE_INSTANTIATED,
    N = MODE_INITIALIZATION,
    S = MODE_STEP,
    F = MODE_STEP_FAILED,
    E = MODE_EVENT,
    C = MODE_CONTINUOUS,
    T = MODE_TERMINATED | MODE_ERROR,
    CS = I | N | S | F | T,
    ME = I | N | E | C | T,
    STARTED = CS - I,
    SETTABLE = I | N | S,
    READABLE = ME - I
};

/* FMI 2.0.5: the tables of sections 3.2.3 and 4.2.4. Real variables may be states, and are settable in continuous-time mode. */
const RandomCall calls_of_fmi2[] = {
    {"SetDebugLogging", set_debug_logging, CS, ME, 1, 1},
    {"SetupExperiment", setup_experiment, I, I, 8, 0},
    {"EnterInitializationMode", enter_initialization_mode, I, I, 8, 0},
    {"ExitInitializationMode", exit_initialization_mode, N, N, 8, 0},
    {"Terminate", terminate_, S | F, E | C, 1, 0},
    {"Reset", reset, CS, ME, 1, 0},
    {"GetReal", get_real, STARTED, READABLE, 6, 1},
    {"GetInteger", get_integer, STARTED, READABLE, 2, 1},
    {"GetBoolean", get_boolean, STARTED, READABLE, 2, 1},
    {"GetString", get_string, STARTED, READABLE, 1, 1},
    {"SetReal", set_real, SETTABLE, I | N | E | C, 6, 0},
    {"SetInteger", set_integer, SETTABLE, I | N | E, 2, 0},
    {"SetBoolean", set_boolean, SETTABLE, I | N | E, 2, 0},
    {"SetString", set_string, SETTABLE, I | N | E, 1, 1},
    {"GetFMUstate", keep_state, CS, ME, 4, 1},
    {"SetFMUstate", restore_state_, CS, ME, 4, 0},
    {"FreeFMUstate", free_state, CS, ME, 1, 1},
    {"SerializedFMUstateSize", measure_state, CS, ME, 1, 1},
    {"SerializeFMUstate", serialize_state_, CS, ME, 3, 1},
    {"DeSerializeFMUstate", deserialize_state_, CS, ME, 3, 1},
    {"GetDirectionalDerivative", get_directional_derivative, STARTED, READABLE, 4, 1},
    {"SetRealInputDerivatives", set_input_derivatives_, SETTABLE, 0, 3, 0},
    {"GetRealOutputDerivatives", get_output_derivatives, S | F | T, 0, 3, 1},
    {"DoStep", do_step_, S, 0, 20, 0},
    {"CancelStep", cancel_step, 0, 0, 1, 1},
    {"GetStatus", get_status, S | F | MODE_TERMINATED, 0, 1, 1},
    {"GetRealStatus", get_real_status, S | F | MODE_TERMINATED, 0, 1, 1},
    {"GetIntegerStatus", get_integer_status, S | F | MODE_TERMINATED, 0, 1, 1},
    {"GetBooleanStatus", get_boolean_status, S | F | MODE_TERMINATED, 0, 1, 1},
    {"GetStringStatus", get_string_status, S | F | MODE_TERMINATED, 0, 1, 1},
    {"EnterEventMode", enter_event_mode_, 0, E | C, 5, 0},
    {"NewDiscreteStates", new_discrete_states, 0, E, 10, 0},
    {"EnterContinuousTimeMode", enter_continuous_time_mode, 0, E, 10, 0},
    {"CompletedIntegratorStep", completed_step, 0, C, 8, 0},
    {"SetTime", set_time_, 0, E | C, 8, 0},
    {"SetContinuousStates", set_states, 0, C, 8, 0},
    {"GetDerivatives", get_derivatives_, 0, READABLE, 4, 1},
    {"GetEventIndicators", get_indicators, 0, READABLE, 4, 1},
    {"GetContinuousStates", get_states, 0, READABLE, 2, 1},
    {"GetNominalsOfContinuousStates", get_nominals_, 0, ME, 1, 1},
    {0},
};
