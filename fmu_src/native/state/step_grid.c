#include "step_grid.h"

#include "elementary.h"

#include <float.h>

/* in fixed steps: a step may be longer by this */
static const double LONGER = 1e-6;

double time_slack(double time, double step) { return 64 * DBL_EPSILON * fabs(time) + TIME_ROUND_OFF * step; }

int has_fixed_steps(const State *state) { return is_of_fixed_steps((Integrator)state->integrator); }

double end_of_fixed_step(const State *state, double time, double t_end) {
    double slack = time_slack(time, state->fixed_step) + LONGER * state->fixed_step;
    double n = floor((time + slack - state->steps_from) / state->fixed_step) + 1, end = state->steps_from + n * state->fixed_step;
    return end < t_end - slack ? end : t_end;
}

double time_on_grid_of(const State *state, double step, double time) {
    double end = state->steps_from + floor((time - state->steps_from) / step + 0.5) * step;
    return fabs(end - time) <= time_slack(time, step) ? end : time;
}

double time_on_grid(const State *state, double time) {
    return has_fixed_steps(state) ? time_on_grid_of(state, state->fixed_step, time) : time;
}

void count_steps_from(State *state, double step, double time) {
    if (step != state->fixed_step)
        state->steps_from = time;
    state->fixed_step = step;
}
