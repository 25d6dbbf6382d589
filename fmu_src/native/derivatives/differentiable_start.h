/* Whether derivatives exist at the start that an instance shows. Each check logs why there are none, and gives STATUS_DISCARD. */
#ifndef MOBOD_DIFFERENTIABLE_START_H
#define MOBOD_DIFFERENTIABLE_START_H

#include "contact_moves.h"
#include "instance_data.h"

/* with respect to knowns from this stage on */
Status check_start(const Instance *instance, int first_stage);

/* Whether contacts at their bounds keep both sides of these changes from being starts: one closes after a change in one direction, and
 * another one after the opposite change. Then the changes that release them are those of no start. */
Status check_moves(const Instance *instance, Moves moves);

/* Whether a contact is undecided: at rest at its bound, it neither presses nor separates, and does one of these after a change of knowns.
 * Which one depends on the direction, and so do all derivatives of accelerations and forces. d_u_dot [nu]: the changes of accelerations
 * with the knowns; first_stage: the first one that depends on the knowns. */
Status check_contacts(Instance *instance, int first_stage, const double *d_u_dot);

#endif
