/* Impacts that an importer's step has gone past (model exchange).
 *
 * An importer that takes fixed steps, or has no search for events, finds a contact below zero at the end of a step. If the approach since
 * the last completed step explains the depth, the impact takes place then: the coordinates move to the bound, and the speeds change as in
 * any other impact. Otherwise the importer has set this state, which is an error.
 *
 * Between the ends of the step the distance is taken to be a parabola: it has the distances at both ends, and the change of the rate. Its
 * rate at zero is that of the impact, so that coordinates that are lifted against a force gain no energy. The integrator's rate may differ
 * from that of the parabola: Euler's is half a step ahead. A bounce begins with this difference, so that Euler's steps do not feed energy
 * to bounces. A bounce that would end within two steps is left out: the contact comes to rest. */
#ifndef MOBOD_LATE_IMPACTS_H
#define MOBOD_LATE_IMPACTS_H

#include "contact_work.h"

/* In model exchange: remember the distances and rates at the end of a completed step or of an event. Not while an impact is due. */
void remember_completed_step(const Model *model, State *state);

/* Before event mode changes a State that an importer has integrated: note the contacts whose approach since the last completed step
 * explains that they are below zero. */
void note_late_impacts(const Model *model, State *state, ContactWork *work);

/* After the removal of drift: keep those that are still below zero; others have drifted. Returns the number of the deepest one that
 * tolerances do not explain, or -1. */
int confirm_late_impacts(const Model *model, State *state, ContactWork *work);
void forget_late_impacts(const Model *model, ContactWork *work);

/* Whether there are any. */
int has_late_impacts(const Model *model, const ContactWork *work);

/* Move the coordinates by the smallest change, in the norm of M, after which no distance is below zero and the position errors of
 * constraints are 0. Releases all rows. Fails with CONTACT_UNSOLVED, CONTACT_OUTSIDE, STEP_UNSOLVED or ZERO_QUATERNION. */
Outcome lift_to_bounds(const Model *model, State *state, ContactWork *work, Integration *result);

/* At an event with late impacts: the shortest bounces of the contacts in work->touching. Releases all rows. */
void find_shortest_bounces(const Model *model, State *state, ContactWork *work);

/* The rate at which a bounce begins, by this restitution. The impact has then taken place. */
double bounce_of_late_impact(LateImpact *late, double restitution);

#endif
