/* Changes of coordinates along directions of speeds. */
#ifndef MOBOD_COORDINATE_CHANGES_H
#define MOBOD_COORDINATE_CHANGES_H

#include "model.h"
#include "outcome.h"
#include "state.h"

/* q += N du, for du [nu] of the bodies; then quaternions are normalised. Leaves nothing realized from POSITION on. Fails with
 * ZERO_QUATERNION. */
Outcome move_coordinates(const Model *model, State *state, const double *du, Integration *result);

/* Normalise all quaternions. time: for the failure */
Outcome normalize_directions(const Model *model, State *state, double time, Integration *result);

#endif
