/* Time, quaternions and rates of a State. */
#ifndef MOBOD_EVALUATION_H
#define MOBOD_EVALUATION_H

#include "model.h"
#include "state.h"

/* Normalize each quaternion. Returns -1, or the number of the first one that is zero. Realizes nothing. */
int normalize_quaternions(const Model *model, double *w);

/* set the time in w, and the inputs that change with it */
void set_time(const Model *model, State *state, double time);

/* Compute y_dot at the time and y in w. Returns -1, or the first entry that is not finite, which is 0 if a kernel stopped the sweep. If
 * a value does not exist there (NO_VALUE), only this evaluation fails. */
int evaluate(const Model *model, State *state, double *y_dot);

#endif
