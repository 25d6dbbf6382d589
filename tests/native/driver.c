/* Runs the runtime where the sanitizers can see it: every path once, good calls and bad ones. Ends with 1 and the line if a check fails. */
#include "explicit_arithmetic.h"
#include "method.h"
#include "step_control.h"

#include "fmi2Functions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                                                                   \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                                      \
            return 1;                                                                                                                      \
        }                                                                                                                                  \
    } while (0)

static const char *const guid = "{6f1c9f52-5f0e-4c62-9f0b-3a51d1f6a0c7}";

/* value references, in the order of variables_pendulum.c */
enum { TIME, TORQUE, GRAVITY, GRAVITY_ENABLED, FAULT_TIME = 8, ANGLE = 21, ENERGY = 34 };

/* counts the messages, and reads each to its end as printf would */
static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String format, ...) {
    char message[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    *(int *)environment += name && category && status <= fmi2Error && message[0] != '\0';
}

static fmi2Component started(const fmi2CallbackFunctions *functions, const char *name) {
    fmi2Component c = fmi2Instantiate(name, fmi2CoSimulation, guid, "", functions, fmi2False, fmi2True);
    fmi2SetupExperiment(c, fmi2True, 1e-8, 0, fmi2True, 10);
    fmi2EnterInitializationMode(c);
    fmi2ExitInitializationMode(c);
    return c;
}

/* the order conditions for quadrature, and that each stage is at the time of its coefficients: Hairer, Norsett & Wanner I, II.1 */
static int tableau_is_consistent(const Tableau *tableau, int order) {
    int n = tableau->n_stages;
    const double *solution = tableau->a + (n - 1) * n;
    CHECK(n + tableau->n_inner <= MOST_SLOPES && 3 + tableau->n_dense <= MOST_DEGREES);
    for (int stage = 0; stage < n; stage++) {
        double sum = 0;
        for (int j = 0; j < stage; j++)
            sum += tableau->a[stage * n + j];
        CHECK(fabs(sum - tableau->c[stage]) < 1e-14);
    }
    for (int power = 0; power <= order; power++) {
        double sum = 0, error = 0;
        for (int j = 0; j < n; j++) {
            sum += solution[j] * pow(tableau->c[j], power);
            error += tableau->error[j] * pow(tableau->c[j], power);
        }
        CHECK(fabs(sum - 1.0 / (power + 1)) < 1e-15);
        /* the embedded solution is one order lower, and no more */
        CHECK((fabs(error) < 1e-16) == (power < order));
    }
    return 0;
}

static int steps_are_controlled(void) {
    const Method fourth = {.estimate_order = 4, .integral_gain = 0.04}, proportional = {.estimate_order = 4};
    double y[2] = {3, 0}, error[2] = {4e-6, 2e-6};
    int worst = -1;

    CHECK(fabs(scaled_error(2, error, y, y, NULL, 1e-6, &worst) - 2) < 1e-15 && worst == 1);
    error[0] = NAN;
    CHECK(isinf(scaled_error(2, error, y, y, NULL, 1e-6, &worst)) && worst == 0);
    CHECK(growth(wanted_growth(0, LEAST_ERROR_BEFORE, &fourth)) == 5);
    CHECK(growth(wanted_growth(1, 1, &fourth)) == 0.9);
    CHECK(growth(wanted_growth(1e9, 1, &fourth)) == 0.2);
    CHECK(growth(wanted_growth(1, 1e-4, &proportional)) == 0.9);
    CHECK(fabs(paired_error(3, 40) - 1.8) < 1e-15 && paired_error(0, 0) == 0 && isinf(paired_error(INFINITY, 1)));
    CHECK(shrinkage(INFINITY, 4) == 0.2);
    CHECK(fabs(shrinkage(32, 4) - 0.45) < 1e-15);
    return 0;
}

static int refuses_what_makes_no_instance(const fmi2CallbackFunctions *functions) {
    CHECK(!fmi2Instantiate("x", fmi2CoSimulation, guid, "", NULL, fmi2False, fmi2False));
    CHECK(!fmi2Instantiate("", fmi2CoSimulation, guid, "", functions, fmi2False, fmi2False));
    CHECK(!fmi2Instantiate(NULL, fmi2CoSimulation, guid, "", functions, fmi2False, fmi2False));
    CHECK(!fmi2Instantiate("x", fmi2CoSimulation, "%s%n", NULL, functions, fmi2False, fmi2False));
    CHECK(!fmi2Instantiate("x", fmi2CoSimulation, NULL, NULL, functions, fmi2False, fmi2False));
    fmi2FreeInstance(NULL);
    return 0;
}

static int runs_saves_and_restores(const fmi2CallbackFunctions *functions) {
    const fmi2ValueReference references[] = {ANGLE, ENERGY}, inputs[] = {TORQUE, GRAVITY}, is_boolean = GRAVITY_ENABLED;
    const double torque_and_gravity[] = {0.7, 3.7};
    double here[2], there[2];
    size_t size;
    /* one byte off, so that nothing may rely on how the host aligns its bytes */
    static char bytes[8192];
    fmi2FMUstate saved = NULL, read = NULL;
    fmi2Boolean off = fmi2False;

    fmi2Component a = started(functions, "a"), b = started(functions, "b");
    for (int i = 0; i < 10; i++) {
        CHECK(fmi2DoStep(a, i * 0.1, 0.1, fmi2True) == fmi2OK);
        CHECK(fmi2DoStep(b, i * 0.1, 0.1, fmi2True) == fmi2OK);
    }
    CHECK(fmi2SetReal(a, inputs, 2, torque_and_gravity) == fmi2OK && fmi2SetBoolean(a, &is_boolean, 1, &off) == fmi2OK);
    CHECK(fmi2GetFMUstate(a, &saved) == fmi2OK && fmi2GetFMUstate(a, &saved) == fmi2OK);
    CHECK(fmi2SerializedFMUstateSize(a, saved, &size) == fmi2OK && size < sizeof bytes);
    CHECK(fmi2SerializeFMUstate(a, saved, bytes + 1, size) == fmi2OK);
    CHECK(fmi2DeSerializeFMUstate(b, bytes + 1, size, &read) == fmi2OK && fmi2SetFMUstate(b, read) == fmi2OK);
    CHECK(fmi2DoStep(a, 1, 0.37, fmi2True) == fmi2OK && fmi2DoStep(b, 1, 0.37, fmi2True) == fmi2OK);
    CHECK(fmi2GetReal(a, references, 2, here) == fmi2OK && fmi2GetReal(b, references, 2, there) == fmi2OK);
    CHECK(memcmp(here, there, sizeof here) == 0);

    CHECK(fmi2DeSerializeFMUstate(b, bytes, size, &read) == fmi2Error && fmi2DeSerializeFMUstate(b, bytes + 1, 3, &read) == fmi2Error);
    CHECK(fmi2FreeFMUstate(a, &saved) == fmi2OK && fmi2FreeFMUstate(b, &read) == fmi2OK && !saved && !read);
    CHECK(fmi2Terminate(a) == fmi2OK && fmi2DoStep(a, 1.37, 0.1, fmi2True) == fmi2Error);
    fmi2FreeInstance(a);
    fmi2FreeInstance(b);
    return 0;
}

static int survives_failures(const fmi2CallbackFunctions *functions) {
    const fmi2ValueReference fault_time = FAULT_TIME, unknown = 4000000000u, time_reference = TIME;
    const fmi2String categories[] = {"logAll", NULL};
    const double soon = 0.25;
    double value;

    fmi2Component c = started(functions, "c");
    CHECK(fmi2SetReal(c, &fault_time, 1, &soon) == fmi2OK);
    CHECK(fmi2SetReal(c, &unknown, 1, &soon) == fmi2Error && fmi2SetReal(c, NULL, 1, &soon) == fmi2Error);
    CHECK(fmi2GetReal(c, &unknown, 1, &value) == fmi2Error && fmi2GetReal(c, &unknown, 0, NULL) == fmi2OK);
    CHECK(fmi2SetDebugLogging(c, fmi2True, 2, categories) == fmi2Error);
    CHECK(fmi2DoStep(c, 0, 11, fmi2True) == fmi2Error);
    CHECK(fmi2DoStep(c, 0, 0.2, fmi2True) == fmi2OK && fmi2DoStep(c, 0.2, 0.2, fmi2True) == fmi2Discard);
    CHECK(fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &value) == fmi2OK && 0.2 < value && value < soon);
    CHECK(fmi2DoStep(c, 0.2, 0.01, fmi2True) == fmi2Error);
    CHECK(fmi2GetReal(c, &time_reference, 1, &value) == fmi2OK && value == 0.2);
    CHECK(fmi2CancelStep(c) == fmi2Error && fmi2DoStep(NULL, 0, 1, fmi2True) == fmi2Error);
    CHECK(fmi2Reset(c) == fmi2OK);
    fmi2FreeInstance(c);
    return 0;
}

int main(void) {
    int n_messages = 0;
    fmi2CallbackFunctions functions = {logger, NULL, NULL, NULL, &n_messages};

    if (tableau_is_consistent(rk23.pair, 2) || tableau_is_consistent(rk45.pair, 4) || steps_are_controlled())
        return 1;
    if (refuses_what_makes_no_instance(&functions) || runs_saves_and_restores(&functions) || survives_failures(&functions))
        return 1;
    CHECK(n_messages > 20);
    return 0;
}
