/* The correction of coordinates at the end of a fixed step: the smallest displacement, in the norm of M, that takes errors of constraints
 * to zero, and rows below their tolerances up.
 *
 * Where limits are predicted (ENGAGEMENT_PREDICTIVE), these rows rise to a quarter of their tolerances, so that few steps have to correct
 * them: shapes that turn sink by an error of second order, and rows at their tolerances would be below them again in the next step. Rows
 * between both rise with those that have bodies in common with them; other bodies stay where they are. With ArtiSynth's rule rows end at
 * their tolerances, where its limits rest.
 *
 * What moves a shape out of one contact can move it into another one that was open. Such rows join the problem, until the displacement
 * takes no row below its tolerance. Where not all of them can be satisfied, as between walls that are too near, rows rise to their
 * tolerances only; if this contradicts, too, the last displacement that was found is taken: it corrects what the step has left, and the
 * next step corrects what it moves.
 *
 * docs/decisions/220-corrected-into-others.md */
#ifndef MOBOD_POSITION_CORRECTION_H
#define MOBOD_POSITION_CORRECTION_H

#include "velocity_level_work.h"

/* Determine the rows that are engaged from now on, and correct the coordinates. Fails with CONTACT_UNSOLVED or STEP_UNSOLVED if the
 * errors contradict each other. Overwrites work->rates, V and chosen. */
Outcome correct_positions(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, Integration *result);

#endif
