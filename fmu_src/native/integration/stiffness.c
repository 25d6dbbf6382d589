#include "stiffness.h"

#include "elementary.h"
#include "explicit_arithmetic.h"
#include "jacobian.h"
#include "step_control.h"

enum { EASY_STEPS = 6, LIGHT_STEPS = 10 };

/* At this accuracy, and below it, a method of higher order is faster. */
static const double FINE = 1e-8;

static const Method *explicit_method(const State *state) {
    return method_of(state->tolerance <= FINE && state->n_careful == 0 ? INTEGRATOR_DOP853 : INTEGRATOR_RK45);
}

const Method *method_in_use(const State *state, const Work *work) {
    if (state->integrator != INTEGRATOR_AUTO)
        return method_of((Integrator)state->integrator);
    return state->is_stiff && work->implicit ? method_of(INTEGRATOR_RODAS5P) : explicit_method(state);
}

const Method *method_near_singularity(State *state, const Work *work) {
    if (state->integrator != INTEGRATOR_AUTO || work->method != method_of(INTEGRATOR_DOP853))
        return work->method;
    state->n_careful = CAREFUL_STEPS;
    return method_in_use(state, work);
}

static void change_method(State *state, int is_stiff) {
    state->is_stiff = is_stiff;
    state->n_stiff = state->n_easy = 0;
    state->error_before = LEAST_ERROR_BEFORE;
}

void watch_explicit(State *state, const Method *method, double step, double change, double change_of_rates) {
    if (change > 0 && step * change_of_rates > method->stability * change) {
        state->n_easy = 0;
        if (++state->n_stiff >= state->patience)
            change_method(state, 1);
    } else if (++state->n_easy >= EASY_STEPS) {
        state->n_easy = state->n_stiff = 0;
    }
}

/* The cost of a step in evaluations. Of an implicit step: its stages, its tangents (two evaluations each), and its factorisation. An
 * evaluation of n rates has about 300 n operations. */
static double cost(const Method *method, int n) {
    if (method->pair)
        return method->last;
    return method->rosenbrock->n_stages + 2.0 * (n + 1) + n * (2.0 * n / 3 + 16) / 300;
}

static void watch_implicit(const Model *model, State *state, const Work *work, double step) {
    const Method *method = explicit_method(state);
    int n = y_size(model);
    double reach = step * work->implicit->radius, ratio = cost(work->method, n) / cost(method, n);
    if (reach > method->stability * fmax(1, ratio)) {
        state->n_easy = 0;
    } else if (++state->n_easy >= LIGHT_STEPS) {
        int is_limited = reach > method->stability;
        state->patience = is_limited ? (state->patience < MOST_PATIENCE ? 2 * state->patience : MOST_PATIENCE) : LEAST_PATIENCE;
        if (is_limited)
            state->step_size = fmin(state->step_size, method->stability / work->implicit->radius);
        change_method(state, 0);
    }
}

void end_careful_step(State *state) {
    if (state->n_careful > 0)
        state->n_careful--;
}

void watch_stiffness(const Model *model, State *state, const Work *work, double step) {
    if (state->integrator != INTEGRATOR_AUTO || !work->implicit)
        return;
    if (!work->method->pair) {
        watch_implicit(model, state, work, step);
        return;
    }
    const int n = y_size(model);
    const double *last = work->slopes + work->method->last * n;
    watch_explicit(state, work->method, step, distance(n, state->w + model->y_at, work->y_stage), distance(n, last, last - n));
}
