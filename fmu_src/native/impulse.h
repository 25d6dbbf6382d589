/* An impulse along the rows of a constraint: what it does to the speeds.
 *
 * M du + G^T impulse = 0 with G du = -(1 + restitution) v for the rows that impact, v being their velocity errors, and G du = -v for all
 * others that are enabled. Accelerations solve M u_dot + G^T multipliers = f with G u_dot + bias = 0, so that du is how u_dot changes when
 * the bias does by (1 + restitution) v and by v: the tangent of the stage of accelerations, which factors G M^-1 G^T and finds its rank. */
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

/* Change the bodies' speeds from u_before [nu] such that the velocity errors of all enabled constraints become 0, as an impact without
 * restitution does: by least kinetic energy of the change, M du + G^T impulse = 0. So that rows which depend on each other agree, the
 * State's u has no velocity errors before. Realizes STAGE_VELOCITY.
 *
 * dw       [n_w]  room
 * returns  whether the constraints allow it; u is then changed, but for round-off */
int remove_errors_by_impulse(const Model *model, State *state, const double *u_before, double *dw);

#endif
