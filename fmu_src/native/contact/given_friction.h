/* Regularised friction of joints under load, while a run decides about other rows.
 *
 * The row of such a joint carries the force of its slip at all times: it is a force of the State, which has no modes and no events, and no
 * part in impacts. But its load belongs to the contacts that press. Where a run releases these, to decide which of them press or slip, or
 * to compute impulses, the friction is given: 0 before the first decision, then that under the loads of the last one. */
#ifndef MOBOD_GIVEN_FRICTION_H
#define MOBOD_GIVEN_FRICTION_H

#include "model.h"
#include "outcome.h"
#include "state.h"

/* whether there is any */
int has_regularised_friction(const Model *model);

/* give a friction of 0 */
void give_no_friction(const Model *model, State *state);

/* Realize ACCELERATION, and give the friction found there. Fails with JOINT_JAMMED if there are no loads, of
 * regularised or rigid friction; or with NOT_FINITE if there are no accelerations, whatever the loads are. */
Outcome give_present_friction(const Model *model, State *state, Integration *result);

/* let the friction be that of the State again */
void release_given_friction(const Model *model, State *state);

/* JOINT_JAMMED, at the first joint that slips under its load */
Outcome load_failed(const Model *model, const State *state, Integration *result);

/* whether there are no loads at ACCELERATION */
int are_loads_missing(const Model *model, const State *state);

#endif
