#include "slips_at_end.h"

#include "elementary.h"
#include "evaluation.h"
#include "event_work.h"
#include "friction_table.h"
#include "step.h"
#include "tree.h"

#include <math.h>
#include <string.h>

/* relative to the speed at the start of the step: a slip that is slower at its end has nearly stopped. An error of its velocity turns the
 * direction of a faster one too little to matter. */
static const double NEARLY_STOPPED = 1e-2;
/* of the step before its end: where directions are read */
static const double SHORTLY_BEFORE = 1.0 / 32;

/* The slip that an event ends, if it has two tangents and has nearly stopped at the end of the step; else NULL. The value of the witness at
 * the start of the step is about the speed there. */
static const Friction *nearly_stopped(const Model *model, const double *w_at_end, const EventWork *events, int witness) {
    const Friction *friction = friction_of(model, model->events->triggered[witness]);
    if (!friction || friction->n == 1 || w_at_end[friction->mode] != FRICTION_SLIP)
        return NULL;
    return slip_speed(friction, w_at_end) < NEARLY_STOPPED * events->values[witness] ? friction : NULL;
}

static int has_nearly_stopped(const Model *model, const State *state, const EventWork *events) {
    for (int i = 0; i < model->events->n_witnesses; i++)
        if (nearly_stopped(model, state->w, events, i))
            return 1;
    return 0;
}

/* move shortly before the end, on the parabola through the start of the step, its rates there and its end */
static void move_before_end(const Model *model, State *state, const Work *work, double t_new, double step) {
    const double x = 1 - SHORTLY_BEFORE;
    double *y = state->w + model->y_at;
    for (int i = 0; i < y_size(model); i++) {
        const double along = step * work->slopes[i];
        y[i] = work->y[i] + x * (along + x * (y[i] - work->y[i] - along));
    }
    set_time(model, state, t_new - SHORTLY_BEFORE * step);
    normalize_quaternions(model, state->w);
    realize(model, state, STAGE_VELOCITY);
}

/* Let slips that have nearly stopped have the directions in which they lose their velocity between the present State and the end, at all
 * speeds below that at the start of the step. So an error of the velocity at the end hardly turns them. */
static void take_directions(const Model *model, State *state, const double *w_at_end, const EventWork *events) {
    for (int i = 0; i < model->events->n_witnesses; i++) {
        const Friction *friction = nearly_stopped(model, w_at_end, events, i);
        double lost[2] = {0, 0};
        for (int k = 0; friction && k < friction->n; k++)
            lost[k] = state->w[friction->rates + k] - w_at_end[friction->rates + k];
        const double speed = sqrt(lost[0] * lost[0] + lost[1] * lost[1]);
        for (int k = 0; speed > 0 && k < friction->n; k++)
            state->w[friction->direction + k] = lost[k] / speed;
        if (speed > 0)
            state->w[friction->rest] = fmax(state->w[friction->rest], events->values[i]);
    }
}

int evaluate_before_stops(const Model *model, State *state, Work *work, const Method *method, double step, Integration *trial) {
    const int n = y_size(model), last = method->last;
    const double t_new = state->w[model->time_at];
    double *y = state->w + model->y_at;
    work->ends_at_stops = n_frictions(model) && work->events && has_nearly_stopped(model, state, work->events);
    if (!work->ends_at_stops)
        return 1;

    /* a copy of w costs less than realizing it again */
    copy_numbers(model, work->w, state->w);
    move_before_end(model, state, work, t_new, step);
    take_directions(model, state, work->w, work->events);
    memcpy(y, work->w + model->y_at, (size_t)n * sizeof(double));
    int is_done = evaluate_stage(model, state, t_new, work->slopes + last * n, trial);
    if (is_done && method->pair->c[last - 1] == 1) {
        memcpy(y, work->y_stage, (size_t)n * sizeof(double));
        is_done = evaluate_stage(model, state, t_new, work->slopes + (last - 1) * n, trial);
    }
    copy_numbers(model, state->w, work->w);
    state->realized = STAGE_ACCELERATION;
    return is_done;
}
