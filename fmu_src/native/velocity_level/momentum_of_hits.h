/* The momentum of free bodies that collide in a fixed step.
 *
 * Impulses at the middle of a step keep linear and angular momentum if bodies move with the mean of the speeds before and after them:
 *
 *     r1 = r0 + h (v0 + v1) / 2,   r1 x v1 - r0 x v0 = (r0 + h/2 v0) x (v1 - v0).
 *
 * Where a row is hit they move otherwise (hits.h), and a correction of positions moves them too. The points of a slot on two bodies move
 * apart until the middle. The velocity of a body whose origin is not
 * its mass center turns with the body, and so does the angular momentum of one whose inertia is not that of a ball: after the impact they
 * do this with other speeds than those in the rates of the step. So the bodies of an impact get a further change of their speeds: the rigid
 * motion of all of them together after which their momentum is that of the same step without impulses. It changes no rate of a contact
 * between them. This is the smallest change in the norm of M.
 *
 * It is for impacts of bodies that are free, each a tree of its own with six speeds, among themselves. Where a row also acts on Ground or
 * on another tree, the momentum of the bodies is not constant. */
#ifndef MOBOD_MOMENTUM_OF_HITS_H
#define MOBOD_MOMENTUM_OF_HITS_H

#include "velocity_level_work.h"

/* Mark the bodies of impacts of free bodies, and of contacts that press between them, with the solution of the last problem. chosen
 * [contacts]: mask of its rows */
void find_free_impacts(const Model *model, const ContactWork *rows, const int *chosen, const Hits *hits, FreeImpacts *free);

/* Store the momenta at the end of the step without impulses. rows->change has the change of speeds by impulses. The State is where rows are
 * evaluated, `left` before the end, and stays there; work->y has speeds at the end. Impacts with other impulses are dropped. Fails with
 * ZERO_QUATERNION. */
Outcome note_momenta_without_impulses(const Model *model, State *state, VelocityLevelWork *work, double left, double end,
                                      Integration *result);

/* At the end of the step: change the speeds. */
void restore_momenta(const Model *model, State *state, const VelocityLevelWork *work);

#endif
