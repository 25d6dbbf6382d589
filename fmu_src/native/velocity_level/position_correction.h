/* The correction of coordinates at the end of a fixed step: the smallest displacement, in the norm of M, that takes errors of constraints
 * to zero, and rows below zero to their tolerances.
 *
 * What moves a shape out of one contact can move it into another one that was open. Such rows join the problem, until the displacement
 * takes no row below its tolerance. Where not all of them can be satisfied, as between walls that are too near, the last displacement
 * that was found is taken: it corrects what the step has left, and the next step corrects what it moves.
 *
 * docs/decisions/220-corrected-into-others.md */
#ifndef MOBOD_POSITION_CORRECTION_H
#define MOBOD_POSITION_CORRECTION_H

#include "velocity_level_work.h"

/* Determine the rows that are engaged from now on, and correct the coordinates. Fails with CONTACT_UNSOLVED or STEP_UNSOLVED if the
 * errors contradict each other. Overwrites work->rates, V and chosen. */
Outcome correct_positions(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, Integration *result);

#endif
