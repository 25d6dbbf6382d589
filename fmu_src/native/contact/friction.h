/* Dry friction of contacts and joints: which of them stick or slip.
 *
 * A contact is free, sticks (its tangent rows are equations) or slips (its tangent rows carry the force -mu f_n v / |v|). A joint sticks
 * or slips likewise, with a limit in place of mu f_n. At an event one problem for the accelerations determines the modes of all contacts
 * and joints. A normal force is never negative, and is 0 where the contact opens. Friction at rest is at most its limit. Where it
 * reaches the limit, a slip may begin, and the friction is opposite to the acceleration of this slip. The problem is then solved again,
 * with the kinetic coefficient of those that begin to slip. If limits of joints depend on loads, the first solution keeps all joints at
 * rest where they are. Each further solution has the loads of the modes found before, until the modes do not change.
 *
 * Impacts with friction: one problem for all touching contacts, Newton's law for the normals, and Coulomb's law with the slip after the
 * impact. Joints with a limit of force take no part in them.
 *
 * Source: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996); Moreau, Unilateral contact and dry friction in finite
 * freedom dynamics (1988). */
#ifndef MOBOD_FRICTION_H
#define MOBOD_FRICTION_H

#include "contact_work.h"
#include "friction_table.h"

/* how far the witness of a contact or of friction may lie below zero and still count as zero */
double noise_at_rest(const Model *model, State *state, int event, double value, double rate);

/* Determine the modes of the contacts at rest (a mask) and of all joints, and the contacts that press (work->pressing), together. Leaves no
 * row active. Fails with FRICTION_PARADOX, FRICTION_UNSOLVED or JOINT_JAMMED. */
Outcome find_modes(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result);

/* After a step that failed: if a contact that slips was about to jam (Painleve), that is the cause, FRICTION_PARADOX;
 * or if the load of a joint does not exist, JOINT_JAMMED. */
void explain_by_paradox(const Model *model, State *state, Integration *result);

/* Select the friction of the contacts of a mask for impacts, with the coefficients of slips. */
void select_touching(const Model *model, State *state, ContactWork *work, const int *touching);

/* Write the velocities along the selected tangents, and the speeds of selected joints, to their places among the rows. */
void read_slips(const Model *model, const State *state, const ContactWork *work, double *rates);

/* Store the impulses of the selected tangents, from work->impulses, and select no friction. */
void note_friction_impulses(const Model *model, State *state, ContactWork *work);

#endif
