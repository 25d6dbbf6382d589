/* The times at which fixed steps end: State.steps_from + k * State.fixed_step, so that no sum of steps drifts. Steps that end elsewhere,
 * at an event or at the end of the integration, are shorter, and the next one ends at the next of these times. */
#ifndef MOBOD_STEP_GRID_H
#define MOBOD_STEP_GRID_H

#include "state.h"

/* The allowed difference of two values of the same time: the importer may sum up steps of this length while the instance does not. */
#define TIME_ROUND_OFF 1e-9 /* relative to a step */
double time_slack(double time, double step);

/* whether the steps of the integrator have a fixed size */
int has_fixed_steps(const State *state);

/* the end of a fixed step from `time` that is not to pass t_end; it may be longer by a millionth, to avoid a tiny step after it */
double end_of_fixed_step(const State *state, double time, double t_end);

/* the end of a fixed step that equals `time` up to round-off; if there is none, or steps are not fixed, `time` */
double time_on_grid(const State *state, double time);
/* the same for steps of any size that are counted from State.steps_from */
double time_on_grid_of(const State *state, double step, double time);

/* Use fixed steps of this size. They are counted from `time` if the size is a new one. */
void count_steps_from(State *state, double step, double time);

#endif
