/* An impulse along the rows of a constraint: what it does to the speeds.
 *
 * Twin of engine/mobod/simulate/impulse.py, where the equations stand. */
#ifndef MOBOD_IMPULSE_H
#define MOBOD_IMPULSE_H

#include "model.h"
#include "state.h"

/* Change u such that the velocity errors of constraint number `block` become -restitution times what they were, one for each, and those of
 * the other enabled constraints 0. The constraint takes part, enabled or not. Realizes STAGE_VELOCITY.
 *
 * dw       [n_w]  room
 * returns  whether the constraints allow it; u is then changed */
int apply_impulse(const Model *model, State *state, int block, const double *restitution, double *dw);

#endif
