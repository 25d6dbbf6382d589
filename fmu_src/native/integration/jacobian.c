#include "jacobian.h"

#include "elementary.h"
#include "evaluation.h"
#include "input_signals.h"
#include "scales.h"
#include "step.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

ImplicitWork *create_implicit_work(const Model *model) {
    size_t n = (size_t)y_size(model), n_w = (size_t)model->n_w;
    ImplicitWork *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->reals = calloc(2 * n * n + 3 * n + 1, sizeof(double));
    work->dw = calloc(n_w, sizeof(double));
    work->pivots = calloc(n + 1, sizeof(int));
    if (!work->reals || !work->dw || !work->pivots || !set_tangents(model, work, model->tangents, 0)) {
        free_implicit_work(work);
        return NULL;
    }
    work->J = work->reals;
    work->W = work->J + n * n;
    work->f_t = work->W + n * n;
    work->before = work->f_t + n;
    work->after = work->before + n;
    return work;
}

int grow_implicit_work(ImplicitWork *work, const Model *from, const Model *to) {
    return !work || grow_numbers(&work->dw, (size_t)from->n_w, (size_t)to->n_w);
}

void free_implicit_work(ImplicitWork *work) {
    if (!work)
        return;
    free(work->reals);
    free(work->dw);
    free(work->pivots);
    free(work->tangents_scratch);
    free(work);
}

/* whether each kernel that computes rates has a tangent */
static int are_complete(const Model *model, const Kernel *tangents) {
    for (int stage = STAGE_TIME; tangents && stage <= STAGE_ACCELERATION; stage++) {
        const Sweep *sweep = model->sweeps[stage];
        for (int call = 0; sweep && call < sweep->n_calls; call++)
            if (!tangents[sweep->kernel[call]].run || tangents[sweep->kernel[call]].run == run_no_operation)
                return 0;
    }
    return tangents != NULL;
}

int set_tangents(const Model *model, ImplicitWork *work, const Kernel *tangents, int n_scratch) {
    if (n_scratch > 0) {
        free(work->tangents_scratch);
        work->tangents_scratch = calloc((size_t)n_scratch, sizeof(double));
        if (!work->tangents_scratch)
            return 0;
    }
    work->tangents = are_complete(model, tangents) ? tangents : NULL;
    return 1;
}

/* the first stage that depends on an entry of y */
static int stage_of(const Model *model, int entry) {
    return entry < model->n_q ? STAGE_POSITION : entry < model->n_q + model->n_u ? STAGE_VELOCITY : STAGE_DYNAMICS;
}

static int is_finite(int n, const double *values) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return 0;
    return 1;
}

/* ---- by tangents ---- */

/* The change of the rates with the number of w at `at`, on which stages from first_stage on depend; NULL if it is not finite. Entries of
 * dw that no earlier stage has computed are 0. */
static const double *changes_along(const Model *model, State *state, ImplicitWork *work, int at, int first_stage) {
    double *scratch = work->tangents_scratch ? work->tangents_scratch : state->w + model->scratch_at;
    Call call = {.w = state->w, .dw = work->dw, .scratch = scratch, .host = (void *)(uintptr_t)state->host};
    const double *changes = work->dw + model->y_dot_at;
    int result = 0;
    work->dw[at] = 1;
    for (int stage = first_stage; stage <= STAGE_ACCELERATION && !result; stage++)
        if (model->sweeps[stage])
            result = call_kernels(model->sweeps[stage], work->tangents, &call, work->dw);
    work->dw[at] = 0;
    return result || !is_finite(y_size(model), changes) ? NULL : changes;
}

/* ---- by differences ---- */

/* the rates at the time and y in w; 0 if they are not finite */
static int rates(const Model *model, State *state, double *y_dot, int *n_evaluations) {
    invalidate(state, STAGE_TIME);
    ++*n_evaluations;
    return evaluate(model, state, y_dot) < 0;
}

/* Central differences, or one-sided ones at the edge of the domain of the rates. Into work->after; 0 if there are none. */
static int differences_of_y(const Model *model, State *state, ImplicitWork *work, const double *y_dot, int entry, int *n_evaluations) {
    /* the cube root of the machine precision: truncation error and round-off are about equal */
    const double relative = 6e-6;
    double *y = state->w + model->y_at + entry, kept = *y, shift = relative * (scale_of_y(model, entry) + fabs(kept));
    *y = kept + shift;
    double above = *y - kept;
    int has_above = rates(model, state, work->after, n_evaluations);
    *y = kept - shift;
    double below = kept - *y;
    int has_below = !state->stopped && rates(model, state, work->before, n_evaluations);
    *y = kept;
    invalidate(state, STAGE_TIME);
    for (int i = 0; i < y_size(model); i++) {
        if (has_above && has_below)
            work->after[i] = (work->after[i] - work->before[i]) / (above + below);
        else
            work->after[i] = has_above ? (work->after[i] - y_dot[i]) / above : (y_dot[i] - work->before[i]) / below;
    }
    return has_above || has_below;
}

/* Forward differences of second order, within the step: before its start, forces may have jumped. Into work->after. */
static int differences_of_time(const Model *model, State *state, ImplicitWork *work, const double *y_dot, double step, int *n_evaluations) {
    const double part = 1e-4;
    double *time = state->w + model->time_at, kept = *time, shift = part * step;
    set_time(model, state, kept + shift);
    shift = *time - kept;
    int is_done = shift > 0 && rates(model, state, work->before, n_evaluations);
    set_time(model, state, kept + 2 * shift);
    is_done = is_done && rates(model, state, work->after, n_evaluations);
    set_time(model, state, kept);
    for (int i = 0; i < y_size(model); i++)
        work->after[i] = is_done ? (4 * (work->before[i] - y_dot[i]) - (work->after[i] - y_dot[i])) / (2 * shift) : 0;
    return is_done || shift == 0;
}

/* ---- all of it ---- */

/* The spectral radius of J by power iteration, from a vector with parts in all directions. */
static double spectral_radius(int n, const double *J, double *v, double *Jv) {
    enum { N_FIRST = 4, N_ALL = 12 };
    double growth = 0;
    uint32_t bits = 1;
    for (int i = 0; i < n; i++) {
        bits = bits * 1664525u + 1013904223u; /* Knuth, The Art of Computer Programming 2, 3.3.4 */
        v[i] = bits / 4294967296.0 - 0.5;
    }
    for (int k = 0; k < N_ALL; k++) {
        double largest = 0;
        for (int i = 0; i < n; i++) {
            Jv[i] = 0;
            for (int j = 0; j < n; j++)
                Jv[i] += J[(size_t)i * (size_t)n + (size_t)j] * v[j];
            largest = fmax(largest, fabs(Jv[i]));
        }
        if (largest == 0)
            return 0;
        for (int i = 0; i < n; i++)
            v[i] = Jv[i] / largest;
        if (k >= N_FIRST)
            growth += mobod_log(largest);
    }
    return mobod_exp(growth / (N_ALL - N_FIRST));
}

static void set_column(int n, double *J, int column, const double *values) {
    for (int i = 0; i < n; i++)
        J[(size_t)i * (size_t)n + (size_t)column] = values[i];
}

int compute_jacobian(const Model *model, State *state, ImplicitWork *work, const double *y_dot, double step, int *n_evaluations) {
    int n = y_size(model), has_f_t = 0;
    memset(work->after, 0, (size_t)n * sizeof(double));
    for (int column = 0; column < n; column++)
        work->J[(size_t)column] = NAN;

    /* order: z, u, q, time. So values that only earlier stages compute are still 0 in dw */
    for (int column = n - 1; work->tangents && column >= 0; column--) {
        const double *changes = changes_along(model, state, work, model->y_at + column, stage_of(model, column));
        if (changes)
            set_column(n, work->J, column, changes);
    }
    if (work->tangents) {
        const InputSignals *inputs = (const InputSignals *)(uintptr_t)state->inputs;
        if (inputs)
            inputs->set_rates(inputs->owner, work->dw);
        const double *changes = changes_along(model, state, work, model->time_at, STAGE_TIME);
        has_f_t = changes != NULL;
        if (has_f_t)
            memcpy(work->f_t, changes, (size_t)n * sizeof(double));
        memset(work->dw, 0, (size_t)model->n_w * sizeof(double));
    }

    /* the remaining columns, such as those of forces in Python */
    for (int column = 0; column < n; column++) {
        if (!isnan(work->J[(size_t)column]))
            continue;
        if (!differences_of_y(model, state, work, y_dot, column, n_evaluations))
            return column;
        set_column(n, work->J, column, work->after);
    }
    if (!has_f_t) {
        if (!differences_of_time(model, state, work, y_dot, step, n_evaluations))
            return n;
        memcpy(work->f_t, work->after, (size_t)n * sizeof(double));
    }
    work->radius = spectral_radius(n, work->J, work->before, work->after);
    return -1;
}
