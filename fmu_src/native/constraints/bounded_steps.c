#include "bounded_steps.h"

#include "elementary.h"

#include <float.h>
#include <string.h>

void begin_bounded_step(State *state) {
    state->late = 0;
    memset(state->left, 0, sizeof state->left);
}

/* a saved state holds finite numbers */
static double larger(double before, double size) { return size >= 0 ? fmin(fmax(before, size), DBL_MAX) : DBL_MAX; }

void note_overrun(State *state) { state->overrun++; }

void note_late(State *state, double seconds) { state->late = larger(state->late, seconds); }

void note_left(State *state, LeftKind kind, double size) { state->left[kind] = larger(state->left[kind], size); }
