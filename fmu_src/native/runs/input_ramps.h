/* Inputs of a run in a process that change with time by polynomials of degree 2, from the time at which they were set. */
#ifndef MOBOD_INPUT_RAMPS_H
#define MOBOD_INPUT_RAMPS_H

#include "input_signals.h"
#include "state.h"

typedef struct {
    State *state;
    int n;
    int *at, *stages;       /* [n] offsets in w; the first stage that depends on each */
    int time_at;            /* offset of the time in w */
    double start;           /* s */
    double *values, *rates; /* [n] at the start */
    double *curvatures;     /* [n] second derivatives */
    InputSignals signals;
} InputRamps;

/* Set the inputs of a State to `values` now, and let them change at `rates` from now on, with constant second derivatives. It replaces
 * earlier ramps; n 0: there are none.
 * Returns 0 if memory is exhausted. */
int set_ramps(InputRamps *ramps, const Model *model, State *state, int n, const int *at, const int *stages, const double *values,
              const double *rates, const double *curvatures);

/* let another State, a copy, follow the same ramps; `copy` has no memory of its own */
void share_ramps(const InputRamps *ramps, State *of, InputRamps *copy);

void free_ramps(InputRamps *ramps);

#endif
