/* Rims that lie flat: of circles, cylinders and tori, whose nearest point to a plane moves around the rim.
 *
 * Where the axis of the rim is normal to the plane, all its points are equally near. Next to this pose a small tilt moves the nearest
 * point around the whole rim. A row with this point alone does not keep the rim flat: the rim tilts to the other side, then back, and so
 * on. The lean of a rim is two numbers: the components of its axis along two axes of the plane. The nearest point is in the opposite
 * direction.
 *
 * Under error control the steps become ever smaller, and an impact tilts the rim about a point that round-off chooses. In fixed steps
 * the energy of such a rim may grow without bound. So a fixed step fails if the nearest point of a rim that presses moves around the rim
 * by more than a limit. A run fails if time hardly advances while a rim that presses lies flat, and at an impact that tilts a rim which
 * lies flat. A rim that cannot tilt, such as that of a piston, causes no failure: its lean remains 0. */
#ifndef MOBOD_RIMS_H
#define MOBOD_RIMS_H

#include "contact_table.h"
#include "work.h"

/* Store the leans of all rows, [2 contacts]. w must be realized to POSITION. */
void read_leans(const Model *model, const State *state, double *leans);

/* whether the nearest point of a rim has moved around by more than the limit, from one lean [2] to another */
int has_turned_far(const double *before, const double *now);

/* Fail with CONTACT_LIES_FLAT if the nearest point of a rim has jumped in a step with an impulse; `before`: leans at its start. w must be
 * realized to POSITION. */
Outcome check_leans(const Model *model, const State *state, const double *before, Integration *result);

/* After an impact: the rim of a mask [contacts] that lay flat, and that the impulse tilts, so that the motion depends on the point that
 * was taken; NULL: there is none. Keeps y. q [n_q] is a workspace. */
const Contact *tilted_by_impact(const Model *model, State *state, const int *mask, double *q);

/* Count a step from the time t. Returns whether the last steps were so short beside the time scale that a rim which lies flat may be the
 * cause: ask stalled_on_rim. */
int hardly_advances(const Model *model, Work *work, double t);

/* The rim that is; NULL: there is none, and counting begins again. step_size: s, of the next one. Realizes POSITION. */
const Contact *stalled_on_rim(const Model *model, State *state, Work *work, double t, double step_size);

/* After a failed step that is not one at velocity level: the active rim that is nearest to lying flat, if it is so near that this explains
 * the failure; NULL: there is none. If a contact is outside its limit after an impact, that is itself the rim. Realizes POSITION. */
const Contact *flat_contact(const Model *model, State *state, const Integration *failure);

#endif
