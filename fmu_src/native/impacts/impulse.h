/* An impulse along the rows of a constraint, and the change of speeds that it causes.
 *
 * M du + G^T impulse = 0, with G du = -(1 + restitution) v for the rows that impact, where v is their velocity errors, and G du = -v for
 * all other enabled rows. Accelerations solve M u_dot + G^T multipliers = f with G u_dot + bias = 0. So du equals the change of u_dot if
 * the bias changes by (1 + restitution) v and by v. That is the tangent of the stage of accelerations, which factors G M^-1 G^T and
 * finds its rank. */
#ifndef MOBOD_IMPULSE_H
#define MOBOD_IMPULSE_H

#include "model.h"
#include "state.h"

/* Change u so that each velocity error of constraint number `block` is multiplied by -restitution, and those of all other enabled
 * constraints become 0. The constraint takes part whether it is enabled or not. Realizes STAGE_VELOCITY.
 *
 * restitution  one for each row
 * dw           [n_w]  workspace
 * returns      whether the velocity errors became so; if not, u has no meaning */
int apply_impulse(const Model *model, State *state, int block, const double *restitution, double *dw);

/* Change the bodies' speeds from u_before [nu] so that the velocity errors of all enabled constraints become 0, like an impact without
 * restitution: M du + G^T impulse = 0, which minimises the kinetic energy of the change. On entry, the State's u must have no velocity
 * errors; then dependent rows agree with each other. Realizes STAGE_VELOCITY.
 *
 * dw       [n_w]  workspace
 * returns  whether the velocity errors became 0, except for round-off; if not, u has no meaning */
int remove_errors_by_impulse(const Model *model, State *state, const double *u_before, double *dw);

#endif
