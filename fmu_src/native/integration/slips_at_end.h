/* The rates at the end of a step that ends where a slip stops.
 *
 * There the velocity of the slip is as small as its errors, which its direction would be: friction along it is as wrong as it is large. The
 * step itself ends right, but its interpolant takes these rates over its whole length. Here the direction is that shortly before the end.
 *
 * Decision: docs/decisions/228-direction-at-a-stop.md */
#ifndef MOBOD_SLIPS_AT_END_H
#define MOBOD_SLIPS_AT_END_H

#include "model.h"
#include "outcome.h"
#include "state.h"
#include "work.h"

/* After an explicit step whose end w is: if slips have nearly stopped in it, set the slopes of stages at its end to the rates with the
 * directions of these slips shortly before; Work.ends_at_stops says so. Returns 0 if these rates are not finite. Keeps w. */
int evaluate_before_stops(const Model *model, State *state, Work *work, const Method *method, double step, Integration *trial);

#endif
