/* Dry friction in fixed steps at velocity level (velocity_level.h).
 *
 * The problem of a step also has the tangent rows of its contacts, and the rows of joints with friction. t, z: impulses of the step;
 * u+: speeds at its end:
 *
 *     joints:    -h L <= t <= h L, and u+ = 0 within these bounds
 *     contacts:  |z_t| <= mu z_n, and z_t is opposite to the velocity of the slip at the end, where that is not 0
 *
 * with the kinetic coefficient where a contact slips at the start, else with the static one. If contacts begin to slip, the step is
 * solved once more with their kinetic coefficients. Limits of joints that depend on loads have those of the mean forces of the last
 * step. Friction takes no part in the correction of coordinates. At the end of a step all these rows carry the mean forces of the step,
 * so that reported forces and accelerations belong together.
 *
 * Source: Stewart & Trinkle, IJNME 39 (1996); Acary & Brogliato, Numerical Methods for Nonsmooth Dynamical Systems (2008), ch. 10. */
#ifndef MOBOD_FRICTION_STEPS_H
#define MOBOD_FRICTION_STEPS_H

#include "contact_work.h"

/* At the start of a step: keep the loads of joints, with which their limits in the step are computed, and the regularised friction of
 * joints under load, then release all rows. Without contacts regularised friction is that of the State. Fails with JOINT_JAMMED. */
Outcome keep_loads_and_release(const Model *model, State *state, ContactWork *work, Integration *result);

/* At the start of a step: note which contacts and joints slip. w must be realized to VELOCITY. */
void note_slips_at_start(const Model *model, const State *state, ContactWork *work);

/* Select the friction of the chosen contacts (a mask) and of all joints, before assemble_rows. */
void select_friction_of_step(const Model *model, State *state, ContactWork *work, const int *chosen, double h);

/* Keep the changes of slips in the step without impulses, and those with frozen rows. rates, drifts: [n_rows] as in VelocityLevelWork. */
void note_free_slips(const Model *model, ContactWork *work, const double *rates, const double *drifts);

/* After assemble_rows: set the values of the rows with friction. is_first: of the first problem of a step; others start from the impulses
 * of the last one; is_frozen: as in listed_rows.h. turns: [n_rows] changes of rates by impacts in turn; NULL: there are none. */
void set_friction_of_step(const Model *model, const State *state, ContactWork *work, const double *turns, double h, int is_first,
                          int is_frozen, double noise);

/* After a solution: give the contacts and joints that have begun to slip their kinetic limits. Returns whether there are any. */
int begin_slips_in_step(const Model *model, const State *state, ContactWork *work, double h);

/* Store the impulses of the step, from work->impulses, and the modes. */
void note_friction_of_step(const Model *model, State *state, ContactWork *work);

/* At the end of a step of h: let all rows with friction carry the mean forces of the step. */
void carry_mean_forces(const Model *model, State *state, double h);

#endif
